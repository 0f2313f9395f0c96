//! Memory of other images that is no part of a coarray, where pointer components lead: what is copied, and by how many
//! calls of the system; and memory that the program allocates for itself, but that is in its segment.

use serial_test::serial;
use std::path::{Path, PathBuf};
use xmp_tests::exceptions::left_out;
use xmp_tests::hosts::mpis_with_plugin;
use xmp_tests::program::fortran_source;
use xmp_tests::{Linking, Program, Run};

#[test]
#[serial]
fn a_section_of_private_memory_takes_one_call_of_the_system() {
    if left_out(&fortran_source("private/runs")) {
        return;
    }
    let program =
        Program::fortran("private/runs").with("counted_copies").with_c("counted_copies").build();
    for images in 2..=4 {
        Run::new(&program).images(images).finish().succeeded().silent();
    }
    Run::new(&program).images(4).virtual_hosts(2).finish().succeeded().silent();
    for mpirun in mpis_with_plugin() {
        for (images, hosts) in [(2, 2), (4, 2)] {
            let run = Run::new(&program).mpirun(&mpirun).images(images);
            run.virtual_hosts(hosts).finish().succeeded().stdout_is("");
        }
    }
}

#[test]
#[serial]
fn elements_of_arrays_that_are_not_allocated_are_fetched_by_lines_until_images_synchronise() {
    if left_out(&fortran_source("private/fixed")) {
        return;
    }
    let program =
        Program::fortran("private/fixed").with("counted_copies").with_c("counted_copies").build();
    for images in [1, 2, 3, 4, 7, 8] {
        Run::new(&program).images(images).finish().succeeded().silent();
    }
    for mpirun in mpis_with_plugin() {
        for (images, hosts) in [(2, 1), (2, 2), (4, 2), (7, 3)] {
            let run = Run::new(&program).mpirun(&mpirun).images(images).args(["between hosts"]);
            run.virtual_hosts(hosts).finish().succeeded().stdout_is("");
        }
    }
    let outcome = Run::new(&program).images(2).env("XMP_READ_CACHE", "never").finish();
    outcome.stderr_line_with(&["lines are fetched, not elements"]);
}

/// The program of `private/ordinary.f90`, linked in a way, with more options.
fn ordinary(linking: Linking, options: &[&str]) -> Option<PathBuf> {
    if left_out(&fortran_source("private/ordinary")) {
        return None;
    }
    let program = Program::fortran("private/ordinary").with_c("ordinary").argument("-pthread");
    let program = options.iter().fold(program, |program, option| program.argument(*option));
    Some(program.linking(linking).build())
}

/// Ways of the program, with what they need.
const WAYS: [&str; 4] = ["none", "memory", "threads", "fork"];

/// A run of the program in a way: `reachable` says whether the memory of the program is to be in segments.
fn way(program: &Path, images: u32, way: &str, reachable: bool) -> Run {
    Run::new(program).images(images).args([way, if reachable { "1" } else { "0" }])
}

#[test]
#[serial]
fn elements_behind_pointers_to_ordinary_memory_are_loaded_and_stored() {
    if left_out(&fortran_source("private/halo")) {
        return;
    }
    let program =
        Program::fortran("private/halo").with("counted_copies").with_c("counted_copies").build();
    for images in 1..=4 {
        Run::new(&program).images(images).finish().succeeded().silent();
    }
    Run::new(&program).images(4).virtual_hosts(2).finish().succeeded().silent();
}

#[test]
#[serial]
fn ordinary_memory_may_be_resized_and_freed_by_libraries_and_threads_and_copied_by_fork() {
    let Some(program) = ordinary(Linking::Shared, &[]) else { return };
    for name in WAYS {
        for images in 1..=4 {
            way(&program, images, name, images > 1).finish().succeeded().silent();
        }
        way(&program, 4, name, true).virtual_hosts(2).finish().succeeded().silent();
        for mpirun in mpis_with_plugin() {
            let run = Run::new(&program).mpirun(&mpirun).images(4).virtual_hosts(2);
            run.args([name, "1"]).finish().succeeded().stdout_is("");
        }
    }
}

/// Without `xmprun` a program looks whether it is linked with an MPI library.
#[test]
#[serial]
fn a_program_that_follows_pointers_needs_no_launcher() {
    let Some(program) = ordinary(Linking::Shared, &[]) else { return };
    Run::new(&program).args(["memory", "0"]).finish().succeeded().silent();
    let two = Run::new(&program).env("XMP_NUM_IMAGES", "2").args(["memory", "1"]);
    two.finish().succeeded().silent();
}

#[test]
#[serial]
fn a_forked_process_without_memory_for_a_copy_says_that_it_shares() {
    let Some(program) = ordinary(Linking::Shared, &[]) else { return };
    let outcome = way(&program, 2, "fork-without-memory", true).finish();
    outcome.succeeded().stderr_line_with(&["no memory for a copy", "XMP_REACH=0"]);
}

#[test]
#[serial]
fn ordinary_memory_stays_private_where_a_setting_a_check_or_a_tool_asks_for_it() {
    let Some(program) = ordinary(Linking::Shared, &[]) else { return };
    for name in WAYS {
        way(&program, 2, name, false).env("XMP_REACH", "0").finish().succeeded().silent();
        way(&program, 2, name, false).env("XMP_CHECK", "races").finish().succeeded().stdout_is("");
    }
    for (linking, options) in [
        (Linking::StaticXmp, &[][..]),
        (Linking::Shared, &["-flto"]),
        (Linking::Shared, &["-fsanitize=undefined"]),
    ] {
        let program = ordinary(linking, options).expect("compiled above");
        for name in WAYS {
            way(&program, 2, name, false).finish().succeeded().silent();
        }
    }
}

#[test]
#[serial]
fn a_program_keeps_the_allocator_that_it_brings_along() {
    if left_out(&fortran_source("private/halo")) {
        return;
    }
    let program = Program::fortran("private/ordinary").with_c("ordinary").with_c("own_malloc");
    let program = program.argument("-pthread").build();
    for name in ["none", "fork"] {
        way(&program, 2, name, false).finish().succeeded().silent();
    }
}

#[test]
#[serial]
fn ordinary_memory_is_reached_in_programs_of_every_kind_of_executable() {
    for options in [&["-no-pie"][..], &["-fopenmp"], &["-O0", "-g"]] {
        let Some(program) = ordinary(Linking::Shared, options) else { return };
        for name in WAYS {
            way(&program, 2, name, true).finish().succeeded().silent();
        }
    }
}

#[test]
#[serial]
fn ordinary_memory_that_has_no_room_in_the_segment_is_private() {
    let Some(program) = ordinary(Linking::Shared, &[]) else { return };
    for images in [1, 2, 3] {
        let run = way(&program, images, "full", images > 1).env("XMP_SEGMENT_SIZE", "1G");
        run.finish().succeeded().silent();
    }
}

#[test]
#[serial]
fn programs_that_follow_no_pointers_keep_their_memory() {
    if left_out(&fortran_source("private/no_pointers")) {
        return;
    }
    let program = Program::fortran("private/no_pointers").with_c("ordinary").argument("-pthread");
    let outcome = Run::new(program.build()).images(2).finish();
    outcome.succeeded().silent();
}
