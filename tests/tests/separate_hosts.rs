//! The harness itself: MPI without XMP-RT, on this machine and on separate hosts. When these fail, what the other tests
//! of MPI and of hosts say means nothing.

use serial_test::serial;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output};
use std::sync::Arc;
use std::{env, fs};
use xmp_hosts::{Flavour, Mpirun, Network, skipped};
use xmp_tests::hosts::{mpis, network};
use xmp_tests::toolchain::target_dir;
use xmp_tests::{Program, Run};

/// A run of the plain MPI program `mpi_plain`.
fn plain(mpirun: &Mpirun) -> Option<Run> {
    let program = Program::plain_mpi("mpi_plain", mpirun.flavour());
    if program.is_none() {
        let flavour = mpirun.flavour();
        skipped(flavour.requirement(), format_args!("no mpicc.{} here", flavour.suffix()));
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

/// Set for the process in which [`the_launchers_that_work_are_printed`] prints.
const PRINTS: &str = "TEST_SEPARATE_HOSTS_PRINTS";

/// Prints the launchers of MPI in the process that [`launchers_with`] starts.
#[test]
fn the_launchers_that_work_are_printed() {
    if env::var_os(PRINTS).is_some() {
        let names = mpis().into_iter().map(|mpirun| mpirun.flavour().suffix());
        println!("launchers: {}.", names.collect::<Vec<_>>().join(", "));
    }
}

/// Runs [`the_launchers_that_work_are_printed`] where `mpirun.mpich` is a script that begins with these commands and
/// goes on as the real one, and where MPICH is required.
fn launchers_with(mpirun: &Mpirun, commands: &str) -> Output {
    let directory = tempfile::tempdir().expect("a directory");
    let script = directory.path().join("mpirun.mpich");
    let text = format!("#!/bin/sh\n{commands}\nexec {} \"$@\"\n", mpirun.program().display());
    fs::write(&script, text).expect("a file");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("own file");
    let path = env::var_os("PATH").expect("a search path");
    let path = [directory.path().into()].into_iter().chain(env::split_paths(&path));
    let command = Command::new(env::current_exe().expect("this program"))
        .args(["--exact", "the_launchers_that_work_are_printed", "--nocapture"])
        .envs([(PRINTS, "1"), ("XMP_REQUIRE", "mpich")])
        .env("PATH", env::join_paths(path).expect("paths without colons"))
        .output();
    command.expect("it can be executed")
}

#[test]
#[serial]
fn an_mpirun_that_prints_a_warning_is_used_and_one_that_fails_is_reported() {
    let Some(mpirun) = mpis().into_iter().find(|found| found.flavour() == Flavour::Mpich) else {
        return;
    };
    let texts = |output: &Output| {
        [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    };
    let warned = launchers_with(&mpirun, "echo 'warning: a container' >&2");
    let [out, err] = texts(&warned);
    assert!(warned.status.success() && out.contains("mpich."), "{out}{err}");
    assert!(
        err.contains("mpirun.mpich itself prints this") && err.contains("a container"),
        "{err}"
    );

    let failed = launchers_with(&mpirun, "echo 'no shared memory' >&2; exit 3");
    let [out, err] = texts(&failed);
    assert_eq!(failed.status.code(), Some(101), "{out}{err}");
    let reason =
        "mpirun.mpich does not run programs here: exit status: 3: no shared memory [mpich]";
    assert!(err.contains(reason), "{err}");
}
