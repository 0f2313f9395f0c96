//! EVENT WAIT when an image ends without the post: the wait ends when no image is left that could post, and not before.

use serial_test::serial;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;
use xmp_tests::{Program, Run};

/// The limit of a run: a wait without an end fails its test after this time.
const LIMIT: Duration = Duration::from_secs(120);

/// A way for image 2 to end.
#[derive(Clone, Copy)]
struct End {
    /// The argument of the test program.
    how: &'static str,
    /// The exit status of a job whose other images end normally.
    code: i32,
}

const KILL: End = End { how: "kill", code: 128 + libc::SIGKILL };
const FAIL: End = End { how: "fail", code: 0 };
const ENDS: [End; 6] = [
    KILL,
    End { how: "segv", code: 128 + libc::SIGSEGV },
    End { how: "abort", code: 128 + libc::SIGABRT },
    End { how: "exit", code: 0 },
    FAIL,
    End { how: "stop", code: 0 },
];

/// Images and hosts.
const JOBS: [(u32, u32); 5] = [(2, 1), (3, 1), (4, 2), (5, 3), (8, 2)];

fn event_waits() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| Program::fortran("faults/event_waits").with("victim").build())
}

fn run(images: u32, hosts: u32, arguments: [&str; 3]) -> Run {
    Run::new(event_waits()).images(images).virtual_hosts(hosts).args(arguments).limit(LIMIT)
}

/// Checks that every image but the second continues after its wait.
fn all_continue(images: u32, hosts: u32, end: End, others: &str) {
    let outcome = run(images, hosts, [end.how, "stat", others]).finish();
    let lines: Vec<String> =
        (1..=images).filter(|&me| me != 2).map(|me| format!("went on: {me}")).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    outcome.exited_with(end.code).stdout_lines(&lines);
}

#[test]
#[serial]
fn event_waits_of_all_images_that_are_left_end_with_a_status() {
    for (images, hosts) in JOBS {
        for end in ENDS {
            all_continue(images, hosts, end, "event");
            all_continue(images, hosts, end, "ring");
        }
    }
}

#[test]
#[serial]
fn event_waits_of_all_images_that_are_left_end_the_job_without_stat() {
    for (images, hosts) in JOBS {
        for End { how, code } in ENDS {
            let outcome = run(images, hosts, [how, "plain", "event"]).finish();
            // The signal that killed image 2 has precedence over the error termination that follows from it.
            outcome.exited_with(code.max(1)).stdout_is("");
            let does = if ["exit", "stop"].contains(&how) { "has stopped" } else { "has failed" };
            let words =
                ["event wait for ", ": no image is left that could post the event: image 2", does];
            outcome.stderr_line_with(&words);
        }
    }
}

#[test]
#[serial]
fn an_event_post_to_an_image_that_has_stopped_is_an_error() {
    for (images, hosts) in JOBS {
        all_continue(images, hosts, End { how: "stop", code: 0 }, "post");
        let outcome = run(images, hosts, ["stop", "plain", "post"]).finish();
        outcome.exited_with(1).stdout_is("");
        outcome.stderr_line_with(&["event post to ready[2]: image 2 has stopped"]);
    }
}

/// The other images wait for the image that waits for the event, each in a different operation.
#[test]
#[serial]
fn an_event_wait_ends_when_the_others_wait_for_its_image() {
    for others in ["sync-images", "lock", "sync-team", "co-sum", "large", "sync-all"] {
        for (images, hosts) in [(3, 1), (4, 2), (6, 3)] {
            all_continue(images, hosts, KILL, others);
            all_continue(images, hosts, FAIL, others);
        }
    }
}

#[test]
#[serial]
fn an_event_wait_continues_while_an_image_runs_that_could_post() {
    let program = Program::fortran("faults/event_patience").with("victim").build();
    for hosts in [1, 2, 3] {
        let outcome = Run::new(&program).images(4).virtual_hosts(hosts).limit(LIMIT).finish();
        outcome.succeeded().stdout_lines(&["went on: 1", "went on: 3", "went on: 4"]);
    }
}

/// The others wait for the waiting image in an operation in the background.
#[test]
#[serial]
fn a_wait_ends_beside_operations_in_the_background() {
    let program = Program::c("event_beside_begun").build();
    for (images, hosts) in [(3, 1), (4, 1), (8, 1), (3, 2), (4, 2), (8, 3)] {
        let run = Run::new(&program).images(images).virtual_hosts(hosts);
        run.limit(LIMIT).finish().succeeded().silent();
    }
}
