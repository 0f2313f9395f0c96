//! Images that end on several hosts: STOP, ERROR STOP, deaths, and images that go on after others have failed.

use crate::{LONG, Place, SOON, at_places};
use serial_test::serial;
use std::path::PathBuf;
use xmp_tests::{Outcome, Program};

fn ends() -> PathBuf {
    Program::fortran("control/ends").with("victim").build()
}

/// Image `who` of 2 x 2 ends in this way while the others are busy; nothing is left of the job.
fn ends_on(place: &Place, way: &str, who: &str, busy: &str) -> Outcome {
    place.run(ends()).args([way, who, busy]).finish().within(SOON).clone()
}

#[test]
#[serial]
fn error_stop_on_one_host_ends_the_others_with_its_code() {
    at_places(&[2, 2], |place| {
        for (who, busy) in [("4", "sync-all"), ("3", "event"), ("1", "co-sum"), ("2", "compute")] {
            let run = place.run(ends()).args(["error-stop-9", who, busy]);
            // Images that compute are killed when this time has passed.
            let run = if busy == "compute" { run.env("XMP_KILL_GRACE", "1000") } else { run };
            let outcome = run.finish();
            outcome.within(SOON).exited_with(9).stderr_line_with(&["ERROR STOP 9"]);
        }
    });
}

/// It ends the job, and is named by its guard.
fn is_killed(place: &Place, who: &str, busy: &str) {
    let outcome = ends_on(place, "kill", who, busy);
    assert!(!outcome.status.success(), "{outcome:?}");
    let name = format!("xmp: image {who} ");
    outcome.stderr_line_with(&[&name, "was killed by signal 9"]);
}

#[test]
#[serial]
fn an_image_that_is_killed_ends_the_job_and_is_named() {
    at_places(&[2, 2], |place| {
        // Leaders, which are the servers of their hosts, and others.
        for (who, busy) in [("4", "sync-all"), ("3", "sync-all"), ("1", "event"), ("2", "compute")]
        {
            is_killed(&place, who, busy);
        }
    });
}

#[test]
#[serial]
fn an_image_that_is_alone_on_its_host_is_named_too() {
    at_places(&[1, 1, 1], |place| {
        for (who, busy) in [("2", "sync-all"), ("1", "compute")] {
            is_killed(&place, who, busy);
        }
    });
}

/// The image ends past all exit handlers, so only its monitor notices.
#[test]
#[serial]
fn an_image_that_exits_silently_ends_the_job_and_is_named() {
    for (images, who) in [(&[2, 2][..], "4"), (&[1, 1], "2")] {
        at_places(images, |place| {
            for (way, code) in [("leave-5", "5"), ("leave-0", "0")] {
                let outcome = ends_on(&place, way, who, "sync-all");
                assert!(!outcome.status.success(), "{outcome:?}");
                let (name, end) =
                    (format!("xmp: image {who} "), format!("exit status {code} without"));
                outcome.stderr_line_with(&[&name, &end]);
            }
        });
    }
}

/// The processes of images that have failed stay, because launchers end a job when one ends.
#[test]
#[serial]
fn those_that_are_left_on_several_hosts_synchronise() {
    let program = Program::fortran("faults/survivors").with("victim").build();
    // Image 2 leads no host, or one; image 3 likewise.
    for images in [&[3, 3][..], &[1, 1, 4]] {
        at_places(images, |place| {
            let outcome = place.run(&program).args(["300", "fails"]).limit(LONG).finish();
            let left = ["went on: 1", "went on: 4", "went on: 5", "went on: 6"];
            outcome.succeeded().stdout_lines(&left);
        });
    }
}

#[test]
#[serial]
fn images_that_stop_leave_those_of_other_hosts_alone() {
    at_places(&[2, 2], |place| {
        let outcome = ends_on(&place, "stop", "4", "end");
        outcome.succeeded().stdout_lines(&[
            "image 1 reached the end",
            "image 2 reached the end",
            "image 3 reached the end",
        ]);
    });
}
