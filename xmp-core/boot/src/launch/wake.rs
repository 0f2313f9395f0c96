//! A descriptor by which the launcher's other threads wake its event loop.

use crate::error::{Error, Result};
use rustix::event::{EventfdFlags, eventfd};
use rustix::io::{read, write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// Readable after [`Wake::wake`], until [`Wake::clear`].
#[derive(Debug)]
pub(crate) struct Wake(OwnedFd);

impl Wake {
    pub(crate) fn new() -> Result<Wake> {
        eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK).map(Wake).map_err(|error| {
            Error::system_call("cannot create an event descriptor", "eventfd2", error.into())
        })
    }

    /// Makes the descriptor readable.
    pub(crate) fn wake(&self) {
        // It can only fail when the counter is at its maximum, and then the descriptor is readable.
        let _ = write(&self.0, &1_u64.to_ne_bytes());
    }

    /// Makes it unreadable again.
    pub(crate) fn clear(&self) {
        // It fails at once when there is nothing to read.
        let _ = read(&self.0, &mut [0; size_of::<u64>()]);
    }
}

impl AsFd for Wake {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
