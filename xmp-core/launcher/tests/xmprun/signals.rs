//! Signals that the launcher is sent.

use crate::harness::{Running, script_command};
use std::os::unix::process::CommandExt;
use std::time::Duration;

/// Reports a signal once, and ends when its work is done.
fn reporting(signal: &str) -> String {
    format!("trap 'echo got {signal}' {signal}; echo up; for i in 1 2 3 4 5 6; do sleep 0.1; done")
}

#[test]
fn signals_reach_each_image_once() {
    for (number, name) in [
        (libc::SIGTERM, "TERM"),
        (libc::SIGHUP, "HUP"),
        (libc::SIGUSR1, "USR1"),
        (libc::SIGUSR2, "USR2"),
    ] {
        let (job, _) = Running::start(script_command(3, &reporting(name)), 3);
        job.signal(number);
        let (status, rest) = job.finish();
        assert_eq!(status, Some(0), "{name}");
        assert_eq!(rest, format!("got {name}\n").repeat(3));
    }
}

#[test]
fn images_that_die_of_a_request_are_no_failures() {
    let (job, _) = Running::start(script_command(3, "echo up; exec sleep 60"), 3);
    job.signal(libc::SIGTERM);
    assert_eq!(job.finish().0, Some(128 + libc::SIGTERM));
}

#[test]
fn a_second_request_ends_what_ignores_the_first() {
    let mut command = script_command(2, "trap '' TERM INT; echo up; sleep 60");
    command.env("XMP_KILL_GRACE", "200");
    let (job, _) = Running::start(command, 2);
    job.signal(libc::SIGINT);
    std::thread::sleep(Duration::from_millis(400));
    job.signal(libc::SIGINT);
    assert_eq!(job.finish().0, Some(128 + libc::SIGINT));
}

#[test]
fn images_are_stopped_and_continued_with_the_launcher() {
    // Without a child process: a shell whose child is stopped between fork and exec waits instead of stopping.
    let mut command = script_command(2, "echo $$; exec sleep 2");
    // The system ignores SIGTSTP in a group of processes that nobody of the session could continue, such as that
    // of a test run without a terminal.
    command.process_group(0);
    let (job, lines) = Running::start(command, 2);
    let stopped = |pid: &String| {
        std::fs::read_to_string(format!("/proc/{pid}/stat"))
            .is_ok_and(|stat| stat.rsplit_once(')').unwrap().1.starts_with(" T"))
    };
    job.signal(libc::SIGTSTP);
    assert!(crate::harness::within(Duration::from_secs(5), || lines.iter().all(stopped)));
    job.signal(libc::SIGCONT);
    assert_eq!(job.finish(), (Some(0), String::new()));
}

#[test]
fn images_start_with_the_signals_that_the_launcher_was_given() {
    let (job, lines) =
        Running::start(script_command(1, "grep -E 'Sig(Blk|Ign)' /proc/self/status"), 2);
    assert_eq!(job.finish().0, Some(0));
    // Nothing blocked, nothing ignored: as this test was started, and not as the launcher lives.
    let own = std::fs::read_to_string("/proc/thread-self/status").unwrap();
    let blocked = own.lines().find(|line| line.starts_with("SigBlk")).unwrap();
    assert!(lines.contains(&blocked.to_string()), "{lines:?}");
    let ignored = lines.iter().find(|line| line.starts_with("SigIgn")).unwrap();
    let mask = u64::from_str_radix(ignored.split_whitespace().nth(1).unwrap(), 16).unwrap();
    assert_eq!(mask & 1 << (libc::SIGPIPE - 1), 0);
}
