//! Processes that are killed from outside, at any instruction of random programs: those that are left go on with
//! `stat=`, or the job ends and says why, and nothing hangs or is left behind.
//!
//! `XMP_TEST_CASES=2000` runs more cases than a test run has time for, `XMP_TEST_CASES=120..121` a certain one.

use serial_test::serial;
use std::thread;
use std::time::Duration;
use xmp_tests::hosts::mpis_with_plugin;
use xmp_tests::processes::{self, Pid};
use xmp_tests::{Program, Run, cases, pick};

/// A job ends within this time, on a busy machine too.
const SOON: Duration = Duration::from_secs(240);

/// Cases of a test run.
const CASES: u64 = 12;

/// Kills these images of a job after a random time, each; `steps` statements take longer than that, or its images wait.
fn kill(case: u64, images: u32, doomed: &[u32], asks: bool) {
    let hosts = pick(case, 1, &[1, 1, 2, 3]).min(images);
    let mut run = Run::new(Program::fortran("faults/anywhere").with("victim").build())
        .images(images)
        .virtual_hosts(hosts)
        .limit(SOON)
        .args([1 + case, pick(case, 2, &[30, 100, 400])].map(|number| number.to_string()))
        .args([if asks { "stat" } else { "plain" }])
        .args(doomed.iter().map(u32::to_string));
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
    let went_on: Vec<&str> =
        outcome.stdout.lines().filter(|line| !line.starts_with("process ")).collect();
    if asks {
        let mut left: Vec<String> = (1..=images)
            .filter(|image| !doomed.contains(image))
            .map(|image| format!("went on: {image}"))
            .collect();
        left.sort();
        let mut lines = went_on.clone();
        lines.sort();
        assert_eq!(lines, left, "case {case}: {}", outcome.stderr);
    } else {
        assert!(went_on.is_empty(), "case {case}: {went_on:?}");
        let image = format!("image {}", doomed[0]);
        outcome.stderr_line_with(&[&image, "signal 9"]);
    }
}

#[test]
#[serial]
fn those_that_are_left_go_on() {
    for case in cases(CASES) {
        let images = pick(case, 20, &[3, 4, 5, 6]);
        let first = 1 + pick(case, 21, &[0, 1, 2, 3, 4, 5]) % images;
        let second = 1 + pick(case, 22, &[0, 1, 2, 3, 4, 5]) % images;
        let doomed = if first == second { vec![first] } else { vec![first, second] };
        kill(case, images, &doomed, true);
    }
}

#[test]
#[serial]
fn the_job_ends_and_names_the_image() {
    for case in cases(CASES) {
        let images = pick(case, 20, &[2, 3, 4, 5]);
        kill(case, images, &[1 + pick(case, 21, &[0, 1, 2, 3, 4]) % images], false);
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
