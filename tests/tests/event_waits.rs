//! EVENT WAIT when an image ends without the post: it ends when no image is left that could post, and not before.

use serial_test::serial;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;
use xmp_tests::{Program, Run};

/// How long a wait that has no end may hold a test up.
const LIMIT: Duration = Duration::from_secs(120);

/// Ways for image 2 to end, with the exit status of a job that goes on without it.
const ENDS: [(&str, i32); 6] = [
    ("kill", 128 + libc::SIGKILL),
    ("segv", 128 + libc::SIGSEGV),
    ("abort", 128 + libc::SIGABRT),
    ("exit", 0),
    ("fail", 0),
    ("stop", 0),
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

/// Every image but the second goes on.
fn all_go_on(images: u32, hosts: u32, (how, code): (&str, i32), others: &str) {
    let outcome = run(images, hosts, [how, "stat", others]).finish();
    let lines: Vec<String> =
        (1..=images).filter(|&me| me != 2).map(|me| format!("went on: {me}")).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    outcome.exited_with(code).stdout_lines(&lines);
}

#[test]
#[serial]
fn event_waits_of_all_images_that_are_left_end_with_a_status() {
    for (images, hosts) in JOBS {
        for end in ENDS {
            all_go_on(images, hosts, end, "event");
            all_go_on(images, hosts, end, "ring");
        }
    }
}

#[test]
#[serial]
fn event_waits_of_all_images_that_are_left_end_the_job_without_stat() {
    for (images, hosts) in JOBS {
        for (how, code) in ENDS {
            let outcome = run(images, hosts, [how, "plain", "event"]).finish();
            // A death has precedence over the error termination that it leads to.
            outcome.exited_with(code.max(1)).stdout_is("");
            let does = if ["exit", "stop"].contains(&how) { "has stopped" } else { "has failed" };
            let words = ["event wait: no image is left that could post the event: image 2", does];
            outcome.stderr_line_with(&words);
        }
    }
}

/// The other images wait for the one that waits for the event, each in its way.
#[test]
#[serial]
fn an_event_wait_ends_when_the_others_wait_for_its_image() {
    for others in ["sync-images", "lock", "sync-team", "co-sum", "large", "sync-all"] {
        for (images, hosts) in [(3, 1), (4, 2), (6, 3)] {
            all_go_on(images, hosts, ("kill", 128 + libc::SIGKILL), others);
            all_go_on(images, hosts, ("fail", 0), others);
        }
    }
}

#[test]
#[serial]
fn an_event_wait_goes_on_while_an_image_runs_that_could_post() {
    let program = Program::fortran("faults/event_patience").with("victim").build();
    for hosts in [1, 2, 3] {
        let outcome = Run::new(&program).images(4).virtual_hosts(hosts).limit(LIMIT).finish();
        outcome.succeeded().stdout_lines(&["went on: 1", "went on: 3", "went on: 4"]);
    }
}
