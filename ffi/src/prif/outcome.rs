//! The ways in which the outcome of a procedure reaches the program: `stat`, `errmsg` and `errmsg_alloc`, or error termination.

use super::arrays::{AllocatableText, Text};
use crate::process;
use std::cell::Cell;
use std::ffi::c_int;
use xmp_core::{Error, Result};

/// Values of `stat`: those that flang has in its ISO_FORTRAN_ENV, and that the module `prif` defines.
pub mod stat {
    use std::ffi::c_int;
    /// Success.
    pub const OK: c_int = 0;
    /// PRIF_STAT_FAILED_IMAGE.
    pub const FAILED_IMAGE: c_int = 101;
    /// PRIF_STAT_LOCKED.
    pub const LOCKED: c_int = 102;
    /// PRIF_STAT_LOCKED_OTHER_IMAGE.
    pub const LOCKED_OTHER_IMAGE: c_int = 103;
    /// PRIF_STAT_STOPPED_IMAGE.
    pub const STOPPED_IMAGE: c_int = 104;
    /// PRIF_STAT_UNLOCKED.
    pub const UNLOCKED: c_int = 105;
    /// PRIF_STAT_UNLOCKED_FAILED_IMAGE.
    pub const UNLOCKED_FAILED_IMAGE: c_int = 106;
    /// PRIF_STAT_OUT_OF_MEMORY.
    pub const OUT_OF_MEMORY: c_int = 301;
    /// PRIF_STAT_ALREADY_INIT.
    pub const ALREADY_INIT: c_int = 302;
    /// Any other error: a wrong argument mostly.
    pub const OTHER: c_int = 303;
}

/// The `stat` of an error.
fn stat_of(error: &Error) -> c_int {
    match error {
        Error::StoppedImage(_) => stat::STOPPED_IMAGE,
        Error::FailedImage(_) => stat::FAILED_IMAGE,
        Error::UnlockedFailedImage(_) => stat::UNLOCKED_FAILED_IMAGE,
        Error::Locked => stat::LOCKED,
        Error::LockedOtherImage(_) => stat::LOCKED_OTHER_IMAGE,
        Error::Unlocked => stat::UNLOCKED,
        Error::OutOfMemory { .. }
        | Error::SizeOverflow(_)
        | Error::Refused { lacks_memory: true, .. } => stat::OUT_OF_MEMORY,
        _ => stat::OTHER,
    }
}

/// Where a call wants its outcome.
#[derive(Clone, Copy, Debug)]
pub struct Outcome<'a> {
    procedure: &'static str,
    stat: Option<&'a Cell<c_int>>,
    errmsg: Option<&'a Text>,
    errmsg_alloc: Option<&'a AllocatableText>,
}

impl<'a> Outcome<'a> {
    /// The outcome of the procedure with this name, which messages begin with.
    #[inline(always)]
    pub fn of(procedure: &'static str) -> Outcome<'a> {
        Outcome { procedure, stat: None, errmsg: None, errmsg_alloc: None }
    }

    /// The same with `stat`, if it is given.
    #[inline(always)]
    pub fn stat(self, stat: Option<&'a Cell<c_int>>) -> Outcome<'a> {
        Outcome { stat, ..self }
    }

    /// The same with `errmsg`, if it is given.
    #[inline(always)]
    pub fn errmsg(self, errmsg: Option<&'a Text>) -> Outcome<'a> {
        Outcome { errmsg, ..self }
    }

    /// The same with `errmsg_alloc`, if it is given.
    #[inline(always)]
    pub fn errmsg_alloc(self, errmsg_alloc: Option<&'a AllocatableText>) -> Outcome<'a> {
        Outcome { errmsg_alloc, ..self }
    }

    /// The name of the procedure.
    pub fn procedure(&self) -> &'static str {
        self.procedure
    }

    /// Whether the call has `stat`, so that the program goes on after an error.
    pub fn has_stat(&self) -> bool {
        self.stat.is_some()
    }

    /// Delivers `result`. Without `stat` an error ends the job and this does not return.
    #[inline(always)]
    pub fn deliver(&self, result: Result<()>) {
        match result {
            Ok(()) => {
                if let Some(stat) = self.stat {
                    stat.set(stat::OK);
                }
            }
            Err(error) => (*self).deliver_error(&error),
        }
    }

    /// By value, so that a call without an error keeps its arguments where they are.
    #[cold]
    #[inline(never)]
    fn deliver_error(self, error: &Error) {
        let Some(stat) = self.stat else {
            process::run_time_error(self.procedure, error);
        };
        process::recoverable(self.procedure, error);
        stat.set(stat_of(error));
        let text = format!("{}: {error}", self.procedure);
        if let Some(errmsg) = self.errmsg {
            errmsg.set(&text);
            let characters = errmsg.characters();
            process::defined(characters.as_ptr(), characters.len());
        }
        if let Some(errmsg) = self.errmsg_alloc {
            errmsg.set(&text);
        }
    }
}
