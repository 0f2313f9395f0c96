//! Descriptors of processes: readable when the process has ended.

use std::io;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};

/// A descriptor of the process with this id, close-on-exec.
///
/// # Errors
/// That of the system: `ESRCH` when there is no such process.
pub(crate) fn open(pid: u32) -> io::Result<OwnedFd> {
    // SAFETY: no pointers; returns a new descriptor or -1.
    let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) } as RawFd;
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: new, with no other owner.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}
