//! The two sides of the memory barrier between the first thread and the one that makes the lock shared: `membarrier` of
//! Linux.

use rustix::thread::{MembarrierCommand, membarrier};
use std::sync::atomic::{Ordering, compiler_fence};

/// Registers this process with `membarrier`. Returns whether the system has the heavy side.
pub fn prepare() -> bool {
    membarrier(MembarrierCommand::RegisterPrivateExpedited).is_ok()
}

/// The first thread's side: the compiler keeps the order, the heavy side orders the processor.
#[inline(always)]
pub fn light() {
    compiler_fence(Ordering::SeqCst);
}

/// The other thread's side.
pub fn heavy() {
    // It cannot fail after the registration.
    membarrier(MembarrierCommand::PrivateExpedited).expect("membarrier was registered");
}
