//! Signals that the launcher is sent.

use crate::harness::{Running, is_stopped, script_command, soon, xmprun};
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Reports a signal each time it comes, waits for the first, and a moment longer for one more.
fn reporting(signal: &str) -> String {
    format!(
        "trap 'echo got {signal}; got=1' {signal}; echo up; \
         while [ -z \"$got\" ]; do sleep 0.1; done; sleep 0.2"
    )
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

/// Schedulers signal all processes of a job, whatever these are doing.
#[test]
fn a_question_before_there_are_images_does_not_end_xmprun() {
    let place = tempfile::tempdir().unwrap();
    let hosts = place.path().join("hosts");
    assert!(Command::new("mkfifo").arg(&hosts).status().unwrap().success());
    let mut command = xmprun(&["-q", "--hostfile", hosts.to_str().unwrap(), "echo", "done"]);
    let job = command.stdout(Stdio::piped()).spawn().unwrap();
    // It waits for the names of its hosts when this returns.
    let mut names = OpenOptions::new().write(true).open(&hosts).unwrap();
    for _ in 0..3 {
        // SAFETY: a process that was not waited for.
        assert_eq!(unsafe { libc::kill(job.id() as i32, libc::SIGUSR1) }, 0);
    }
    // One that it has ended does not read them.
    let _ = names.write_all(b"localhost:1\n");
    drop(names);
    let output = job.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(output.stdout, b"done\n");
}

#[test]
fn images_that_die_of_a_request_are_no_failures() {
    let (job, _) = Running::start(script_command(3, "echo up; exec sleep 1000"), 3);
    job.signal(libc::SIGTERM);
    assert_eq!(job.finish().0, Some(128 + libc::SIGTERM));
}

#[test]
fn a_second_request_ends_what_ignores_the_first() {
    let mut command = script_command(2, "trap '' TERM INT; echo up; sleep 1000");
    command.env("XMP_KILL_GRACE", "200");
    let (mut job, _) = Running::start(command, 2);
    // Two that come close together are one request, and a launcher that is not running gets one of them.
    while job.runs() {
        job.signal(libc::SIGINT);
        std::thread::sleep(Duration::from_millis(400));
    }
    assert_eq!(job.finish().0, Some(128 + libc::SIGINT));
}

#[test]
fn images_are_stopped_and_continued_with_the_launcher() {
    // Without a child process: a shell whose child is stopped between fork and exec waits instead of stopping. Until
    // a line can be read that comes last.
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("last");
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    let mut pipe = OpenOptions::new().read(true).write(true).open(&path).unwrap();
    let mut command = script_command(2, &format!("echo $$; read _ <{}", path.display()));
    // The system ignores SIGTSTP in a group of processes that no process of the session could continue, such as that
    // of a test run without a terminal.
    command.process_group(0);
    let (job, images) = Running::start(command, 2);
    job.signal(libc::SIGTSTP);
    assert!(soon(|| images.iter().all(|pid| is_stopped(pid))));
    // It stops last, and would not notice that it was to go on before that.
    assert!(soon(|| is_stopped(&job.pid())));
    job.signal(libc::SIGCONT);
    pipe.write_all(b"\n\n").unwrap();
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
