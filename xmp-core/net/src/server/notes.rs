//! Notes: bytes that the processes of leaders send to one another by their servers, for what lies above servers. The
//! threads of these processes read them; no image takes part.

use super::limits::ALONG;
use crate::rank::Rank;
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Most bytes of a note: less than a message of requests has room for.
pub const NOTE: usize = ALONG;

/// The notes that have arrived and were not taken.
#[derive(Debug, Default)]
pub struct Notes {
    inbox: Mutex<Inbox>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Inbox {
    notes: VecDeque<(Rank, Box<[u8]>)>,
    is_closed: bool,
    /// Whether a wait for a note is to end without one.
    is_woken: bool,
}

impl Notes {
    /// Adds a note of the leader `from`.
    pub fn add(&self, from: Rank, bytes: &[u8]) {
        self.lock().notes.push_back((from, bytes.into()));
        self.changed.notify_one();
    }

    /// The next note and its sender. Waits for it, for `limit` at most; [`Notes::close`] ends one wait.
    pub fn take(&self, limit: Duration) -> Option<(Rank, Box<[u8]>)> {
        let end = Instant::now() + limit;
        let mut inbox = self.lock();
        loop {
            let left = end.saturating_duration_since(Instant::now());
            if let Some(note) = inbox.notes.pop_front() {
                return Some(note);
            }
            if std::mem::take(&mut inbox.is_woken) || left.is_zero() {
                return None;
            }
            let woken = self.changed.wait_timeout(inbox, left);
            (inbox, _) = woken.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Tells the thread that takes notes that it is to end.
    pub fn close(&self) {
        let mut inbox = self.lock();
        (inbox.is_closed, inbox.is_woken) = (true, true);
        self.changed.notify_all();
    }

    /// Whether the thread that takes notes is to end.
    pub fn is_closed(&self) -> bool {
        self.lock().is_closed
    }

    fn lock(&self) -> MutexGuard<'_, Inbox> {
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
    fn a_note_ends_the_wait_for_it() {
        let notes = Notes::default();
        std::thread::scope(|scope| {
            let taker = scope.spawn(|| notes.take(LONG));
            notes.add(Rank::new(1), b"x");
            assert_eq!(taker.join().unwrap(), Some((Rank::new(1), b"x"[..].into())));
        });
    }
}
