//! Atomics and hints, from `std` or, when a protocol is model-checked, from `loom`.
//!
//! Protocol code (`wait`, `board`, `notify`, `failure`) takes its atomics from here and nowhere else.

#[cfg(loom)]
pub use loom::hint::spin_loop;
#[cfg(loom)]
pub use loom::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering, fence};
#[cfg(loom)]
pub use loom::thread::yield_now;
#[cfg(not(loom))]
pub use std::hint::spin_loop;
#[cfg(not(loom))]
pub use std::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering, fence};
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
