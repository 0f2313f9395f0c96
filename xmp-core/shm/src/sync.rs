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
/// one, because the adjacent-line prefetcher of current x86 moves lines in pairs. One library serves all processors of AArch64, among
/// them the A64FX with lines of 256 bytes.
#[repr(C)]
#[cfg_attr(target_arch = "aarch64", repr(align(256)))]
#[cfg_attr(not(target_arch = "aarch64"), repr(align(128)))]
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

/// Requests the cache line at an address, which this image reads soon. A hint: it accesses nothing, so the address may be any.
#[inline(always)]
pub fn prefetch_for_read<T>(address: *const T) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: the hint accesses no memory.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(address.cast());
    }
    #[cfg(all(target_arch = "aarch64", not(miri)))]
    // SAFETY: the hint accesses no memory and changes no register.
    unsafe {
        std::arch::asm!("prfm pldl1keep, [{}]", in(reg) address, options(nostack, preserves_flags, readonly));
    }
    #[cfg(miri)]
    let _ = address;
}

/// Takes the cache line at an address, which this image writes soon, away from the images that have read it. A hint: it
/// accesses nothing, so the address may be any.
#[inline(always)]
pub fn prefetch_for_write<T>(address: *const T) {
    // The compiler makes the intrinsic function a prefetch for reading, unless it builds for new processors only.
    // Older processors of x86-64 ignore the instruction.
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: the instruction accesses no memory and changes no register.
    unsafe {
        std::arch::asm!("prefetchw [{}]", in(reg) address, options(nostack, preserves_flags, readonly));
    }
    #[cfg(all(target_arch = "aarch64", not(miri)))]
    // SAFETY: the hint accesses no memory and changes no register.
    unsafe {
        std::arch::asm!("prfm pstl1keep, [{}]", in(reg) address, options(nostack, preserves_flags, readonly));
    }
    #[cfg(miri)]
    let _ = address;
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

/// Orders the accesses of one segment of a program before those of the next (Fortran 2018, 11.6.2 and 11.6.5), on one
/// host.
///
/// An acquire-release fence is enough; x86-64 executes nothing for it. Images may access a variable in segments that
/// are ordered, or by atomic subroutines. The order of segments comes from an image control statement, whose protocol
/// orders accesses itself, or from atomic subroutines around this fence: the model below. What a full fence adds, a
/// store that is visible before a later load is executed, only atomic subroutines can observe. Those are sequentially
/// consistent operations, and have one order for all images without a fence. Streaming stores end with a fence of
/// their own (`coll_area/stores.rs`).
#[inline(always)]
pub fn segment_fence() {
    fence(Ordering::AcqRel);
}

#[cfg(all(test, loom))]
mod model {
    use super::*;
    use loom::sync::Arc;

    /// The second image has seen the flag of the first, and the third that of the second: it reads what the first
    /// wrote. The flags are weaker here than atomic subroutines, so that the fences alone order the segments.
    #[test]
    fn loom_atomic_flags_and_fences_order_segments_of_three_images() {
        loom::model(|| {
            let words: [Arc<AtomicU64>; 3] = std::array::from_fn(|_| Arc::new(AtomicU64::new(0)));
            let [data, first, second] = &words;
            let (ours, flag) = (data.clone(), first.clone());
            let writer = loom::thread::spawn(move || {
                ours.store(7, Ordering::Relaxed);
                segment_fence();
                flag.store(1, Ordering::Relaxed);
            });
            let (seen, flag) = (first.clone(), second.clone());
            let between = loom::thread::spawn(move || {
                if seen.load(Ordering::Relaxed) == 1 {
                    segment_fence();
                    flag.store(1, Ordering::Relaxed);
                }
            });
            if second.load(Ordering::Relaxed) == 1 {
                segment_fence();
                assert_eq!(data.load(Ordering::Relaxed), 7);
            }
            writer.join().unwrap();
            between.join().unwrap();
        });
    }
}
