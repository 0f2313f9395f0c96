//! A descriptor by which the launcher's other threads wake its event loop.

use crate::error::{Error, Result};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

/// Readable after [`Wake::wake`], until [`Wake::clear`].
#[derive(Debug)]
pub(crate) struct Wake(OwnedFd);

impl Wake {
    pub(crate) fn new() -> Result<Wake> {
        // SAFETY: returns a new descriptor or -1.
        let fd = unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) };
        if fd < 0 {
            return Err(Error::last_os("cannot create an event descriptor"));
        }
        // SAFETY: new, with no other owner.
        Ok(Wake(unsafe { OwnedFd::from_raw_fd(fd) }))
    }

    /// Makes the descriptor readable.
    pub(crate) fn wake(&self) {
        // SAFETY: eight bytes are read from a live value. It can only fail when the counter is at its
        // maximum, and then the descriptor is readable.
        unsafe { libc::write(self.0.as_raw_fd(), (&raw const ONE).cast(), 8) };
    }

    /// Makes it unreadable again.
    pub(crate) fn clear(&self) {
        let mut count = 0u64;
        // SAFETY: eight bytes are written to a live value; when there is nothing to read, it fails at
        // once.
        unsafe { libc::read(self.0.as_raw_fd(), (&raw mut count).cast(), 8) };
    }
}

static ONE: u64 = 1;

impl AsFd for Wake {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
