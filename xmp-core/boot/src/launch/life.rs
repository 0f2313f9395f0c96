//! The fastest failure detector: waits on the robust mutexes that images hold while they live (`failure/README.md`).
//!
//! The kernel marks the futex word of a dead owner and wakes one waiter before it takes the process apart. So a death
//! is noticed within a tenth of a millisecond, however much memory the image had.

use crate::failure::{is_orphaned, life_word};
use crate::job::Job;
use crate::rank::Rank;
use crate::sync::{AtomicU32, Ordering};
use rustix::io::Errno;
use rustix::thread::futex::{self, ClockId, Timespec};

/// The most images that one thread watches: the most words of one call, without the word that ends it.
const WORDS: usize = libc::FUTEX_WAITV_MAX as usize - 1;

/// The interval at which the words are read where the kernel cannot wait on several of them.
const POLL_INTERVAL: Timespec = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };

/// Ends the watching threads when dropped.
pub(super) struct Stop<'a>(pub(super) &'a AtomicU32);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        stop(self.0);
    }
}

/// Ends the watching threads by setting their `stop` word.
pub(crate) fn stop(word: &AtomicU32) {
    // Release is more than needed: the threads only read their own data and atomic words.
    word.store(1, Ordering::Release);
    // Without waiting threads it wakes none.
    let _ = futex::wake(word, futex::Flags::empty(), i32::MAX as u32);
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
            // Acquire: the writes of the image before it died are visible to the thread that notices the death.
            let value = word.load(Ordering::Acquire);
            if is_orphaned(value) {
                died(rank);
                return false;
            }
            words.push(entry(word, value));
            true
        });
        wait_any(&words, stop);
    }
}

fn entry(word: &AtomicU32, expected: u32) -> futex::Wait {
    let mut entry = futex::Wait::new();
    entry.val = expected.into();
    entry.uaddr = futex::WaitPtr::new(word.as_ptr().cast());
    entry.flags = futex::WaitFlags::SIZE_U32;
    entry
}

/// Sleeps until one of the words is woken or differs from its expected value. Where the kernel cannot wait on several
/// words (before 5.16, or after a filter of system calls), it sleeps for [`POLL_INTERVAL`] at most, or until `stop` is set.
fn wait_any(words: &[futex::Wait], stop: &AtomicU32) {
    let no_flags = futex::WaitvFlags::empty();
    match futex::waitv(words, no_flags, None, ClockId::Monotonic) {
        // A word was woken, has changed already, or a signal came: look again.
        Ok(_) | Err(Errno::AGAIN | Errno::INTR) => {}
        Err(_) => {
            // Woken, changed, a signal, or the time is over: look again in any case.
            let _ = futex::wait(stop, futex::Flags::empty(), 0, Some(&POLL_INTERVAL));
        }
    }
}
