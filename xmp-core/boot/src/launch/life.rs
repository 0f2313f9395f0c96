//! Waits on the robust mutexes that images hold while they live (`failure/README.md`).
//!
//! The kernel marks the futex word of a dead owner and wakes one waiter before it takes the process apart. So a death
//! is noticed within a tenth of a millisecond, however much memory the image had.

use crate::failure::{is_orphaned, life_word};
use crate::job::Job;
use crate::rank::Rank;
use crate::sync::{AtomicU32, Ordering};

/// Images watched by one thread: what one call can wait on, without the word that ends it.
const WORDS: usize = libc::FUTEX_WAITV_MAX as usize - 1;

/// Ends the watching threads when dropped.
pub(super) struct Stop<'a>(pub(super) &'a AtomicU32);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        stop(self.0);
    }
}

/// Ends the watching threads by setting their `stop` word.
pub(crate) fn stop(word: &AtomicU32) {
    // Release is more than needed: the threads only read what they own or what is atomic.
    word.store(1, Ordering::Release);
    // SAFETY: FUTEX_WAKE uses the address as a key only.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, i32::MAX) };
}

/// Groups of images, each of which one thread can watch.
pub(crate) fn groups(images: &[Rank]) -> impl Iterator<Item = &[Rank]> {
    images.chunks(WORDS)
}

/// Calls `died` for each of these images, of one group, whose mutex loses its owner, until `stop` is set.
pub(crate) fn watch(job: &Job, images: &[Rank], stop: &AtomicU32, died: impl Fn(Rank)) {
    let mut living = images.to_vec();
    while !living.is_empty() && stop.load(Ordering::Acquire) == 0 {
        let mut words = vec![entry(stop, 0)];
        living.retain(|&rank| {
            let word = life_word(job.entry(rank));
            // Acquire: what the image wrote before it died is visible to the thread that notices the death.
            let value = word.load(Ordering::Acquire);
            if is_orphaned(value) {
                died(rank);
                return false;
            }
            words.push(entry(word, value));
            true
        });
        if !wait_any(&words) {
            return;
        }
    }
}

fn entry(word: &AtomicU32, expected: u32) -> libc::futex_waitv {
    // SAFETY: all-zero is a valid value; its reserved field has to be zero.
    let mut entry: libc::futex_waitv = unsafe { std::mem::zeroed() };
    entry.val = expected.into();
    entry.uaddr = word.as_ptr() as u64;
    entry.flags = libc::FUTEX2_SIZE_U32 as u32;
    entry
}

/// Sleeps until one of the words is woken or differs from its expected value. False when the kernel cannot wait on
/// several words.
fn wait_any(words: &[libc::futex_waitv]) -> bool {
    // SAFETY: the entries name words that outlive the call, which only reads them; no timeout.
    let result = unsafe {
        libc::syscall(
            libc::SYS_futex_waitv,
            words.as_ptr(),
            words.len() as libc::c_uint,
            0,
            std::ptr::null::<libc::timespec>(),
            0,
        )
    };
    let error = std::io::Error::last_os_error();
    match error.raw_os_error() {
        // A word has changed already, or a signal came: look again.
        _ if result >= 0 => true,
        Some(libc::EAGAIN | libc::EINTR) => true,
        _ => {
            tracing::warn!(%error, "cannot wait on several futexes: deaths are noticed later");
            false
        }
    }
}
