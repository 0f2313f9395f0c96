//! Long transfers between hosts by MPI's one-sided operations, and by messages.

use serial_test::serial;
use std::path::Path;
use std::sync::Arc;
use xmp_hosts::{Flavour, Mpirun, Network};
use xmp_tests::hosts::{mpis_with_plugin, network};
use xmp_tests::{Program, Run};

/// A program on two hosts, with what makes windows work there.
fn with_windows(program: &Path, mpirun: &Mpirun, network: &Arc<Network>) -> Run {
    let run = Run::new(program).mpirun_on(mpirun, network, &[2, 2]);
    mpirun.options_for_windows().into_iter().fold(run, Run::launcher_option)
}

#[test]
#[serial]
fn long_transfers_by_windows() {
    let program = Program::fortran("mpi/long_transfers").build();
    let Some(network) = network(2) else { return };
    for mpirun in mpis_with_plugin() {
        if mpirun.flavour() == Flavour::OpenMpi {
            // A component that is for one host only.
            let run = Run::new(&program).mpirun_on(&mpirun, &network, &[2, 2]);
            let run = run.launcher_option("--mca").launcher_option("osc").launcher_option("sm");
            let outcome = run.env("XMP_MPI_RMA", "always").finish();
            let component = mpirun.window_component().expect("Open MPI has several");
            let advice = format!("mpirun --mca osc {component}");
            outcome.stderr_line_with(&["no one-sided access", &advice]);
        }
        for rma in ["always", "never"] {
            let run = with_windows(&program, &mpirun, &network);
            run.env("XMP_MPI_RMA", rma).finish().succeeded().silent();
        }
    }
}
