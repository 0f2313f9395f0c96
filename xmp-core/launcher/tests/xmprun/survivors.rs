//! Nothing survives a job.

use crate::harness::{Running, is_gone, run_script, script_command, status, text, within};
use std::time::Duration;

fn all_gone(pids: &[String]) -> bool {
    assert!(!pids.is_empty());
    within(Duration::from_secs(5), || pids.iter().all(|pid| is_gone(pid)))
}

#[test]
fn images_die_with_a_killed_launcher() {
    let (job, pids) = Running::start(script_command(4, "echo $$; exec sleep 60"), 4);
    job.signal(libc::SIGKILL);
    assert_eq!(job.finish().0, None);
    assert!(all_gone(&pids), "{pids:?}");
}

#[test]
fn what_images_leave_behind_dies_with_the_job() {
    let output = run_script(
        2,
        "sleep 60 >/dev/null 2>&1 & echo $!; setsid sh -c 'echo $$; exec sleep 60 2>/dev/null' & sleep 0.3",
    );
    assert_eq!(status(&output), 0);
    let pids: Vec<String> = text(&output.stdout).lines().map(String::from).collect();
    assert_eq!(pids.len(), 4);
    assert!(all_gone(&pids), "{pids:?}");
}

#[test]
fn an_unstartable_job_leaves_nothing() {
    // More images than there is address space for: refused before anything is started.
    let output =
        script_command(2, "echo started").env("XMP_SEGMENT_SIZE", "100T").output().unwrap();
    assert_eq!(status(&output), 2);
    assert!(output.stdout.is_empty(), "{output:?}");
}

#[test]
fn ended_jobs_leave_no_image() {
    let output = run_script(3, "echo $$; [ $IMAGE = 1 ] && { sleep 0.2; exit 4; }; exec sleep 60");
    assert_eq!(status(&output), 4);
    let pids: Vec<String> = text(&output.stdout).lines().map(String::from).collect();
    assert_eq!(pids.len(), 3);
    assert!(all_gone(&pids), "{pids:?}");
}
