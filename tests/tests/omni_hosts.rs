//! Programs of the Omni XcalableMP compiler and its object interface on separate hosts, under each MPI: the same ones
//! that run under `xmprun`, linked in the same way.

use serial_test::serial;
use std::time::Duration;
use xmp_hosts::Flavour;
use xmp_tests::hosts::{mpis_with_plugin, network_for};
use xmp_tests::{Program, Run, together};

/// For programs that say much to the other host.
const LONG: Duration = Duration::from_secs(600);

/// Runs programs with these numbers of images on hosts; they must end well and say nothing.
fn conforms(images: &[u32], programs: impl IntoIterator<Item = Program>) {
    let programs: Vec<_> = programs.into_iter().map(|program| program.build()).collect();
    together(mpis_with_plugin(), Flavour::ALL.len(), |mpirun| {
        let Some(network) = network_for(mpirun.flavour(), images.len()) else { return };
        for program in &programs {
            let run = Run::new(program).mpirun_on(&mpirun, &network, images).limit(LONG);
            run.finish().succeeded().stdout_is("");
        }
    });
}

#[test]
#[serial]
fn global_view_in_c() {
    conforms(&[2, 2], ["laplace", "mapping", "tasks"].map(Program::omni_c));
    conforms(&[1, 2], [Program::omni_c("mapping")]);
}

#[test]
#[serial]
fn coarrays_in_c() {
    conforms(&[2, 2], ["coarrays", "locks"].map(Program::omni_c));
}

/// The object interface: memory of all methods, transfers, collected garbage.
#[test]
#[serial]
fn objects_in_c() {
    conforms(&[2, 2], [Program::omni_c("xmpco")]);
}

#[test]
#[serial]
fn global_view_in_fortran() {
    let names = ["loops", "shadows", "moves", "families", "tasks", "procedures"];
    conforms(&[2, 2], names.map(Program::omni_fortran));
}

#[test]
#[serial]
fn coarrays_in_fortran() {
    let names = [
        "kinds",
        "sections",
        "allocatables",
        "synchronisation",
        "collectives",
        "cobounds",
        "registered",
        "regions",
    ];
    conforms(&[2, 2], names.map(Program::omni_coarray));
}
