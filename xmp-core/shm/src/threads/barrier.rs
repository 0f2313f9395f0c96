//! The two sides of the memory barrier between the first thread and the one that makes the lock shared: `membarrier` of
//! Linux.

use std::sync::atomic::{Ordering, compiler_fence};

/// `linux/membarrier.h`
const PRIVATE_EXPEDITED: libc::c_long = 1 << 3;
const REGISTER_PRIVATE_EXPEDITED: libc::c_long = 1 << 4;

/// Registers this process with `membarrier`. Returns whether the system has the heavy side.
pub fn prepare() -> bool {
    // SAFETY: this command of membarrier accesses no memory of the process.
    unsafe { libc::syscall(libc::SYS_membarrier, REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0 }
}

/// The first thread's side: the compiler keeps the order, the heavy side orders the processor.
#[inline(always)]
pub fn light() {
    compiler_fence(Ordering::SeqCst);
}

/// The other thread's side.
pub fn heavy() {
    // SAFETY: this command of membarrier accesses no memory of the process. It cannot fail after the registration.
    let done = unsafe { libc::syscall(libc::SYS_membarrier, PRIVATE_EXPEDITED, 0, 0) };
    assert_eq!(done, 0, "membarrier was registered");
}
