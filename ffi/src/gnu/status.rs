//! How the outcome of an operation reaches the program: `stat=`, `errmsg=`, or error termination.

use super::types::ErrMsg;
use crate::process;
use std::ffi::c_int;
use xmp_core::{Error, failure};

/// Values of `stat=`, as in gfortran's ISO_FORTRAN_ENV.
pub mod stat {
    use std::ffi::c_int;
    /// Everything is well.
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

/// Where a statement wants its outcome.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// What the statement is called in messages.
    pub operation: &'static str,
    /// `stat=`, or null.
    pub stat: *mut c_int,
    /// `errmsg=` where the compiler passes it correctly; else [`Outcome::NO_ERRMSG`].
    pub errmsg: ErrMsg,
}

impl Outcome {
    /// No `errmsg=`, or one that is not to be touched: gfortran 12 to 15 pass the wrong address in SYNC
    /// statements, and 12 to 16 pass the text itself in some calls of collectives
    /// ([`super::collective`]). Writing there would smash the caller's stack.
    pub const NO_ERRMSG: ErrMsg = ErrMsg { text: std::ptr::null_mut(), len: 0 };

    /// The outcome of `operation` with `stat=` only.
    #[inline(always)]
    pub fn new(operation: &'static str, stat: *mut c_int) -> Outcome {
        Outcome { operation, stat, errmsg: Outcome::NO_ERRMSG }
    }

    /// Delivers `result`: its value, or after an error that went to `stat=`, `None`.
    ///
    /// Without `stat=` an error ends the job and this does not return.
    ///
    /// # Safety
    /// `stat` is null or valid; `errmsg.text` is null or has `errmsg.len` characters.
    #[inline(always)]
    pub unsafe fn deliver<T>(&self, result: Result<T, Error>) -> Option<T> {
        match result {
            Ok(value) => {
                if !self.stat.is_null() {
                    // SAFETY: the caller's guarantee.
                    unsafe { *self.stat = stat::OK };
                }
                Some(value)
            }
            Err(error) => {
                // SAFETY: the caller's guarantee.
                unsafe { self.deliver_error(&error) };
                None
            }
        }
    }

    /// # Safety
    /// As [`Outcome::deliver`].
    #[cold]
    #[inline(never)]
    unsafe fn deliver_error(&self, error: &Error) {
        if self.stat.is_null() || *error == Error::JobEnding {
            process::run_time_error(self.operation, error);
        }
        if error.tells_of_failure() {
            failure::acknowledge(process::any_thread().image.job());
        }
        // SAFETY: the caller's guarantee.
        unsafe {
            *self.stat = stat_of(error);
            self.write_errmsg(&format!("{}: {error}", self.operation));
        }
    }

    /// # Safety
    /// As [`Outcome::deliver`].
    unsafe fn write_errmsg(&self, text: &str) {
        let ErrMsg { text: target, len } = self.errmsg;
        if target.is_null() {
            return;
        }
        let copied = text.len().min(len);
        // SAFETY: the caller's guarantee: `len` characters.
        unsafe {
            std::ptr::copy_nonoverlapping(text.as_ptr(), target.cast(), copied);
            std::ptr::write_bytes(target.add(copied), b' ', len - copied);
        }
    }
}
