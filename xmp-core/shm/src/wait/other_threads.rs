//! The other threads of an image, which enter its thread lock while one of them waits.

use crate::threads::ThreadLock;

/// The thread lock that a waiting thread leaves, so that other threads of its image may use the library meanwhile.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OtherThreads<'a> {
    pub lock: Option<&'a ThreadLock>,
    /// Whether the wait is part of a collective operation; see [`ThreadLock::outside`].
    pub exclusive: bool,
}

impl OtherThreads<'_> {
    /// Lets in another thread that wants to enter.
    #[inline]
    pub fn give_way(&self) {
        if let Some(lock) = self.lock {
            lock.give_way(self.exclusive);
        }
    }

    /// Sleeps outside the lock.
    pub fn outside(&self, sleep: impl FnOnce()) {
        match self.lock {
            Some(lock) => lock.outside(self.exclusive, sleep),
            None => sleep(),
        }
    }
}
