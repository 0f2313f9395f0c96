//! PRIF through the module `prif`: self-checking programs under every number of images and hosts, ends of programs, and
//! arguments that cannot be.

use serial_test::serial;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use xmp_hosts::Mpirun;
use xmp_tests::hosts::{mpis_with_plugin, network};
use xmp_tests::matrix::{HOSTS, conforms_program, numbers_of_images};
use xmp_tests::toolchain::{crate_dir, toolchain};
use xmp_tests::{Linking, Outcome, Program, Run};

/// A test for each program that says nothing when all is well, and [`LISTED`].
macro_rules! programs {
    ($($program:ident)*) => {
        $(#[test]
        fn $program() {
            let name = concat!("prif/", stringify!($program));
            conforms_program(&program(stringify!($program)), name);
        })*

        const LISTED: &[&str] = &[$(stringify!($program)),*];
    };
}

programs! {
    allocation
    atomics
    co_reduce
    collectives
    contiguous
    events
    images
    inquiries
    locks
    strided
    synchronisation
    teams
}

/// Programs that take the name of a case, or need a setting.
const WITH_CASES: [&str; 7] =
    ["bad_arguments", "disagreement", "ends", "failed_allocation", "hangs", "races", "refusals"];

fn program(name: &str) -> Program {
    Program::fortran(&format!("prif/{name}")).with("with_prif")
}

#[test]
fn every_program_is_listed() {
    let there: BTreeSet<String> = fs::read_dir(crate_dir().join("fortran/prif"))
        .expect("a directory")
        .map(|entry| entry.expect("it can be read").path())
        .map(|path| path.file_stem().expect("it has a name").to_string_lossy().into_owned())
        .collect();
    let listed = LISTED.iter().chain(&WITH_CASES).map(|name| name.to_string()).collect();
    assert_eq!(there, listed);
}

/// All `images` end in this way.
fn ends(images: u32, hosts: u32, way: &str) -> Outcome {
    let run = Run::new(program("ends").build()).images(images).virtual_hosts(hosts);
    run.args([way]).finish()
}

#[test]
fn exit_statuses_and_messages_are_those_of_the_stop_codes() {
    for (way, status, text) in [
        ("stop", 0, ""),
        ("stop-7", 7, "STOP 7"),
        ("stop-quiet-8", 8, ""),
        ("stop-text", 0, "STOP the end"),
        ("error-stop", 1, "ERROR STOP"),
        ("error-stop-9", 9, "ERROR STOP 9"),
        ("error-stop-quiet", 10, ""),
        ("error-stop-text", 1, ""),
    ] {
        let outcome = ends(1, 1, way);
        outcome.exited_with(status).stdout_is("");
        if text.is_empty() {
            outcome.silent();
        } else {
            outcome.stderr_line_with(&[text]);
        }
        ends(3, 1, way).exited_with(status);
    }
}

#[test]
fn stop_callbacks_get_the_arguments_and_the_last_one_comes_first() {
    ends(1, 1, "callbacks-stop").exited_with(3).stdout_is("late F T 3\nearly F T 3\n");
    let both = "late T T \"why\"\nearly T T \"why\"\n";
    ends(1, 1, "callbacks-error-stop").exited_with(1).stdout_is(both);
}

#[test]
fn images_that_fail_or_stop_are_reported_to_the_others() {
    for hosts in [1, 2] {
        ends(4, hosts, "one-fails").succeeded();
        ends(4, hosts, "one-stops").succeeded();
    }
}

#[test]
fn wrong_arguments_are_refused() {
    conforms_program(&program("refusals"), "prif/refusals");
}

#[test]
fn wrong_arguments_without_stat_end_the_program() {
    for (case, text) in [
        ("put", "prif_put: image index 99 is not in 1:2"),
        ("get", "prif_get: coarray_handle is null: no coarray was allocated with it"),
        ("image_index", "prif_image_index: sub has 2 elements for 1 codimension"),
        ("get_team", "prif_get_team: level 17 is none of PRIF_CURRENT_TEAM, PRIF_PARENT_TEAM"),
        ("co_sum", "prif_co_sum: result_image: image index 77 is not in 1:2"),
        ("alias_destroy", "prif_alias_destroy: alias_handle is a coarray and no alias"),
    ] {
        let run = Run::new(program("refusals").build()).images(2).args([case]);
        run.finish().exited_with(1).stderr_line_with(&["refusals.f90:", text]);
    }
}

/// A run of three images, of which the second one allocates or deallocates otherwise.
fn disagree(what: &str, hosts: u32, check: &str) -> Outcome {
    let run = Run::new(program("disagreement").build()).images(3).virtual_hosts(hosts);
    run.env("XMP_CHECK", check).args([what]).finish()
}

#[test]
fn images_that_allocate_or_deallocate_otherwise_are_named() {
    let (allocate, deallocate) = ("prif_allocate_coarray: ", "prif_deallocate_coarray: ");
    for hosts in [1, 2] {
        for (what, words) in [
            ("size", [allocate, "image 1 allocates 40 bytes, image 2 80 bytes"]),
            (
                "cobounds",
                [allocate, "image 1 and image 2 allocate a coarray with different cobounds"],
            ),
            ("other", [deallocate, "image 1 and image 2 do not free the same coarray"]),
        ] {
            let outcome = disagree(what, hosts, "0");
            outcome.exited_with(1).stderr_line_with(&["disagreement.f90:", words[0], words[1]]);
        }
        for (what, statement) in [("no allocate", "allocate"), ("no deallocate", "deallocate")] {
            let executes = format!("image 1 executes {statement} (");
            let words = [&executes, "disagreement.f90:", "), image 2 sync all ("];
            disagree(what, hosts, "1").exited_with(1).stderr_line_with(&words);
        }
        for what in ["size, stat", "cobounds, stat", "other, stat"] {
            disagree(what, hosts, "0").succeeded().silent();
        }
        for what in ["size, stat", "other, stat", "no allocate, stat", "no deallocate, stat"] {
            disagree(what, hosts, "1").succeeded().silent();
        }
    }
}

/// The library's own tests compare its interfaces with its table.
#[test]
fn the_installed_module_is_that_of_the_sources() {
    let installed = toolchain().prefix().join("share/xmprt/prif.F90");
    let made = xmp_prif::module::module(&xmp_prif::Interfaces::of_library());
    assert_eq!(fs::read_to_string(installed).ok(), Some(made));
}

/// The calls that flang generates, made by a C program with one argument, the case.
fn as_flang_calls(images: u32, hosts: u32, case: &str, static_library: bool) -> Outcome {
    let program = Program::c("prif_flang");
    let program = if static_library { program.linking(Linking::StaticXmp) } else { program };
    Run::new(program.build()).images(images).virtual_hosts(hosts).args([case]).finish()
}

#[test]
fn the_calls_that_flang_generates_are_understood() {
    for hosts in HOSTS {
        for images in numbers_of_images().filter(|images| *images >= hosts) {
            as_flang_calls(images, hosts, "calls", false).succeeded().silent();
        }
    }
    as_flang_calls(3, 1, "calls", true).succeeded().silent();
}

#[test]
fn coarrays_that_flang_keeps_in_its_own_storage_are_left_alone() {
    let outcome = as_flang_calls(3, 1, "static", false);
    outcome.succeeded().stdout_is("");
    outcome.stderr_line_with(&["warning: flang keeps coarrays that are not allocatable"]);
    assert_eq!(outcome.stderr.lines().count(), 1, "{}", outcome.stderr);
}

#[test]
fn programs_end_as_flang_asks() {
    as_flang_calls(2, 1, "stop", false).exited_with(7).silent();
    as_flang_calls(1, 1, "stop-text", false).succeeded().stderr_line_with(&["STOP the end"]);
    as_flang_calls(3, 1, "error-stop", false).exited_with(7).silent();
    as_flang_calls(3, 1, "fail", false).succeeded();
    for hosts in [1, 2] {
        as_flang_calls(3, hosts, "exit", false).exited_with(7).silent();
    }
}

#[test]
fn allocatable_components_are_broadcast_as_flang_describes_them() {
    let program = Program::c("prif_components").build();
    for (images, hosts) in [(1, 1), (2, 1), (7, 1), (4, 2)] {
        for case in ["values", "polymorphic"] {
            let run = Run::new(&program).images(images).virtual_hosts(hosts).args([case]);
            run.finish().succeeded().silent();
        }
    }
}

#[test]
fn an_allocation_that_fails_on_one_image_leaves_nothing_on_the_others() {
    let program = program("failed_allocation").build();
    for (images, hosts) in [(2, 1), (4, 2)] {
        let run = Run::new(&program).images(images).virtual_hosts(hosts);
        run.env("XMP_SEGMENT_SIZE", "64M").finish().succeeded().silent();
    }
}

/// Programs that together call most procedures between images.
const UNDER_MPI: [&str; 6] =
    ["allocation", "collectives", "contiguous", "events", "strided", "teams"];

/// The program succeeds under the launcher of an MPI with 1, 2 and 4 images, also on two virtual hosts, and with 2 x 2
/// images on separate hosts.
fn conforms_under_mpi(program: &Path, arguments: &[&str], mpirun: &Mpirun) {
    let run = Run::new(program).mpirun(mpirun).args(arguments);
    for images in [1, 2, 4] {
        run.clone().images(images).finish().succeeded().stdout_is("");
    }
    run.images(4).virtual_hosts(2).finish().succeeded().stdout_is("");
    if let Some(network) = network(2) {
        let run = Run::new(program).mpirun_on(mpirun, &network, &[2, 2]).args(arguments);
        run.finish().succeeded().stdout_is("");
    }
}

#[test]
#[serial]
fn one_binary_runs_under_every_launcher() {
    let prif = UNDER_MPI.map(|name| (program(name).build(), &[][..]));
    let flang = (Program::c("prif_flang").build(), &["calls"][..]);
    for (program, arguments) in prif.into_iter().chain([flang]) {
        for images in [1, 2, 4] {
            let run = Run::new(&program).images(images).args(arguments);
            run.finish().succeeded().silent();
        }
        for mpirun in mpis_with_plugin() {
            conforms_under_mpi(&program, arguments, &mpirun);
        }
    }
}

#[test]
#[serial]
fn launchers_of_mpi_get_the_exit_status_of_prif_stop() {
    let program = program("ends").build();
    for mpirun in mpis_with_plugin() {
        for (way, status) in [("stop-text", 0), ("stop-7", 7), ("error-stop-9", 9)] {
            let run = Run::new(&program).mpirun(&mpirun).images(2).args([way]);
            run.finish().exited_with(status);
        }
    }
}
