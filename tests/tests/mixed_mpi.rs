//! Programs that use MPI beside coarrays, in any order of their initialisation.

use serial_test::serial;
use xmp_hosts::{Flavour, Mpirun, Requirement, skipped};
use xmp_tests::hosts::{mpis, mpis_with_plugin, network_for};
use xmp_tests::toolchain::target_dir;
use xmp_tests::{Program, Run, together};

/// Runs a program with these arguments under each MPI that it can be compiled for, here and on separate hosts.
fn run_all(program: impl Fn() -> Program + Sync, arguments: &[&str]) {
    together(mpis_with_plugin(), Flavour::ALL.len(), |mpirun| {
        let network = network_for(mpirun.flavour(), 2);
        let Some(program) = program().with_mpi(mpirun.flavour()) else {
            let flavour = mpirun.flavour();
            let text = format_args!("no compiler of MPI for {}", flavour.suffix());
            return skipped(flavour.requirement(), text);
        };
        let executable = program.build();
        for argument in arguments {
            for images in [1, 3] {
                let run = Run::new(&executable).mpirun(&mpirun).images(images);
                run.args([argument]).finish().succeeded().silent();
            }
            if let Some(network) = &network {
                let run = Run::new(&executable).mpirun_on(&mpirun, network, &[2, 2]);
                mended(run, &mpirun).args([argument]).finish().succeeded();
            }
        }
    });
}

/// The plug-in mends MPI_Finalize of its own MPI, not of one that the program has brought.
fn mended(run: Run, mpirun: &Mpirun) -> Run {
    let fix = mpirun.environment_for_finalize(&target_dir().join("test-programs"));
    match fix.expect("a C compiler is there") {
        Some((name, value)) => run.env(name, value),
        None => run,
    }
}

#[test]
#[serial]
fn c_programs_initialise_mpi_when_they_please() {
    run_all(|| Program::c("mpi_mixed"), &["before", "after", "own", "never"]);
}

/// An image that waits for a message of MPI has executed no operation on a coarray yet.
#[test]
#[serial]
fn a_put_of_a_c_main_program_does_not_wait_for_an_image_that_waits_for_mpi() {
    for mpirun in mpis_with_plugin() {
        let program = Program::c_with_fortran("mpi_waits_first", "control/put_at_once");
        let Some(program) = program.with_mpi(mpirun.flavour()) else {
            let flavour = mpirun.flavour();
            let text = format_args!("no compiler of MPI for {}", flavour.suffix());
            skipped(flavour.requirement(), text);
            continue;
        };
        let run = Run::new(program.build()).mpirun(&mpirun).images(3);
        run.finish().succeeded().silent();
    }
}

#[test]
#[serial]
fn fortran_programs_initialise_mpi_after_they_have_become_images() {
    run_all(|| Program::fortran("mpi/mixed"), &["", "thread"]);
}

/// Not with Open MPI: the daemon that it starts for a process without a launcher outlives that.
#[test]
#[serial]
fn without_a_launcher_mpi_is_the_programs_own() {
    if !mpis().iter().any(|mpirun| mpirun.flavour() == Flavour::Mpich) {
        return;
    }
    match Program::fortran("mpi/mixed").with_mpi(Flavour::Mpich) {
        Some(program) => {
            Run::new(program.build()).finish().succeeded().silent();
        }
        None => skipped(Requirement::Mpich, "mpif90.mpich is not installed"),
    }
}
