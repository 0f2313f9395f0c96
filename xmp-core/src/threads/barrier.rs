//! The two sides of the barrier between the first thread and the one that makes the lock shared: `membarrier` of Linux.

use std::sync::atomic::{Ordering, compiler_fence};

/// `linux/membarrier.h`
const PRIVATE_EXPEDITED: libc::c_long = 1 << 3;
const REGISTER_PRIVATE_EXPEDITED: libc::c_long = 1 << 4;

/// Whether the system has the heavy side.
pub fn prepare() -> bool {
    // SAFETY: no memory is passed.
    unsafe { libc::syscall(libc::SYS_membarrier, REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0 }
}

/// Of the first thread: the compiler keeps the order, the heavy side sees to the processor.
#[inline(always)]
pub fn light() {
    compiler_fence(Ordering::SeqCst);
}

/// Of the other thread.
pub fn heavy() {
    // SAFETY: as above. It cannot fail after the registration.
    let done = unsafe { libc::syscall(libc::SYS_membarrier, PRIVATE_EXPEDITED, 0, 0) };
    assert_eq!(done, 0, "membarrier was registered");
}
