//! Long transfers between hosts by MPI's one-sided operations, by messages, and by what a job finds out itself.

use serial_test::serial;
use std::path::Path;
use std::sync::Arc;
use xmp_hosts::{Flavour, Mpirun, Network, Requirement, skipped};
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

/// With `XMP_MPI_RMA=auto` the program runs right, and image 1 says what long transfers go by, and why.
fn finds(run: Run, expected: &str) {
    let run = run.env("XMP_MPI_RMA", "auto").env("XMP_LOG", "xmp_boot=info");
    let outcome = run.finish();
    outcome.succeeded().stderr_line_with(&["XMP_MPI_RMA=auto: long transfers", expected]);
    let choices = outcome.stderr_lines().filter(|line| line.contains("XMP_MPI_RMA")).count();
    assert_eq!(choices, 1, "{}", outcome.stderr);
}

#[test]
#[serial]
fn a_job_finds_out_that_tcp_needs_the_target() {
    let program = Program::fortran("mpi/long_transfers").build();
    let Some(network) = network(2) else { return };
    for mpirun in mpis_with_plugin() {
        let run = with_windows(&program, &mpirun, &network);
        finds(run, "messages, because a put arrives only when the other process calls MPI");
        if mpirun.flavour() == Flavour::OpenMpi {
            // A component that is for one host only.
            let run = Run::new(&program).mpirun_on(&mpirun, &network, &[2, 2]);
            let run = run.launcher_option("--mca").launcher_option("osc").launcher_option("sm");
            finds(run, "messages, because MPI has no window between these hosts");
        }
    }
}

/// Between virtual hosts MPI copies straight into the memory of another process, as an adapter would.
#[test]
#[serial]
fn a_job_finds_out_that_shared_memory_needs_no_target() {
    let info = Run::xmprun(["--info"]).finish().succeeded().stdout.clone();
    let single_copy = info.lines().find(|line| line.starts_with("  single copy"));
    let single_copy = single_copy.unwrap_or_else(|| panic!("no line of single copies: {info}"));
    if !single_copy.contains("permitted") {
        return skipped(Requirement::SingleCopy, format_args!("MPI may not copy: {single_copy}"));
    }
    let program = Program::fortran("mpi/long_transfers").build();
    for mpirun in mpis_with_plugin() {
        // Open MPI 5 has other ways within a machine.
        if mpirun.window_component() == Some("rdma") {
            continue;
        }
        let run = Run::new(&program).mpirun(&mpirun).images(4).virtual_hosts(2);
        finds(
            run,
            "windows, because the network writes to another host while no process there calls MPI",
        );
    }
}

/// A put of such a window may arrive after its flush: the last statement of the program's first part would be overtaken.
#[test]
#[serial]
fn windows_of_open_mpi_4_over_libfabric_are_not_used() {
    let program = Program::fortran("mpi/long_transfers").build();
    for mpirun in mpis_with_plugin() {
        // Open MPI 5 and MPICH have no such window.
        if mpirun.window_component() != Some("pt2pt") {
            continue;
        }
        let run = |rma| {
            let run = Run::new(&program).mpirun(&mpirun).images(4).virtual_hosts(2);
            let options = ["--mca", "btl", "self,vader,ofi", "--mca", "osc", "rdma"];
            options.into_iter().fold(run, Run::launcher_option).env("XMP_MPI_RMA", rma)
        };
        finds(run("auto"), "messages, because puts of Open MPI 4 over libfabric may arrive after");
        let outcome = run("always").finish();
        outcome.stderr_line_with(&["XMP_MPI_RMA=always", "over libfabric", "--mca btl ^ofi"]);
        assert_ne!(outcome.status.code(), Some(0));
    }
}
