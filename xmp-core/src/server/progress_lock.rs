//! Whose turn it is to use the fabric: the application's thread, or the server's.
//!
//! MPI is used by one thread at a time, so there is a lock. A plain lock is not enough: the server looks again and again
//! and would have it nearly always, and who wakes up on a lock comes later than who takes it again at once. So the
//! server's thread takes it only while nobody wants it, and gives it back between two requests when somebody does.

use crate::sync::{AtomicU32, Mutex, MutexGuard, Ordering};
use std::sync::{PoisonError, TryLockError};

/// A value that two threads use in turns, of which one has precedence.
#[derive(Debug)]
pub struct ProgressLock<T> {
    /// How many threads wait that have precedence.
    wanted: AtomicU32,
    value: Mutex<T>,
}

impl<T> ProgressLock<T> {
    /// Makes it.
    pub fn new(value: T) -> ProgressLock<T> {
        ProgressLock { wanted: AtomicU32::new(0), value: Mutex::new(value) }
    }

    /// The turn of the application: waits only for what the server is just doing.
    pub fn take(&self) -> MutexGuard<'_, T> {
        match self.value.try_lock() {
            Ok(value) => return value,
            Err(TryLockError::Poisoned(value)) => return value.into_inner(),
            Err(TryLockError::WouldBlock) => {}
        }
        // Relaxed: a request, which carries nothing; the lock orders what is done with the value.
        self.wanted.fetch_add(1, Ordering::Relaxed);
        let value = self.value.lock().unwrap_or_else(PoisonError::into_inner);
        self.wanted.fetch_sub(1, Ordering::Relaxed);
        value
    }

    /// The turn of the server, if nobody else has it or wants it.
    pub fn take_if_idle(&self) -> Option<MutexGuard<'_, T>> {
        if self.is_wanted() {
            return None;
        }
        match self.value.try_lock() {
            Ok(value) => Some(value),
            Err(TryLockError::Poisoned(value)) => Some(value.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Whether the server should give the turn away.
    pub fn is_wanted(&self) -> bool {
        self.wanted.load(Ordering::Relaxed) != 0
    }
}

#[cfg(all(test, loom))]
mod model {
    use super::*;
    use loom::sync::Arc;

    /// A server that does one piece of work after another, as long as there is any, and an application that takes some
    /// away: no piece is done twice or lost, and the application comes in while there is work left for the server.
    #[test]
    fn loom_turns_are_taken_one_at_a_time() {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(3);
        builder.check(|| {
            const WORK: u32 = 3;
            // Left, done by the server, done by the application.
            let shared = Arc::new(ProgressLock::new([WORK, 0, 0]));
            let other = shared.clone();
            let server = loom::thread::spawn(move || {
                loop {
                    let Some(mut work) = other.take_if_idle() else {
                        loom::thread::yield_now();
                        continue;
                    };
                    while work[0] > 0 && !other.is_wanted() {
                        work[0] -= 1;
                        work[1] += 1;
                    }
                    if work[0] == 0 {
                        return;
                    }
                    drop(work);
                    loom::thread::yield_now();
                }
            });
            for _ in 0..2 {
                let mut work = shared.take();
                if work[0] > 0 {
                    work[0] -= 1;
                    work[2] += 1;
                }
            }
            server.join().unwrap();
            let work = shared.take();
            assert_eq!((work[0], work[1] + work[2]), (0, WORK));
            assert!(!shared.is_wanted());
        });
    }
}
