//! The C header on separate hosts, under each MPI: the self-checking programs that run under `xmprun`, linked in the
//! same way.

use serial_test::serial;
use std::time::Duration;
use xmp_hosts::Flavour;
use xmp_tests::hosts::{mpis_with_plugin, network_for};
use xmp_tests::{Program, Run, together};

/// For programs that say much to the other host.
const LONG: Duration = Duration::from_secs(600);

/// Runs a program with these numbers of images on hosts; it must end well and say nothing.
fn conforms(images: &[u32], program: &Program) {
    let program = program.build();
    together(mpis_with_plugin(), Flavour::ALL.len(), |mpirun| {
        let Some(network) = network_for(mpirun.flavour(), images.len()) else { return };
        let run = Run::new(&program).mpirun_on(&mpirun, &network, images).limit(LONG);
        run.finish().succeeded().stdout_is("");
    });
}

#[test]
#[serial]
fn atomics_signals_and_sections() {
    for name in ["atomics", "signals", "sections", "reductions"] {
        conforms(&[2, 2], &Program::c(name));
        conforms(&[1, 2], &Program::c(name));
    }
}

#[test]
#[serial]
fn teams_and_collectives() {
    for name in ["teams", "collectives", "requests"] {
        conforms(&[2, 2], &Program::c(name));
        conforms(&[1, 2], &Program::c(name));
    }
}

#[test]
#[serial]
fn memory_of_other_hosts() {
    conforms(&[2, 2], &Program::c("memory"));
    conforms(&[1, 1, 1], &Program::c("memory"));
}

#[test]
#[serial]
fn global_view() {
    conforms(&[2, 2], &Program::c("global"));
    conforms(&[1, 2], &Program::c("global"));
}

#[test]
#[serial]
fn fortran_with_c_and_with_rust() {
    conforms(&[2, 2], &Program::fortran("control/calls_c").with_c("called_by_fortran"));
    conforms(&[2, 2], &Program::fortran("control/calls_rust").with_rust("reads_coarrays"));
}

#[test]
#[serial]
fn the_example_program() {
    let program = Program::c_example("power_iteration").build();
    together(mpis_with_plugin(), Flavour::ALL.len(), |mpirun| {
        let Some(network) = network_for(mpirun.flavour(), 2) else { return };
        let run = Run::new(&program).mpirun_on(&mpirun, &network, &[2, 2]).limit(LONG);
        let text = run.finish().succeeded().stdout.clone();
        assert!(text.contains("PASS"), "{text}");
    });
}
