//! Processes that are killed from outside, at any instruction of random programs: those that are left go on with
//! `stat=`, or the job ends and says why, and nothing hangs or is left behind.
//!
//! `XMP_TEST_CASES=2000` runs more cases than a test run has time for, `XMP_TEST_CASES=120..121` a certain one.

use serial_test::serial;
use std::path::Path;
use std::thread;
use std::time::Duration;
use xmp_tests::hosts::mpis_with_plugin;
use xmp_tests::processes::{self, Pid};
use xmp_tests::{Outcome, Program, Run, cases, pick};

/// A job ends within this time, on a busy machine too.
const SOON: Duration = Duration::from_secs(240);

/// Cases of a test run.
const CASES: u64 = 12;

/// The number of images of a case, and one or two of them that are killed.
fn images_of(case: u64) -> (u32, Vec<u32>) {
    let images = pick(case, 20, &[3, 4, 5, 6]);
    let first = 1 + pick(case, 21, &[0, 1, 2, 3, 4, 5]) % images;
    let second = 1 + pick(case, 22, &[0, 1, 2, 3, 4, 5]) % images;
    (images, if first == second { vec![first] } else { vec![first, second] })
}

/// Runs a program with the statements of this seed, as many as the case has.
fn statements(program: impl AsRef<Path>, case: u64, seed: u64) -> Run {
    Run::new(program).args([seed, pick(case, 2, &[30, 100, 400])].map(|number| number.to_string()))
}

/// The same of the Fortran program.
fn statements_of_fortran(case: u64, way: &str) -> Run {
    let program = Program::fortran("faults/anywhere").with("victim").build();
    statements(program, case, 1 + case).args([way])
}

/// Kills these images of a job after a random time, each; `run` has the arguments of the program but the images. Its statements take
/// longer than that, or its images wait.
fn kill(case: u64, run: Run, images: u32, doomed: &[u32]) -> Outcome {
    let hosts = pick(case, 1, &[1, 1, 2, 3]).min(images);
    let mut run =
        run.images(images).virtual_hosts(hosts).limit(SOON).args(doomed.iter().map(u32::to_string));
    let way = pick(case, 3, &["", "central", "flat", "dissemination", "grouped"]);
    if !way.is_empty() {
        run = run.env("XMP_COLL", format!("barrier:{way}"));
    }
    if pick(case, 4, &[0, 0, 0, 1]) == 1 {
        run = run.env("XMP_CHECK", "1");
    }
    let mut running = run.start();
    let lines = running.lines_after("process ", images as usize);
    let pid = |image: u32| -> Pid {
        let of = |line: &String| Some(line.strip_prefix(&format!("{image} "))?.parse().unwrap());
        lines.iter().find_map(of).expect("a line of each image")
    };
    for (salt, &image) in (5..).zip(doomed) {
        thread::sleep(Duration::from_micros(
            pick(case, salt, &[0, 1, 10, 40]) * pick(case, 7 + salt, &[50, 130, 410, 900]),
        ));
        processes::signal(pid(image), libc::SIGKILL);
    }
    let outcome = running.finish();
    outcome.exited_with(128 + libc::SIGKILL).within(SOON);
    outcome
}

/// The lines that the images have written since all of them ran.
fn went_on(outcome: &Outcome) -> Vec<&str> {
    outcome.stdout.lines().filter(|line| !line.starts_with("process ")).collect()
}

/// All images but the doomed ones have executed all statements.
#[track_caller]
fn assert_going_on(case: u64, outcome: Outcome, images: u32, doomed: &[u32]) {
    let mut left: Vec<String> = (1..=images)
        .filter(|image| !doomed.contains(image))
        .map(|image| format!("went on: {image}"))
        .collect();
    left.sort();
    let mut lines = went_on(&outcome);
    lines.sort();
    assert_eq!(lines, left, "case {case}: {}", outcome.stderr);
}

#[test]
#[serial]
fn those_that_are_left_go_on() {
    for case in cases(CASES) {
        let (images, doomed) = images_of(case);
        let outcome = kill(case, statements_of_fortran(case, "stat"), images, &doomed);
        assert_going_on(case, outcome, images, &doomed);
    }
}

#[test]
#[serial]
fn the_job_ends_and_names_the_image() {
    for case in cases(CASES) {
        let images = pick(case, 20, &[2, 3, 4, 5]);
        let doomed = 1 + pick(case, 21, &[0, 1, 2, 3, 4]) % images;
        let outcome = kill(case, statements_of_fortran(case, "plain"), images, &[doomed]);
        assert!(went_on(&outcome).is_empty(), "case {case}: {outcome:?}");
        outcome.stderr_line_with(&[&format!("image {doomed}"), "signal 9"]);
    }
}

/// Those that are left of a C program form a team, agree on the next statement, and go on in that team.
#[test]
#[serial]
fn those_that_are_left_of_a_c_program_form_a_team_and_go_on() {
    let program = Program::c("recovers").build();
    for case in cases(CASES) {
        let (images, doomed) = images_of(case);
        let run = statements(&program, case, case);
        assert_going_on(case, kill(case, run, images, &doomed), images, &doomed);
    }
}

/// Image 1 leads its host and judges what all hosts say.
#[test]
#[serial]
fn a_job_of_several_hosts_ends_when_the_first_image_is_killed() {
    let program = Program::fortran("faults/held").build();
    for mpirun in mpis_with_plugin() {
        for hosts in [2, 3] {
            let run = Run::new(&program).mpirun(&mpirun).images(3).virtual_hosts(hosts);
            let mut job = run.limit(SOON).args(["/nowhere"]).start();
            let lines = job.lines_after("process ", 3);
            let first = lines.iter().find_map(|line| line.strip_prefix("1 ")).expect("image 1");
            // Until the others wait. An earlier death has the same end.
            thread::sleep(Duration::from_secs(1));
            processes::signal(first.parse().expect("a number"), libc::SIGKILL);
            let outcome = job.finish();
            assert!(!outcome.status.success(), "{outcome:?}");
            outcome.stderr_line_with(&["image 1 (process ", "was killed by signal 9 (SIGKILL)"]);
        }
    }
}
