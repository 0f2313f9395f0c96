//! Tests that no process survives a job.

use crate::harness::{Running, is_gone, run_script, script_command, soon, status, text};

fn all_gone(pids: &[String]) -> bool {
    assert!(!pids.is_empty());
    soon(|| pids.iter().all(|pid| is_gone(pid)))
}

#[test]
fn images_die_with_a_killed_launcher() {
    let (job, pids) = Running::start(script_command(4, "echo $$; exec sleep 1000"), 4);
    job.signal(libc::SIGKILL);
    assert_eq!(job.finish().0, None);
    assert!(all_gone(&pids), "{pids:?}");
}

#[test]
fn what_images_leave_behind_dies_with_the_job() {
    let output = run_script(
        2,
        "sleep 1000 >/dev/null 2>&1 & echo $!; setsid sh -c 'sleep 1000 >/dev/null 2>&1 & echo $!'",
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
    let script = "echo $$; [ $IMAGE = 1 ] && { read _; exit 4; }; exec sleep 1000";
    let (mut job, pids) = Running::start(script_command(3, script), 3);
    job.close_input();
    assert_eq!(job.finish().0, Some(4));
    assert_eq!(pids.len(), 3);
    assert!(all_gone(&pids), "{pids:?}");
}
