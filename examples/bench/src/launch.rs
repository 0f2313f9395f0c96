//! One run of a program: lines as they come, a watchdog between lines, nothing left behind.

use crate::process_tree;
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// Bytes of a run's standard error that are kept: its end, where the message is.
const STDERR_KEPT: usize = 2000;

/// How long standard error may stay open after the end of a program that has failed: somebody else may hold it.
const LAST_WORDS: Duration = Duration::from_secs(10);

/// How a run ended.
#[derive(Debug, PartialEq)]
pub enum Ending {
    /// With exit status 0.
    Success,
    /// It printed nothing for the time allowed and was ended.
    TimedOut,
    /// With another status, or it could not be started: what it said.
    Failed(String),
}

/// Runs the command, hands over each line of its output, and ends it with all its descendants if it
/// stays silent for `silence`.
pub fn run(command: &mut Command, silence: Duration, on_line: impl FnMut(&str)) -> Ending {
    run_within(command, silence, None, on_line)
}

/// As [`run`], and ends it also when it has run for `whole`.
pub fn run_within(
    command: &mut Command,
    silence: Duration,
    whole: Option<Duration>,
    mut on_line: impl FnMut(&str),
) -> Ending {
    let deadline = whole.map(|whole| Instant::now() + whole);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    end_with_parent(command);
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => {
            return Ending::Failed(format!("{}: {error}", command.get_program().display()));
        }
    };
    let stdout = child.stdout.take().expect("stdout is piped");
    let stderr = child.stderr.take().expect("stderr is piped");
    let (sender, lines) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(stdout).split(b'\n').map_while(Result::ok) {
            if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                break;
            }
        }
    });
    let (stderr_sender, stderr_text) = mpsc::channel();
    thread::spawn(move || {
        // The receiver waits a bounded time only, so it may be gone.
        let _ = stderr_sender.send(tail(stderr));
    });

    loop {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        match lines.recv_timeout(left.map_or(silence, |left| left.min(silence))) {
            Ok(line) => on_line(&line),
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                end_and_reap(&mut child);
                return Ending::TimedOut;
            }
        }
    }
    let Some(status) = wait(&mut child, silence) else {
        end_and_reap(&mut child);
        return Ending::TimedOut;
    };
    if status.success() {
        return Ending::Success;
    }
    let said = stderr_text.recv_timeout(LAST_WORDS).unwrap_or_default();
    Ending::Failed(format!("{status}: {}", said.trim()))
}

/// Makes the kernel ask the program to end when this one is killed; launchers then end their ranks.
fn end_with_parent(command: &mut Command) {
    let ask = || {
        // SAFETY: PR_SET_PDEATHSIG takes a number and touches no memory of ours.
        match unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGTERM) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    };
    // SAFETY: between fork and exec only a system call is made: no allocation, no lock.
    unsafe { command.pre_exec(ask) };
}

/// The last bytes of a stream, read to its end.
fn tail(mut stream: impl Read) -> String {
    let mut kept = Vec::new();
    let mut block = [0; 4096];
    while let Ok(count @ 1..) = stream.read(&mut block) {
        kept.extend_from_slice(&block[..count]);
        let excess = kept.len().saturating_sub(STDERR_KEPT);
        kept.drain(..excess);
    }
    String::from_utf8_lossy(&kept).into_owned()
}

/// Waits for the end of a child that has closed its output.
fn wait(child: &mut Child, limit: Duration) -> Option<ExitStatus> {
    let deadline = Instant::now() + limit;
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        if Instant::now() >= deadline {
            return None;
        }
        thread::sleep(Duration::from_millis(2));
    }
}

fn end_and_reap(child: &mut Child) {
    process_tree::end(child.id());
    // Killed above, so this returns; its status says nothing new.
    let _ = child.wait();
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Longer than any of these scripts is silent, even on a busy machine.
    const PATIENCE: Duration = Duration::from_secs(120);

    fn shell(script: &str, silence: Duration) -> (Ending, Vec<String>) {
        let mut lines = Vec::new();
        let ending = run(Command::new("sh").args(["-c", script]), silence, |line| {
            lines.push(line.to_owned());
        });
        (ending, lines)
    }

    #[test]
    fn lines_arrive_and_success_is_told() {
        let (ending, lines) = shell("echo a; echo b", PATIENCE);
        assert_eq!(ending, Ending::Success);
        assert_eq!(lines, ["a", "b"]);
    }

    #[test]
    fn a_failure_carries_status_and_message() {
        let (ending, _) = shell("echo no luck >&2; exit 3", PATIENCE);
        let Ending::Failed(reason) = ending else { panic!("{ending:?}") };
        assert!(reason.contains('3') && reason.contains("no luck"), "{reason}");
    }

    #[test]
    fn silence_ends_the_run_and_keeps_what_came() {
        let (ending, lines) = shell("echo a; sleep 1000", Duration::from_secs(20));
        assert_eq!((ending, lines), (Ending::TimedOut, vec!["a".to_owned()]));
    }

    #[test]
    fn who_talks_for_too_long_is_ended() {
        let mut command = Command::new("sh");
        command.args(["-c", "while sleep 0.1; do echo a; done"]);
        let whole = Duration::from_millis(500);
        assert_eq!(run_within(&mut command, PATIENCE, Some(whole), |_| ()), Ending::TimedOut);
    }

    #[test]
    fn a_missing_program_is_a_failure() {
        let ending = run(&mut Command::new("/no/such/program"), Duration::from_secs(1), |_| ());
        assert!(matches!(ending, Ending::Failed(reason) if reason.contains("/no/such/program")));
    }
}
