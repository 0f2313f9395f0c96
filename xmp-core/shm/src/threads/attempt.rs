//! The lock for operations that can be done without: they never wait for it.

use super::{Holder, Inside, NONE, ThreadLock, membarrier, this_thread::this_thread};
use crate::sync::Ordering;
use std::sync::TryLockError;

impl ThreadLock {
    /// Enters if no thread is inside, this one included. A thread other than the first one does not enter while the lock is not
    /// shared, because the first one would enter by the mutex from then on.
    #[inline]
    pub fn try_enter(&self) -> Option<Inside<'_>> {
        self.try_enter_as(this_thread()).then(|| Inside(self))
    }

    /// [`ThreadLock::try_enter`] by the thread `me`. The orders are those of [`ThreadLock::enter`].
    #[inline]
    pub(super) fn try_enter_as(&self, me: u64) -> bool {
        if self.shared.load(Ordering::Relaxed) == 0 {
            if me != self.first || self.depth.load(Ordering::Relaxed) > 0 {
                return false;
            }
            self.depth.store(1, Ordering::Relaxed);
            membarrier::light();
            if self.shared.load(Ordering::Relaxed) == 0 {
                return true;
            }
            self.depth.store(0, Ordering::Release);
        }
        self.try_enter_shared(me)
    }

    #[cold]
    #[inline(never)]
    fn try_enter_shared(&self, me: u64) -> bool {
        if self.forked.load(Ordering::Relaxed) != 0 || self.is_first_inside(me) {
            return false;
        }
        // A thread that waits for the first one to leave holds the mutex meanwhile.
        let mut holder = match self.holder.try_lock() {
            Ok(holder) => holder,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return false,
        };
        if holder.thread != NONE {
            return false;
        }
        *holder = Holder { thread: me, depth: 1 };
        self.is_used.store(1, Ordering::Relaxed);
        self.entries.fetch_add(1, Ordering::Relaxed);
        true
    }
}
