//! Locks for Rust programs.

use super::call_site::called;
use super::index::Coindex;
use super::symmetric::Symmetric;
use crate::Location;
use crate::lock::{self, Acquired, LOCK_LEN};
use xmp_core::{Image, Result};

/// A lock on every image, each of which any image can hold.
///
/// What an image did while it held a lock is visible to the image that acquires it next.
///
/// ```
/// use xmp_coarray::prelude::*;
///
/// run_on_threads(4, |image| {
///     let (sum, lock) = (Coarray::<usize>::new(image, 1)?, Lock::new(image)?);
///     for _ in 0..10 {
///         // The sum is on image 1, and so is the lock that guards it.
///         let _guard = lock.acquire(1)?;
///         sum.put_one(1, 0, sum.get_one(1, 0)? + 1)?;
///     }
///     image.sync_all()?;
///     assert_eq!(sum.get_one(1, 0)?, 40);
///     Ok(())
/// })?;
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug)]
pub struct Lock<'i> {
    memory: Symmetric<'i>,
}

impl<'i> Lock<'i> {
    /// Makes a lock on every image, unlocked. All images do so together, as for [`Coarray::new`].
    ///
    /// [`Coarray::new`]: crate::Coarray::new
    #[track_caller]
    pub fn new(image: &'i Image) -> Result<Lock<'i>> {
        let memory = || Symmetric::zeroed::<Self>(image, LOCK_LEN, align_of::<u64>());
        Ok(Lock { memory: called("Lock::new", image, memory)? })
    }

    /// Waits for the lock of image `index` and holds it until the guard is dropped (LOCK).
    ///
    /// # Errors
    /// [`xmp_core::Error::ImageIndex`]; [`xmp_core::Error::Locked`] when this image holds it already; when an image
    /// has stopped that holds it.
    #[inline]
    #[track_caller]
    pub fn acquire(&self, index: impl Coindex) -> Result<LockGuard<'_>> {
        called("lock", self.memory.image(), || {
            let at = self.memory.on(index, 0)?;
            // SAFETY: a lock variable, made zero and used by `lock` alone.
            let acquired = unsafe { lock::acquire(self.memory.image(), at)? };
            Ok(LockGuard { memory: &self.memory, at, acquired })
        })
    }

    /// Acquires the lock of image `index` if it is free, otherwise returns `None` (LOCK with ACQUIRED_LOCK=).
    ///
    /// # Errors
    /// The errors of [`Lock::acquire`].
    #[inline]
    #[track_caller]
    pub fn try_acquire(&self, index: impl Coindex) -> Result<Option<LockGuard<'_>>> {
        called("lock", self.memory.image(), || {
            let at = self.memory.on(index, 0)?;
            // SAFETY: `at` is in the lock's block, which only lock operations access.
            let acquired = unsafe { lock::try_acquire(self.memory.image(), at)? };
            Ok(acquired.map(|acquired| LockGuard { memory: &self.memory, at, acquired }))
        })
    }

    /// Waits for all images, then gives the lock back; as [`Coarray::free`](crate::Coarray::free).
    #[track_caller]
    pub fn free(self) -> Result<()> {
        called("free", self.memory.image(), || self.memory.free())
    }
}

/// Holds a [`Lock`] until it is dropped or [released](LockGuard::release).
#[derive(Debug)]
#[must_use = "the lock is released when the guard is dropped"]
pub struct LockGuard<'l> {
    memory: &'l Symmetric<'l>,
    at: Location,
    acquired: Acquired,
}

impl LockGuard<'_> {
    /// Whether an image held the lock when it failed: what the lock guards may be half done.
    pub fn is_from_failed_image(&self) -> bool {
        matches!(self.acquired, Acquired::FromFailedImage(_))
    }

    /// Releases the lock (UNLOCK), as dropping the guard does; only here an error can be seen.
    ///
    /// # Errors
    /// When the image of the lock, or one to which transfers are under way, cannot be reached; when the team that made
    /// the lock has been left, and the lock is gone.
    pub fn release(self) -> Result<()> {
        let guard = std::mem::ManuallyDrop::new(self);
        guard.unlock()
    }

    fn unlock(&self) -> Result<()> {
        // A lock that was made in a team is gone with it.
        self.memory.own_rank()?;
        // SAFETY: `at` is in the lock's block, which only lock operations access.
        unsafe { lock::release(self.memory.image(), self.at) }
    }
}

impl Drop for LockGuard<'_> {
    fn drop(&mut self) {
        // This image holds the lock, so only the way to another image can fail; an image that needs that one
        // next learns of it.
        let _ = self.unlock();
    }
}
