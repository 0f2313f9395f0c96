//! The launcher's own output, to its standard output and standard error.

use std::io::{self, ErrorKind};
use xmp_core::launch::UNREAD_STATUS;
use xmp_core::{Error, Result};

/// The exit status after a write: `status`, or [`UNREAD_STATUS`] if the output has no reader any more (`xmprun --info | head`).
///
/// # Errors
/// When the write has failed otherwise.
pub fn status_after(written: io::Result<()>, status: i32) -> Result<i32> {
    match written {
        Ok(()) => Ok(status),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(UNREAD_STATUS),
        Err(error) => Err(Error::os("cannot write to standard output", error)),
    }
}

/// The exit status after a write that has failed.
pub fn status_after_error(error: &io::Error) -> i32 {
    match error.kind() {
        ErrorKind::BrokenPipe => UNREAD_STATUS,
        _ => 1,
    }
}
