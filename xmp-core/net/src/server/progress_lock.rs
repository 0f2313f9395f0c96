//! The progress lock: which thread uses the fabric, the application's or the server's.
//!
//! MPI is used by one thread at a time, so there is a lock. A plain lock is not enough: the server polls again and
//! again and would hold it nearly always, and a thread that wakes up on a lock comes later than one that takes it again
//! at once. So the server's thread takes it only while no other thread wants it, and returns it between two requests
//! when one does.

use crate::sync::{AtomicU32, Mutex, MutexGuard, Ordering};
use std::sync::{PoisonError, TryLockError};

/// A value that two threads use in turns, one of which has precedence.
#[derive(Debug)]
pub struct ProgressLock<T> {
    /// Number of threads with precedence that wait.
    wanted: AtomicU32,
    value: Mutex<T>,
}

impl<T> ProgressLock<T> {
    /// A free lock.
    pub fn new(value: T) -> ProgressLock<T> {
        ProgressLock { wanted: AtomicU32::new(0), value: Mutex::new(value) }
    }

    /// Locks for the application: waits only for the server's present step.
    pub fn take(&self) -> MutexGuard<'_, T> {
        match self.value.try_lock() {
            Ok(value) => return value,
            Err(TryLockError::Poisoned(value)) => return value.into_inner(),
            Err(TryLockError::WouldBlock) => {}
        }
        // Relaxed: a request, which orders nothing; the lock orders what is done with the value.
        self.wanted.fetch_add(1, Ordering::Relaxed);
        let value = self.value.lock().unwrap_or_else(PoisonError::into_inner);
        self.wanted.fetch_sub(1, Ordering::Relaxed);
        value
    }

    /// Locks for the server, if no thread holds or wants the lock.
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

    /// Whether the server should release the lock.
    pub fn is_wanted(&self) -> bool {
        self.wanted.load(Ordering::Relaxed) != 0
    }
}

#[cfg(all(test, loom))]
mod model {
    use super::*;
    use loom::sync::Arc;

    /// A server that does one piece of work after another, as long as there is any, and an application that takes some
    /// away: no piece is done twice or lost, and the application enters while there is work left for the server.
    #[test]
    fn loom_the_lock_has_one_holder_and_precedence() {
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
