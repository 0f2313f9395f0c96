//! The harness itself: MPI without XMP-RT, on this machine and on separate hosts. When these fail, what the other tests
//! of MPI and of hosts say means nothing.

use serial_test::serial;
use std::sync::Arc;
use xmp_hosts::{Mpirun, Network, skipped};
use xmp_tests::hosts::{mpis, network};
use xmp_tests::toolchain::target_dir;
use xmp_tests::{Program, Run};

/// A run of the plain MPI program `mpi_plain`.
fn plain(mpirun: &Mpirun) -> Option<Run> {
    let program = Program::plain_mpi("mpi_plain", mpirun.flavour());
    if program.is_none() {
        skipped(format_args!("no mpicc.{} here", mpirun.flavour().suffix()));
    }
    Some(with_windows(Run::new(program?.build()).mpirun(mpirun), mpirun))
}

fn plain_on(mpirun: &Mpirun, network: &Arc<Network>, images: &[u32]) -> Option<Run> {
    let run = with_windows(plain(mpirun)?.mpirun_on(mpirun, network, images), mpirun);
    let fix = mpirun.environment_for_finalize(&target_dir().join("test-programs"));
    Some(match fix.expect("a C compiler is there") {
        Some((name, value)) => run.env(name, value),
        None => run,
    })
}

fn with_windows(run: Run, mpirun: &Mpirun) -> Run {
    mpirun.options_for_windows().into_iter().fold(run, Run::launcher_option)
}

#[test]
#[serial]
fn mpi_works_here() {
    for mpirun in mpis() {
        let Some(run) = plain(&mpirun) else { continue };
        for images in [1, 4] {
            run.clone().images(images).args([images.to_string()]).finish().succeeded().silent();
        }
    }
}

#[test]
#[serial]
fn mpi_works_on_separate_hosts() {
    for images in [&[2, 2][..], &[1, 1, 1], &[2, 2, 2], &[3, 1]] {
        let Some(network) = network(images.len()) else { return };
        for mpirun in mpis() {
            let Some(run) = plain_on(&mpirun, &network, images) else { continue };
            let counts: Vec<String> = images.iter().map(u32::to_string).collect();
            run.args(counts).finish().succeeded();
        }
    }
}
