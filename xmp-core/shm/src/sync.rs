//! Atomics and hints, from `std` or, when a protocol is model-checked, from `loom`.
//!
//! Protocol code (`wait`, `coll_area`, `notify`, `failure`) takes its atomics from this module only.

#[cfg(loom)]
pub use loom::hint::spin_loop;
#[cfg(loom)]
pub use loom::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};
#[cfg(loom)]
pub use loom::sync::{Condvar, Mutex, MutexGuard};
#[cfg(loom)]
pub use loom::thread::yield_now;
#[cfg(not(loom))]
pub use std::hint::spin_loop;
#[cfg(not(loom))]
pub use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};
#[cfg(not(loom))]
pub use std::sync::{Condvar, Mutex, MutexGuard};
#[cfg(not(loom))]
pub use std::thread::yield_now;

/// Two cache lines: keeps a value that one image writes away from values that others write. Two, not
/// one, because the adjacent-line prefetcher of current x86 moves lines in pairs.
#[repr(C, align(128))]
#[derive(Debug, Default)]
pub struct Padded<T>(pub T);

impl<T> std::ops::Deref for Padded<T> {
    type Target = T;
    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}

/// Stores `value` with release order, then executes a sequentially consistent fence: the notifier's half of every
/// "write, then check for sleeping images" (`wait/README.md`).
///
/// On x86-64 a locked exchange does both at a third of the price of a store and `mfence`: locked instructions are full
/// barriers there (Intel SDM 3A 9.2.3, AMD APM 2 7.4.2), and the compiler may not move accesses across a sequentially
/// consistent read-modify-write in either of the two uses.
#[inline(always)]
pub fn store_then_fence(word: &AtomicU64, value: u64) {
    if cfg!(all(target_arch = "x86_64", not(loom))) {
        word.swap(value, Ordering::SeqCst);
        std::sync::atomic::compiler_fence(std::sync::atomic::Ordering::SeqCst);
    } else {
        word.store(value, Ordering::Release);
        fence(Ordering::SeqCst);
    }
}

/// A sequentially consistent fence after a read-modify-write of the same thread; on x86-64 the
/// read-modify-write was one already (see [`store_then_fence`]).
#[inline(always)]
pub fn fence_after_rmw() {
    if cfg!(all(target_arch = "x86_64", not(loom))) {
        std::sync::atomic::compiler_fence(std::sync::atomic::Ordering::SeqCst);
    } else {
        fence(Ordering::SeqCst);
    }
}
