//! The ways in which the outcome of an operation reaches the program: `stat=`, `errmsg=`, or error termination.

use crate::process;
use std::cell::Cell;
use std::ffi::c_int;
use xmp_core::Error;

/// Values of `stat=`, as in gfortran's ISO_FORTRAN_ENV.
pub mod stat {
    use std::ffi::c_int;
    /// Success.
    pub const OK: c_int = 0;
    /// STAT_UNLOCKED; gfortran has given it the value of success.
    pub const UNLOCKED: c_int = 0;
    /// STAT_LOCKED.
    pub const LOCKED: c_int = 1;
    /// STAT_LOCKED_OTHER_IMAGE.
    pub const LOCKED_OTHER_IMAGE: c_int = 2;
    /// LIBERROR_ALLOCATION: what gfortran's own ALLOCATE gives when there is no memory.
    pub const ALLOCATION: c_int = 5014;
    /// An image given twice in SYNC IMAGES: the value that OpenCoarrays gives, which programs ask for.
    pub const REPEATED_IMAGE: c_int = 3;
    /// STAT_STOPPED_IMAGE.
    pub const STOPPED_IMAGE: c_int = 6000;
    /// STAT_FAILED_IMAGE.
    pub const FAILED_IMAGE: c_int = 6001;
    /// STAT_UNLOCKED_FAILED_IMAGE, a constant since gfortran 16.
    pub const UNLOCKED_FAILED_IMAGE: c_int = 6002;
    /// Any other error: a processor-dependent positive value.
    pub const OTHER: c_int = 7000;
}

/// The `stat=` of an error.
fn stat_of(error: &Error) -> c_int {
    match error {
        Error::StoppedImage(_) => stat::STOPPED_IMAGE,
        Error::FailedImage(_) => stat::FAILED_IMAGE,
        Error::UnlockedFailedImage(_) => stat::UNLOCKED_FAILED_IMAGE,
        Error::RepeatedImage(_) => stat::REPEATED_IMAGE,
        Error::Locked => stat::LOCKED,
        Error::LockedOtherImage(_) => stat::LOCKED_OTHER_IMAGE,
        Error::Unlocked => stat::UNLOCKED,
        Error::OutOfMemory { .. }
        | Error::SizeOverflow(_)
        | Error::Refused { lacks_memory: true, .. } => stat::ALLOCATION,
        _ => stat::OTHER,
    }
}

/// The characters of an `errmsg=` variable; none where there is no such variable.
pub type ErrMsg<'a> = &'a [Cell<u8>];

/// An error of a statement in the words of its source.
#[derive(Clone, Debug)]
pub struct NamedError {
    /// The operation with the object that it is about, such as `put to u(3)[2]`.
    pub operation: String,
    /// The error.
    pub error: Error,
}

/// Where a statement wants its outcome.
#[derive(Clone, Copy, Debug)]
pub struct Outcome<'a> {
    operation: &'static str,
    stat: Option<&'a Cell<c_int>>,
    errmsg: ErrMsg<'a>,
}

impl<'a> Outcome<'a> {
    /// The outcome of `operation`, which messages name, with `stat=` if it is given.
    #[inline(always)]
    pub fn new(operation: &'static str, stat: Option<&'a Cell<c_int>>) -> Outcome<'a> {
        Outcome { operation, stat, errmsg: &[] }
    }

    /// Adds `errmsg=`.
    #[inline(always)]
    pub fn with_errmsg(self, errmsg: ErrMsg<'a>) -> Outcome<'a> {
        Outcome { errmsg, ..self }
    }

    /// What messages call the statement.
    pub fn operation(&self) -> &'static str {
        self.operation
    }

    /// Whether the statement has `stat=`, so that it goes on after an error.
    #[inline(always)]
    pub fn has_stat(&self) -> bool {
        self.stat.is_some()
    }

    /// Delivers `result`: its value, or after an error that went to `stat=`, `None`.
    ///
    /// Without `stat=` an error ends the job and this does not return.
    #[inline(always)]
    pub fn deliver<T>(&self, result: Result<T, Error>) -> Option<T> {
        match result {
            Ok(value) => {
                set_ok(self.stat);
                Some(value)
            }
            Err(error) => {
                self.deliver_error(&error);
                None
            }
        }
    }

    /// The same; `name` gives the words for an error that ends the job.
    pub fn deliver_named<T>(
        &self,
        result: Result<T, Error>,
        name: impl FnOnce(&Error) -> NamedError,
    ) -> Option<T> {
        match result {
            Err(error) if self.stat.is_none() && error != Error::JobEnding => {
                process::announce_error();
                let NamedError { operation, error } = name(&error);
                process::run_time_error(&operation, &error)
            }
            result => self.deliver(result),
        }
    }

    /// The value of a function, which has no `stat=`: an error of `operation` ends the job.
    #[inline(always)]
    pub fn value<T>(operation: &'static str, result: Result<T, Error>) -> T {
        result.unwrap_or_else(|error| process::run_time_error(operation, &error))
    }

    #[cold]
    #[inline(never)]
    fn deliver_error(&self, error: &Error) {
        let Some(stat) = self.stat else {
            process::run_time_error(self.operation, error);
        };
        process::recoverable(self.operation, error);
        stat.set(stat_of(error));
        let text = format!("{}: {error}", self.operation);
        let padded = text.bytes().chain(std::iter::repeat(b' '));
        self.errmsg.iter().zip(padded).for_each(|(character, byte)| character.set(byte));
        process::defined(self.errmsg.as_ptr().cast(), self.errmsg.len());
    }
}

/// Reports success to `stat=`.
#[inline(always)]
pub fn set_ok(stat: Option<&Cell<c_int>>) {
    if let Some(stat) = stat {
        stat.set(stat::OK);
    }
}
