//! Teams: what gfortran 16 passes, wrong uses, and images that end in every statement of teams. (The language is in
//! `conformance.rs`.)

use serial_test::serial;
use std::path::PathBuf;
use std::time::Duration;
use xmp_tests::matrix::{HOSTS, numbers_of_images};
use xmp_tests::{Linking, Outcome, Program, Run};

/// A job ends within this time of its fault, on a busy machine too.
const SOON: Duration = Duration::from_secs(300);

/// What says that gfortran 16 has compiled a program.
const SINCE_16: &str = "-Wl,--defsym=xmp_gfortran_abi=16";

#[test]
fn calls_of_gfortran_16() {
    let program = Program::c("gfortran16").argument(SINCE_16).build();
    for hosts in HOSTS {
        for images in numbers_of_images().filter(|&images| images >= hosts) {
            Run::new(&program).images(images).virtual_hosts(hosts).finish().succeeded().silent();
        }
    }
}

#[test]
fn calls_of_gfortran_16_in_a_program_with_the_static_library() {
    let program = Program::c("gfortran16").argument(SINCE_16).linking(Linking::StaticXmp).build();
    Run::new(&program).images(4).finish().succeeded().silent();
}

#[test]
fn calls_of_gfortran_16_in_a_program_that_was_not_linked_for_it() {
    let outcome = Run::new(Program::c("gfortran16").build()).images(2).args(["enter"]).finish();
    outcome.exited_with(1).within(SOON);
    outcome.stderr_line_with(&["change team", "compiled by gfortran 16", "xmpfc", SINCE_16]);
}

#[test]
#[serial]
fn the_images_that_are_left_after_a_failure_go_on_in_a_team() {
    let program = Program::c("survivors16").argument(SINCE_16).build();
    let outcome = Run::new(&program).images(4).finish();
    outcome.exited_with(128 + libc::SIGKILL).within(SOON);
    outcome.stdout_lines(&["went on: 1", "went on: 3", "went on: 4"]);
}

#[test]
#[serial]
fn stat_of_all_statements_reports_the_end_of_an_image() {
    let program = Program::c("gfortran16").argument(SINCE_16).build();
    for hosts in HOSTS {
        for (way, status) in [("stop", 0), ("kill", 128 + libc::SIGKILL)] {
            let run = Run::new(&program).images(4).virtual_hosts(hosts).args([way]);
            let outcome = run.finish();
            outcome.exited_with(status).within(SOON);
            outcome.stdout_lines(&["reported: 1", "reported: 3", "reported: 4"]);
        }
    }
}

/// All of 4 images do it, on each number of hosts.
fn faulty(what: &str) -> [Outcome; 2] {
    let program = Program::fortran("faults/teams").build();
    HOSTS.map(|hosts| Run::new(&program).images(4).virtual_hosts(hosts).args([what]).finish())
}

/// It ends the job with status 1, and a message with these words.
fn ends_with_message(what: &str, words: &[&str]) {
    for outcome in faulty(what) {
        outcome.exited_with(1).within(SOON).stdout_is("");
        outcome.stderr_line_with(&[&["image"], words].concat());
        let messages = outcome.stderr.lines().filter(|line| !line.starts_with("  ")).count();
        assert_eq!(messages, 1, "one message:\n{}", outcome.stderr);
    }
}

/// The program got the status by `stat=`, and has checked that nothing else has happened.
fn is_told(what: &str) {
    for outcome in faulty(what) {
        outcome.exited_with(99).within(SOON).silent();
    }
}

#[test]
fn team_numbers_that_are_not_positive() {
    ends_with_message("number-0", &["form team", "team number -1", "image 1"]);
    ends_with_message("number-negative", &["form team", "team number -7", "not positive"]);
}

#[test]
fn change_team_to_a_team_that_the_current_one_has_not_formed() {
    for what in ["change-not-formed-here", "change-to-current"] {
        ends_with_message(what, &["change team", "formed by the current one"]);
    }
}

#[test]
fn team_variables_that_are_not_defined_any_more() {
    ends_with_message("change-ended", &["change team", "not defined"]);
    ends_with_message("sync-ended", &["sync team", "not defined"]);
    ends_with_message("number-ended", &["team_number", "not defined"]);
    ends_with_message("put-ended", &["put", "team variable", "not defined"]);
}

#[test]
fn team_variables_that_never_were_defined() {
    ends_with_message("change-undefined", &["change team", "not defined"]);
    ends_with_message("sync-undefined", &["sync team", "not defined"]);
    ends_with_message("number-undefined", &["team_number", "not defined"]);
    ends_with_message("put-undefined", &["put", "team variable", "not defined"]);
}

#[test]
fn sync_team_with_a_team_of_others() {
    ends_with_message("sync-sibling", &["sync team", "team", "current team"]);
}

#[test]
fn end_team_without_change_team() {
    ends_with_message("end-without-change", &["end team", "without CHANGE TEAM"]);
}

#[test]
fn deallocate_in_a_team_what_was_allocated_outside() {
    ends_with_message("deallocate-outer", &["deallocate", "team", "allocated before", "END TEAM"]);
    ends_with_message("deallocate-outer-team", &["deallocate", "team 1", "allocated before"]);
}

#[test]
fn image_indices_that_the_team_does_not_have() {
    ends_with_message("put-beyond", &["put", "image index 3", "1:2"]);
    ends_with_message("get-beyond", &["get", "image index 3", "1:2"]);
    ends_with_message("put-beyond-team", &["put", "image index 5", "1:2"]);
    ends_with_message("atomic-beyond", &["atomic", "image index 4", "1:2"]);
    ends_with_message("sync-images-beyond", &["sync images", "image index 3", "1:2"]);
    ends_with_message("co-sum-beyond", &["co_sum", "image index 3", "1:2"]);
    ends_with_message("co-broadcast-beyond", &["co_broadcast", "image index 3", "1:2"]);
    ends_with_message("co-reduce-beyond", &["co_reduce", "image index -1", "1:2"]);
    is_told("co-max-beyond-stat");
}

#[test]
fn team_specifiers_that_the_coarray_does_not_have() {
    ends_with_message("put-not-entered", &["put", "team", "TEAM=", "ancestor"]);
    ends_with_message("put-not-there", &["put", "team", "allocated in a team within"]);
}

#[test]
fn coarrays_that_end_team_has_deallocated() {
    for (what, operation) in
        [("put-after-end", "put"), ("get-after-end", "get"), ("atomic-after-end", "atomic")]
    {
        ends_with_message(what, &[operation, "not allocated", "END TEAM"]);
    }
}

#[test]
fn components_of_coarrays_end_with_the_team() {
    let program = Program::fortran("teams/allocatable_components").build();
    let run = Run::new(&program).images(2).env("XMP_MEMORY_LIMIT", "40M");
    run.args(["100"]).finish().succeeded().silent();
}

#[test]
fn more_memory_than_a_team_can_have() {
    ends_with_message("allocate-too-much", &["allocate", "memory", "1 EiB"]);
    is_told("allocate-too-much-stat");
}

#[test]
#[serial]
fn form_team_by_some_images_only() {
    for outcome in faulty("subset") {
        outcome.exited_with(1).within(SOON).stdout_is("");
        outcome.stderr_line_with(&["form team", "has stopped"]);
    }
}

fn ends() -> PathBuf {
    Program::fortran("faults/teams_and_ends").with("victim").build()
}

/// The statements of teams at which image 2 of 4 ends.
const POINTS: [&str; 8] =
    ["form", "change", "sync", "sync-outer", "sync-all", "allocate", "deallocate", "end"];

#[test]
#[serial]
fn an_image_that_stops_ends_the_images_that_need_it() {
    for hosts in HOSTS {
        for point in POINTS {
            let run = Run::new(ends()).images(4).virtual_hosts(hosts).args([point, "stop"]);
            let outcome = run.finish();
            outcome.exited_with(1).within(SOON).stdout_is("");
            outcome.stderr_line_with(&["image", "image 2 has stopped"]);
        }
    }
}

/// The death of image 2 in this way ends the job, at each statement.
fn death_ends_the_job(way: &str) {
    for hosts in HOSTS {
        for point in POINTS {
            let run = Run::new(ends()).images(4).virtual_hosts(hosts).args([point, way]);
            let outcome = run.finish();
            outcome.exited_with(128 + libc::SIGKILL).within(SOON).stdout_is("");
            outcome.stderr_line_with(&["image 2", "signal 9"]);
        }
    }
}

#[test]
#[serial]
fn an_image_that_was_killed_before_ends_the_images_that_need_it() {
    death_ends_the_job("kill");
}

#[test]
#[serial]
fn an_image_that_is_killed_while_it_waits_ends_the_images_that_need_it() {
    death_ends_the_job("kill-within");
}

#[test]
#[serial]
fn the_end_of_an_image_is_reported_in_its_team_and_in_no_other() {
    for hosts in HOSTS {
        for (way, status) in [("stop", 0), ("kill", 128 + libc::SIGKILL)] {
            let run = Run::new(ends()).images(4).virtual_hosts(hosts).args(["collectives", way]);
            let outcome = run.finish();
            outcome.exited_with(status).within(SOON);
            outcome.stdout_lines(&["reported: 4", "went on: 1", "went on: 3"]);
        }
    }
}
