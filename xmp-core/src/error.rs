//! Errors of the runtime, in the words of its users, and the `stat` values that they map to.

use crate::Rank;

/// A result of the runtime.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What can go wrong. The text names the operation's value; the front end adds operation and image.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// An image that the operation needs has begun normal termination (STAT_STOPPED_IMAGE).
    #[error("{0} has stopped")]
    StoppedImage(Rank),
    /// An image that the operation needs has failed (STAT_FAILED_IMAGE).
    #[error("{0} has failed")]
    FailedImage(Rank),
    /// A wait for what only another running image could do. (EVENT WAIT has a processor-dependent status then: Fortran 2018,
    /// 11.6.11.)
    #[error("no image is left that could {what}: {why}")]
    NoImageLeft {
        /// What is waited for, as in "post the event".
        what: String,
        /// What has become of the other images.
        why: String,
        /// Whether one of them has failed.
        failed: bool,
    },
    /// The job is in error termination: this image must end, quietly.
    #[error("the job is ending")]
    JobEnding,
    /// An image index outside the executing set.
    #[error("image index {index} is not in 1..{images}")]
    ImageIndex {
        /// The index as the program gave it.
        index: i64,
        /// The number of images of the set that it was looked up in.
        images: usize,
    },
    /// An image index given twice where each may be given once.
    #[error("image index {0} is given more than once")]
    RepeatedImage(i64),
    /// Bytes outside the object that they should be in.
    #[error("bytes {from}..{to} are not within the coarray of {size} bytes")]
    OutOfBounds {
        /// First byte touched, relative to the start of the object.
        from: i64,
        /// One past the last byte touched.
        to: i64,
        /// Size of the object in bytes.
        size: u64,
    },
    /// The symmetric, non-symmetric or teams heap, or the machine, has no room.
    #[error("out of memory: {requested} bytes requested of the {heap}, {available} available")]
    OutOfMemory {
        /// Which heap, or "machine".
        heap: &'static str,
        /// Bytes asked for.
        requested: u64,
        /// Bytes that could have been had.
        available: u64,
    },
    /// A size that cannot be represented.
    #[error("size overflow: {0}")]
    SizeOverflow(String),
    /// An address that is not within memory that images share.
    #[error("address {0:#x} is not in registered memory")]
    UnmappedAddress(u64),
    /// LOCK of a lock that this image holds (STAT_LOCKED).
    #[error("the lock variable is already locked by this image")]
    Locked,
    /// UNLOCK of a lock that another image holds (STAT_LOCKED_OTHER_IMAGE).
    #[error("the lock variable is locked by {0}")]
    LockedOtherImage(Rank),
    /// UNLOCK of a lock that nobody holds (STAT_UNLOCKED).
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
    /// A setting with a value that it cannot have.
    #[error("setting {name}: value {value:?} is not {expected}")]
    Setting {
        /// Name of the environment variable.
        name: &'static str,
        /// Its value.
        value: String,
        /// What it should have been.
        expected: String,
    },
    /// A team that cannot be formed, or not be used in this way; the text says why.
    #[error("{}: {why}", team_name(.number))]
    Team {
        /// Its number; -1 for the initial team.
        number: i64,
        /// Why, and what to do.
        why: String,
    },
    /// Another image cannot do its part in an operation that all images of a set execute together, and has said why.
    #[error("{image}: {why}")]
    Refused {
        /// That image.
        image: Rank,
        /// Whether it lacks memory; otherwise an argument is wrong there.
        lacks_memory: bool,
        /// Its error.
        why: String,
    },
    /// An argument that is wrong in another way; the text says which and why.
    #[error("{0}")]
    Invalid(String),
    /// The operating system refused.
    #[error("{what}: {message}")]
    System {
        /// What was attempted.
        what: String,
        /// The system's own message.
        message: String,
    },
}

impl Error {
    /// Whether a program that is given this as a status learns that an image has failed.
    pub fn tells_of_failure(&self) -> bool {
        matches!(
            self,
            Error::FailedImage(_)
                | Error::UnlockedFailedImage(_)
                | Error::NoImageLeft { failed: true, .. }
        )
    }

    /// The error of the last failed system call, with `what` was attempted.
    pub fn last_os(what: impl Into<String>) -> Self {
        Error::os(what, std::io::Error::last_os_error())
    }

    /// An I/O error, with `what` was attempted.
    pub fn os(what: impl Into<String>, error: std::io::Error) -> Self {
        Error::System { what: what.into(), message: system_message(&error) }
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

/// What messages call a team.
pub fn team_name(number: &i64) -> String {
    match number {
        -1 => "the initial team".into(),
        number => format!("team {number}"),
    }
}
