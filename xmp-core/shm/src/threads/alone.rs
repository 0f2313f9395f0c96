//! The lock for operations that neither wait nor call what may: in fewer instructions.

use super::{ThreadLock, membarrier, this_thread::this_thread};
use crate::sync::Ordering;

/// The first thread is inside the lock, which is not shared, until it drops this. Meanwhile no other thread executes a
/// collective operation: none has ever entered.
#[derive(Debug)]
#[must_use]
pub struct UncontendedGuard<'a>(&'a ThreadLock);

impl Drop for UncontendedGuard<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        // As the first thread leaves that has entered once without the mutex, whether or not the lock is shared by now.
        self.0.depth.store(0, Ordering::Release);
    }
}

impl ThreadLock {
    /// Enters, if this is the first thread, is outside, and no other thread has ever entered. Otherwise the caller has
    /// to [`ThreadLock::enter`]. While the result lives, the thread must not enter again, nor wait.
    #[inline(always)]
    pub fn enter_alone(&self) -> Option<UncontendedGuard<'_>> {
        self.enter_alone_as(this_thread())
    }

    /// [`ThreadLock::enter_alone`] by the thread `me`. The orders are those of [`ThreadLock::enter`].
    #[inline(always)]
    pub(super) fn enter_alone_as(&self, me: u64) -> Option<UncontendedGuard<'_>> {
        if me != self.first || self.depth.load(Ordering::Relaxed) > 0 {
            return None;
        }
        self.depth.store(1, Ordering::Relaxed);
        membarrier::light();
        let alone = UncontendedGuard(self);
        (self.shared.load(Ordering::Relaxed) == 0).then_some(alone)
    }
}
