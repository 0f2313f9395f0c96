//! The exit status and the report of the launcher, from the ends of the images.

use super::request::TIMEOUT_STATUS;
use super::scheduler::command_for_more_memory;
use crate::failure::{self, ERROR_STATUS};
use crate::region::{MemoryKills, MemoryShortage};
use std::borrow::Cow;
use std::fmt;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// The end of the process of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// By `exit` with this status.
    Exited(i32),
    /// By this signal.
    Killed(i32),
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            End::Exited(code) => write!(f, "ended with exit status {code} without having stopped"),
            End::Killed(signal) => write!(f, "was killed by signal {}", describe_signal(signal)),
        }
    }
}

impl End {
    /// The text of this end, with the reason if the system has killed the process for lack of memory.
    pub(crate) fn with_reason(self, before: &MemoryKills) -> String {
        let killed = self == End::Killed(libc::SIGKILL);
        let Some(shortage) = killed.then(|| before.reason_since()).flatten() else {
            return self.to_string();
        };
        let more = match (&shortage, command_for_more_memory()) {
            (MemoryShortage::Group(_), Some(command)) => format!("; {command} requests more"),
            _ => String::new(),
        };
        format!("{self}, {shortage}{more}")
    }
}

impl From<ExitStatus> for End {
    fn from(status: ExitStatus) -> End {
        match status.signal() {
            Some(signal) => End::Killed(signal),
            // A status that is no signal has a code. Only stopped processes have neither, and these are not waited for.
            None => End::Exited(status.code().unwrap_or(1)),
        }
    }
}

/// The end of a job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// It ran into its time limit.
    pub(crate) timed_out: bool,
    /// Code of the error termination, if there was one.
    pub(crate) ending: Option<i32>,
    /// The ends of images that died although the launcher did not end them, and that the program was not notified of.
    pub(crate) casualties: Vec<End>,
    /// The ends of all images, in image order.
    pub(crate) ends: Vec<End>,
    /// All processes have ended with status 0, and none has joined the job as an image.
    pub(crate) no_image_joined: bool,
    /// Output of images could not be written.
    pub(crate) output_lost: bool,
}

/// The most informative exit status of an end; `README.md` has the rules.
pub(crate) fn exit_status(outcome: &Outcome) -> i32 {
    if outcome.timed_out {
        return TIMEOUT_STATUS;
    }
    if let Some(status) = most_informative_status(&outcome.casualties) {
        return status;
    }
    let status = match outcome.ending {
        Some(code) => failure::exit_status(code).into(),
        None => most_informative_status(&outcome.ends).unwrap_or(0),
    };
    // The results of the images have not reached the user.
    if status == 0 && outcome.output_lost { ERROR_STATUS } else { status }
}

/// The first code that is not 0, else the first signal + 128.
fn most_informative_status(ends: &[End]) -> Option<i32> {
    let codes = ends.iter().filter_map(|end| match *end {
        End::Exited(code) if code != 0 => Some(code),
        _ => None,
    });
    let signals = ends.iter().filter_map(|end| match *end {
        End::Killed(signal) => Some(128 + signal),
        End::Exited(_) => None,
    });
    codes.chain(signals).next()
}

/// A signal in messages: `9 (SIGKILL)`.
fn describe_signal(number: i32) -> Cow<'static, str> {
    let name = match number {
        libc::SIGHUP => "1 (SIGHUP)",
        libc::SIGINT => "2 (SIGINT)",
        libc::SIGQUIT => "3 (SIGQUIT)",
        libc::SIGILL => "4 (SIGILL)",
        libc::SIGTRAP => "5 (SIGTRAP)",
        libc::SIGABRT => "6 (SIGABRT)",
        libc::SIGBUS => "7 (SIGBUS)",
        libc::SIGFPE => "8 (SIGFPE)",
        libc::SIGKILL => "9 (SIGKILL)",
        libc::SIGUSR1 => "10 (SIGUSR1)",
        libc::SIGSEGV => "11 (SIGSEGV)",
        libc::SIGUSR2 => "12 (SIGUSR2)",
        libc::SIGPIPE => "13 (SIGPIPE)",
        libc::SIGALRM => "14 (SIGALRM)",
        libc::SIGTERM => "15 (SIGTERM)",
        libc::SIGXCPU => "24 (SIGXCPU)",
        libc::SIGXFSZ => "25 (SIGXFSZ)",
        libc::SIGSYS => "31 (SIGSYS)",
        _ => return Cow::Owned(number.to_string()),
    };
    Cow::Borrowed(name)
}

#[cfg(test)]
mod tests {
    use super::End::{Exited, Killed};
    use super::*;

    fn status(ends: &[End]) -> i32 {
        exit_status(&Outcome { ends: ends.to_vec(), ..Outcome::default() })
    }

    #[test]
    fn success_needs_every_image() {
        assert_eq!(status(&[Exited(0), Exited(0)]), 0);
        assert_eq!(status(&[Exited(0), Exited(7), Exited(9)]), 7);
    }

    #[test]
    fn a_code_counts_before_a_signal() {
        assert_eq!(status(&[Killed(15), Exited(3)]), 3);
        assert_eq!(status(&[Exited(0), Killed(9)]), 137);
    }

    #[test]
    fn error_termination_counts_before_other_codes() {
        let outcome = |code| Outcome {
            ending: Some(code),
            ends: vec![Exited(5), Killed(15)],
            ..Outcome::default()
        };
        assert_eq!(exit_status(&outcome(2)), 2);
        assert_eq!(exit_status(&outcome(0)), 0);
        assert_eq!(exit_status(&outcome(256)), 1);
        assert_eq!(exit_status(&outcome(-1)), 255);
    }

    #[test]
    fn the_cause_counts_before_its_consequences() {
        let outcome = Outcome {
            ending: Some(1),
            casualties: vec![Killed(11)],
            ends: vec![Exited(1), Killed(11)],
            ..Outcome::default()
        };
        assert_eq!(exit_status(&outcome), 139);
        assert_eq!(exit_status(&Outcome { timed_out: true, ..outcome.clone() }), 124);
        let silent = Outcome { casualties: vec![Exited(0)], ..outcome };
        assert_eq!(exit_status(&silent), 1);
    }

    #[test]
    fn lost_output_is_no_success() {
        let outcome = |end| Outcome { ends: vec![end], output_lost: true, ..Outcome::default() };
        assert_eq!(exit_status(&outcome(Exited(0))), 1);
        assert_eq!(exit_status(&outcome(Exited(7))), 7);
    }

    #[test]
    fn signals_have_names() {
        assert_eq!(describe_signal(9), "9 (SIGKILL)");
        assert_eq!(describe_signal(34), "34");
    }
}
