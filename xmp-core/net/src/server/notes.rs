//! Notes: bytes that the processes of leaders send to one another by their servers, for what is above servers. The
//! threads of these processes read them; no image takes part.

use super::limits::ALONG;
use crate::rank::Rank;
use crate::sync::{AtomicU32, Ordering};
use crate::wait::Doorbell;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Most bytes of a note: less than a message of requests has room for.
pub const NOTE: usize = ALONG;

/// The notes that have arrived and were not taken. One thread takes them.
#[derive(Debug, Default)]
pub struct Notes {
    inbox: Mutex<VecDeque<(Rank, Box<[u8]>)>>,
    /// Whether the thread that takes notes is to end.
    is_closed: AtomicU32,
    /// Whether a wait for a note is to end without one.
    is_called: AtomicU32,
    /// Rings after each change of the above.
    doorbell: Doorbell,
}

impl Notes {
    /// Adds a note of the leader `from`.
    pub fn add(&self, from: Rank, bytes: &[u8]) {
        self.lock().push_back((from, bytes.into()));
        self.doorbell.ring();
    }

    /// The next note and its sender. Waits for it, for `limit` at most; [`Notes::call`] and [`Notes::close`] end one wait.
    pub fn take(&self, limit: Duration) -> Option<(Rank, Box<[u8]>)> {
        let end = Instant::now() + limit;
        loop {
            let note = self.lock().pop_front();
            // Acquire: what was written before the call is seen.
            if note.is_some() || self.is_called.swap(0, Ordering::Acquire) != 0 {
                return note;
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            let has_changed =
                || self.is_called.load(Ordering::Relaxed) != 0 || !self.lock().is_empty();
            self.doorbell.park(None, Some(left), has_changed, |sleep| sleep());
        }
    }

    /// Ends the wait for a note without one; if there is no wait, the next one. A handler of signals may call this.
    pub fn call(&self) {
        // Release: pairs with the swap in `take`.
        self.is_called.store(1, Ordering::Release);
        self.doorbell.ring();
    }

    /// Tells the thread that takes notes that it is to end.
    pub fn close(&self) {
        // Relaxed: the call orders it.
        self.is_closed.store(1, Ordering::Relaxed);
        self.call();
    }

    /// Whether the thread that takes notes is to end.
    pub fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed) != 0
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<(Rank, Box<[u8]>)>> {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Longer than any test takes.
    const LONG: Duration = Duration::from_secs(600);

    #[test]
    fn notes_are_taken_in_order_also_when_the_thread_is_to_end() {
        let notes = Notes::default();
        assert_eq!(notes.take(Duration::ZERO), None);
        let from = Rank::new(3);
        notes.add(from, b"first");
        notes.add(from, b"second");
        assert_eq!(notes.take(LONG), Some((from, b"first"[..].into())));
        assert_eq!(notes.take(LONG), Some((from, b"second"[..].into())));
        std::thread::scope(|scope| {
            let taker = scope.spawn(|| notes.take(LONG));
            notes.close();
            assert_eq!(taker.join().unwrap(), None);
        });
        assert!(notes.is_closed());
        notes.add(from, b"late");
        assert_eq!(notes.take(LONG), Some((from, b"late"[..].into())));
    }

    #[test]
    fn a_call_ends_one_wait_also_if_it_comes_first() {
        let notes = Notes::default();
        notes.call();
        assert_eq!(notes.take(LONG), None);
        std::thread::scope(|scope| {
            let taker = scope.spawn(|| notes.take(LONG));
            notes.call();
            assert_eq!(taker.join().unwrap(), None);
        });
        notes.add(Rank::new(1), b"x");
        assert_eq!(notes.take(LONG), Some((Rank::new(1), b"x"[..].into())));
        assert!(!notes.is_closed());
    }

    #[test]
    fn a_note_ends_the_wait_for_it() {
        let notes = Notes::default();
        std::thread::scope(|scope| {
            let taker = scope.spawn(|| notes.take(LONG));
            notes.add(Rank::new(1), b"x");
            assert_eq!(taker.join().unwrap(), Some((Rank::new(1), b"x"[..].into())));
        });
    }
}
