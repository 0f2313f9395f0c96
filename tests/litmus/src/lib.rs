//! The code that the litmus tests of this directory model: each function is one thread of such a test, made of what the library
//! uses. The test `litmus` compiles this file for AArch64 and compares the instructions.

use xmp_shm::sync::{
    AtomicU32, AtomicU64, Ordering, fence, fence_after_rmw, segment_fence, store_then_fence,
};
use xmp_shm::transport::{AtomicOp, Width, fetch_word};
use xmp_shm::wait::Doorbell;

/// A sender stores data and notifies.
#[unsafe(no_mangle)]
pub fn notify(data: &mut u64, epoch: &AtomicU64, doorbell: &Doorbell) {
    *data = 1;
    store_then_fence(epoch, 1);
    doorbell.ring_if_parked();
}

/// An image looks for a notification, and then at the data.
///
/// # Safety
/// No image writes the data after the notification.
#[unsafe(no_mangle)]
pub unsafe fn acquire(data: *const u64, epoch: &AtomicU64) -> u64 {
    // SAFETY: the contract of this function.
    if epoch.load(Ordering::Acquire) == 1 { unsafe { data.read() } } else { 2 }
}

/// An image is about to sleep.
#[unsafe(no_mangle)]
pub fn sleep(value: &AtomicU64, doorbell: &Doorbell) {
    doorbell.park(None, None, || value.load(Ordering::Acquire) == 1, |sleep| sleep());
}

/// An image posts an event.
///
/// # Safety
/// The event is 8 aligned bytes that are accessed atomically.
#[unsafe(no_mangle)]
pub unsafe fn post(event: *mut u8, doorbell: &Doorbell) {
    // SAFETY: the contract of this function.
    unsafe { fetch_word(AtomicOp::Add, event, Width::W8, 1) };
    fence_after_rmw();
    doorbell.ring_if_parked();
}

/// The first of three images with flags that order nothing by themselves.
#[unsafe(no_mangle)]
pub fn segment_first(data: &mut u64, flag: &AtomicU64) {
    *data = 1;
    segment_fence();
    flag.store(1, Ordering::Relaxed);
}

/// The second one.
#[unsafe(no_mangle)]
pub fn segment_second(first: &AtomicU64, second: &AtomicU64) {
    if first.load(Ordering::Relaxed) == 1 {
        segment_fence();
        second.store(1, Ordering::Relaxed);
    }
}

/// The third one.
///
/// # Safety
/// As [`acquire`].
#[unsafe(no_mangle)]
pub unsafe fn segment_third(data: *const u64, flag: &AtomicU64) -> u64 {
    if flag.load(Ordering::Relaxed) != 1 {
        return 2;
    }
    segment_fence();
    // SAFETY: the contract of this function.
    unsafe { data.read() }
}

/// A member arrives at a central barrier (`coll_area/barrier.rs`).
#[unsafe(no_mangle)]
pub fn arrive(data: &mut u64, count: &AtomicU64) -> u64 {
    *data = 1;
    count.fetch_add(1, Ordering::AcqRel)
}

/// The last member arrives, and releases the others.
#[unsafe(no_mangle)]
pub fn arrive_last(count: &AtomicU64, release: &AtomicU64) {
    if count.fetch_add(1, Ordering::AcqRel) == 1 {
        store_then_fence(release, 1);
    }
}

/// An image writes an entry of its call log, or a refusal (`failure/calls/entry.rs`, `failure/refusals.rs`).
#[unsafe(no_mangle)]
pub fn write_log(key: &AtomicU64, word: &AtomicU64) {
    key.store(0, Ordering::Relaxed);
    fence(Ordering::Release);
    word.store(2, Ordering::Relaxed);
    key.store(3, Ordering::Release);
}

/// Another image reads it.
#[unsafe(no_mangle)]
pub fn read_log(key: &AtomicU64, word: &AtomicU64) -> [u64; 3] {
    // SAFETY: words that are accessed atomically.
    [key, word, key]
        .map(|it| unsafe { fetch_word(AtomicOp::Load, it.as_ptr().cast(), Width::W8, 0) })
}

/// An image keeps lines of another one's memory (`endpoint/segment_order.rs`, with `job::Duties::add_lines`).
#[unsafe(no_mangle)]
pub fn keep_lines(duties: &AtomicU32, value: &AtomicU64) -> u64 {
    duties.fetch_or(2, Ordering::Relaxed);
    fence(Ordering::SeqCst);
    value.load(Ordering::Relaxed)
}
