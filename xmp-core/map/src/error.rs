//! Errors of the runtime, in the words of its users, and the `stat` values that they map to.

mod kind;
mod system;

pub use kind::ErrorKind;
pub use system::SystemError;

use crate::counted::counted;
use crate::rank::Rank;
use crate::size::Size;
use std::io;

/// A result of the runtime.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A result on fast paths. An [`Error`] has 80 bytes: a function that passes one on copies them, also without an error, and waits
/// for the stores of what it copies.
pub type BoxedResult<T> = std::result::Result<T, Box<Error>>;

impl From<Box<Error>> for Error {
    #[cold]
    fn from(error: Box<Error>) -> Error {
        *error
    }
}

/// An error of an operation. The text names the wrong value; the front end adds operation and image. Programs that decide by
/// an error look at its [`kind`](Error::kind): later versions may add variants.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An image that the operation needs has begun normal termination (STAT_STOPPED_IMAGE).
    #[error("{0} has stopped")]
    StoppedImage(Rank),
    /// An image that the operation needs has failed (STAT_FAILED_IMAGE).
    #[error("{0} has failed")]
    FailedImage(Rank),
    /// A wait that only another running image could end, with no such image left. (EVENT WAIT has a processor-dependent
    /// status then: Fortran 2018, 11.6.11.)
    #[error("no image is left that could {what}: {why}")]
    NoImageLeft {
        /// What is waited for, as in "post the event".
        what: String,
        /// The state of the other images.
        why: String,
        /// Whether one of them has failed.
        failed: bool,
    },
    /// The job is in error termination: this image must end, quietly.
    #[error("the job is ending")]
    JobEnding,
    /// An image index outside the executing set.
    #[error("image index {index} is not in 1:{images}")]
    ImageIndex {
        /// The index that the program passed.
        index: i64,
        /// The number of images of the set in which the index was searched.
        images: usize,
    },
    /// An image index given twice where each may be given once.
    #[error("image index {0} is given more than once")]
    RepeatedImage(i64),
    /// Bytes outside the object that they must be in.
    #[error("bytes {from} to {} are not within the coarray of {}", .to.saturating_sub(1), counted(.size, "byte"))]
    OutOfBounds {
        /// First byte touched, relative to the start of the object.
        from: i64,
        /// One past the last byte touched.
        to: i64,
        /// Size of the object in bytes.
        size: u64,
    },
    /// The symmetric, non-symmetric or teams heap, or the machine, has no room.
    #[error("{}", out_of_memory(.heap, *.requested, *.available, .remedy))]
    OutOfMemory {
        /// What the memory is for, or whose it is: `memory for coarrays`, `machine's memory`.
        heap: &'static str,
        /// Bytes requested.
        requested: u64,
        /// Bytes that were available; 0 where that is not known.
        available: u64,
        /// How there is room for more; empty where that is not known.
        remedy: String,
    },
    /// A size that cannot be represented.
    #[error("size overflow: {0}")]
    SizeOverflow(String),
    /// LOCK of a lock that this image holds (STAT_LOCKED).
    #[error("the lock variable is already locked by this image")]
    Locked,
    /// UNLOCK of a lock that another image holds (STAT_LOCKED_OTHER_IMAGE).
    #[error("the lock variable is locked by {0}")]
    LockedOtherImage(Rank),
    /// UNLOCK of a lock that no image holds (STAT_UNLOCKED).
    #[error("the lock variable is not locked")]
    Unlocked,
    /// LOCK of a lock that a failed image held; this image holds it now (STAT_UNLOCKED_FAILED_IMAGE).
    #[error("the lock variable was locked by {0}, which has failed")]
    UnlockedFailedImage(Rank),
    /// A collective operation or image control statement, begun while another thread of the image executes one.
    #[error(
        "another thread of this image executes a collective operation or an image control statement; execute them from one thread at a time"
    )]
    AnotherThread,
    /// A setting with an invalid value.
    #[error("setting {name}: value {value:?} is not {expected}")]
    Setting {
        /// Name of the environment variable.
        name: &'static str,
        /// Its value.
        value: String,
        /// The valid values.
        expected: String,
    },
    /// A team that cannot be formed, or not be used in this way; the text gives the reason.
    #[error("{}: {why}", team_name(.number))]
    Team {
        /// Its number; -1 for the initial team.
        number: i64,
        /// The reason, and the remedy.
        why: String,
    },
    /// Another image cannot do its part in a collective operation, and has reported the reason.
    #[error("{image}: {why}")]
    Refused {
        /// That image.
        image: Rank,
        /// Whether it lacks memory; otherwise one of its arguments is wrong.
        lacks_memory: bool,
        /// Its error.
        why: String,
    },
    /// Another wrong argument; the text names it and gives the reason.
    #[error("{0}")]
    Invalid(String),
    /// The operating system refused.
    #[error("{what}: {message}")]
    System {
        /// What was attempted.
        what: String,
        /// The system's own message, and a hint.
        message: String,
        /// The system's error, if there is one: the `source()` of this one.
        #[source]
        cause: Option<SystemError>,
    },
}

impl Error {
    /// The kind of the error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Error::StoppedImage(_) => ErrorKind::StoppedImage,
            Error::FailedImage(_) | Error::UnlockedFailedImage(_) => ErrorKind::FailedImage,
            Error::NoImageLeft { .. } => ErrorKind::NoImageLeft,
            Error::JobEnding => ErrorKind::JobEnding,
            Error::OutOfMemory { .. }
            | Error::SizeOverflow(_)
            | Error::Refused { lacks_memory: true, .. } => ErrorKind::Memory,
            Error::ImageIndex { .. }
            | Error::RepeatedImage(_)
            | Error::OutOfBounds { .. }
            | Error::Team { .. }
            | Error::Refused { .. }
            | Error::Invalid(_) => ErrorKind::Argument,
            Error::Locked | Error::LockedOtherImage(_) | Error::Unlocked => ErrorKind::Lock,
            Error::AnotherThread => ErrorKind::AnotherThread,
            Error::Setting { .. } => ErrorKind::Setting,
            Error::System { .. } => ErrorKind::System,
        }
    }

    /// Whether a program that gets this error as a status learns that an image has failed.
    pub fn reports_failure(&self) -> bool {
        matches!(
            self,
            Error::FailedImage(_)
                | Error::UnlockedFailedImage(_)
                | Error::NoImageLeft { failed: true, .. }
        )
    }

    /// The error of the last failed system call; `what` names the attempt.
    pub fn last_os(what: impl Into<String>) -> Self {
        Error::os(what, std::io::Error::last_os_error())
    }

    /// An I/O error; `what` names the attempt.
    pub fn os(what: impl Into<String>, error: std::io::Error) -> Self {
        let message = system_message(&error);
        Error::System { what: what.into(), message, cause: Some(error.into()) }
    }

    /// An I/O error with a hint after the system's message; `what` names the attempt.
    pub fn os_with_hint(what: impl Into<String>, error: std::io::Error, hint: &str) -> Self {
        let message = format!("{}{hint}", system_message(&error));
        Error::System { what: what.into(), message, cause: Some(error.into()) }
    }

    /// An attempt that failed for a reason that the operating system does not report.
    pub fn system(what: impl Into<String>, message: impl Into<String>) -> Self {
        Error::System { what: what.into(), message: message.into(), cause: None }
    }

    /// The error of a system call that filters of containers refuse, or that older kernels do not have; `what` names the
    /// attempt.
    pub fn system_call(what: &str, call: &str, error: std::io::Error) -> Self {
        let message = refused_call(call, &error);
        Error::System { what: what.into(), message, cause: Some(error.into()) }
    }

    /// The error of a thread or process that could not be started; `what` names the attempt.
    pub fn no_process(what: impl Into<String>, error: std::io::Error) -> Self {
        let hint = limit_of_processes(&error);
        Error::os_with_hint(what, error, hint)
    }
}

/// The error of a system call, with its probable cause.
pub fn refused_call(call: &str, error: &std::io::Error) -> String {
    let cause = match error.kind() {
        io::ErrorKind::Unsupported | io::ErrorKind::PermissionDenied => {
            " (does a filter of system calls forbid it, as in containers, or is the kernel too old?)"
        }
        _ => "",
    };
    format!("{call}: {}{cause}", system_message(error))
}

/// The limits that may have kept the system from starting a process or thread, for the end of a message.
pub fn limit_of_processes(error: &std::io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::WouldBlock => {
            " (`ulimit -u` and pids.max of the control group limit the number of processes, `ulimit -v` and `ulimit -d` \
             their memory)"
        }
        _ => "",
    }
}

/// The text of an I/O error for users: without the number that Rust appends.
pub fn system_message(error: &std::io::Error) -> String {
    let text = error.to_string();
    match error.raw_os_error() {
        Some(number) => text.trim_end_matches(&format!(" (os error {number})")).to_string(),
        None => text,
    }
}

fn out_of_memory(heap: &str, requested: u64, available: u64, remedy: &str) -> String {
    let requested = Size(requested);
    let left =
        if available == 0 { String::new() } else { format!(", {} are left", Size(available)) };
    let remedy = if remedy.is_empty() { String::new() } else { format!("; {remedy}") };
    format!("out of memory: {requested} requested of the {heap}{left}{remedy}")
}

/// What follows the name of an operation at the beginning of the text of an error, which a message that names the operation leaves out.
/// The name in the text lacks one of these prefixes. `None` where the text begins otherwise.
pub fn after_operation<'a>(operation: &str, prefixes: &[&str], error: &'a str) -> Option<&'a str> {
    let without = |prefix: &&str| error.strip_prefix(operation.strip_prefix(*prefix)?);
    prefixes.iter().find_map(without)
}

/// The name of a team in messages.
pub fn team_name(number: &i64) -> String {
    match number {
        -1 => "the initial team".into(),
        number => format!("team {number}"),
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::{Error, ErrorKind, SystemError};
    use std::error::Error as _;
    use std::io;

    #[test]
    fn an_error_of_the_system_is_the_source_of_the_runtimes_error() {
        let error = Error::os("cannot open x", io::Error::from_raw_os_error(2));
        assert_eq!(error.kind(), ErrorKind::System);
        let source = error.source().expect("the system's error").downcast_ref::<SystemError>();
        assert_eq!(source.map(|error| error.io_error().kind()), Some(io::ErrorKind::NotFound));
        assert_eq!(error, Error::os("cannot open x", io::Error::from_raw_os_error(2)));
        assert_ne!(error, Error::os("cannot open x", io::Error::from_raw_os_error(13)));
        assert!(Error::system("a server", "it has panicked").source().is_none());
    }
}
