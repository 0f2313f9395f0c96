//! One run of a program: lines as they come, a watchdog between lines, nothing left behind.

use crate::process_tree;
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// Bytes of a run's standard error that are kept: its end, where the message is.
const STDERR_KEPT: usize = 2000;

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

/// How long a run may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Time without a line of output after which the run is ended. A program that has closed its output has the same
    /// time to exit.
    pub silence: Duration,
    /// Time after which the run is ended, whatever it prints.
    pub whole: Option<Duration>,
}

/// Starts programs. Tests of what is done with the outcome replace it by one that starts none.
pub trait Launch {
    /// Runs the command, hands each line of its output to `on_line`, and ends it with all its descendants when it
    /// exceeds a limit.
    fn run(
        &mut self,
        command: &mut Command,
        limits: Limits,
        on_line: &mut dyn FnMut(&str),
    ) -> Ending;
}

/// Starts programs as processes of this machine.
pub struct Processes;

impl Launch for Processes {
    fn run(
        &mut self,
        command: &mut Command,
        limits: Limits,
        on_line: &mut dyn FnMut(&str),
    ) -> Ending {
        let deadline = limits.whole.and_then(|whole| Instant::now().checked_add(whole));
        let next_line = |lines: &Lines| {
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            lines.recv_timeout(left.map_or(limits.silence, |left| left.min(limits.silence)))
        };
        run_until(command, next_line, limits.silence, on_line)
    }
}

/// Runs the command and ends it with all its descendants if it is silent for `silence`.
pub fn run(command: &mut Command, silence: Duration, mut on_line: impl FnMut(&str)) -> Ending {
    Processes.run(command, Limits { silence, whole: None }, &mut on_line)
}

/// The lines that a program prints, as they come.
type Lines = Receiver<String>;

/// Runs the command until it ends or `next_line` reports a time-out. A program that has closed its output has
/// `time_to_exit` to end, and its standard error the same time to be closed.
fn run_until(
    command: &mut Command,
    mut next_line: impl FnMut(&Lines) -> Result<String, RecvTimeoutError>,
    time_to_exit: Duration,
    on_line: &mut dyn FnMut(&str),
) -> Ending {
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
        match next_line(&lines) {
            Ok(line) => on_line(&line),
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                end_and_reap(&mut child);
                return Ending::TimedOut;
            }
        }
    }
    let Some(status) = wait(&mut child, time_to_exit) else {
        end_and_reap(&mut child);
        return Ending::TimedOut;
    };
    if status.success() {
        return Ending::Success;
    }
    // Another process may have inherited standard error and hold it open.
    let said = stderr_text.recv_timeout(time_to_exit).unwrap_or_default();
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
    let begun = Instant::now();
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        if begun.elapsed() >= limit {
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

    /// No limit: these programs end by themselves.
    const UNLIMITED: Limits = Limits { silence: Duration::MAX, whole: None };

    fn shell(script: &str, limits: Limits) -> (Ending, Vec<String>) {
        let mut lines = Vec::new();
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        let ending = Processes.run(&mut command, limits, &mut |line| lines.push(line.to_owned()));
        (ending, lines)
    }

    #[test]
    fn lines_arrive_and_success_is_reported() {
        let (ending, lines) = shell("echo a; echo b", UNLIMITED);
        assert_eq!(ending, Ending::Success);
        assert_eq!(lines, ["a", "b"]);
    }

    #[test]
    fn a_failure_carries_status_and_message() {
        let (ending, _) = shell("echo no luck >&2; exit 3", UNLIMITED);
        let Ending::Failed(reason) = ending else { panic!("{ending:?}") };
        assert!(reason.contains('3') && reason.contains("no luck"), "{reason}");
    }

    #[test]
    fn silence_ends_the_run() {
        let limits = Limits { silence: Duration::from_millis(50), whole: None };
        assert_eq!(shell("sleep 1000", limits).0, Ending::TimedOut);
    }

    /// The time-out comes after the first line, however long that takes to arrive.
    #[test]
    fn a_run_that_is_ended_keeps_the_lines_that_arrived() {
        let mut lines = Vec::new();
        let mut is_first = true;
        let next_line = |output: &Lines| {
            if std::mem::take(&mut is_first) {
                output.recv().map_err(|_| RecvTimeoutError::Disconnected)
            } else {
                Err(RecvTimeoutError::Timeout)
            }
        };
        let mut command = Command::new("sh");
        command.args(["-c", "echo a; sleep 1000"]);
        let ending = run_until(&mut command, next_line, Duration::MAX, &mut |line| {
            lines.push(line.to_owned());
        });
        assert_eq!((ending, lines), (Ending::TimedOut, vec!["a".to_owned()]));
    }

    #[test]
    fn a_program_that_prints_for_too_long_is_ended() {
        let limits = Limits { whole: Some(Duration::from_millis(500)), ..UNLIMITED };
        assert_eq!(shell("while sleep 0.1; do echo a; done", limits).0, Ending::TimedOut);
    }

    #[test]
    fn a_missing_program_is_a_failure() {
        let ending = run(&mut Command::new("/no/such/program"), Duration::MAX, |_| ());
        assert!(matches!(ending, Ending::Failed(reason) if reason.contains("/no/such/program")));
    }
}
