//! Events for Rust programs.

use super::call_site::called;
use super::index::Coindex;
use super::symmetric::Symmetric;
use crate::event::{self, EVENT_LEN};
use xmp_core::wait::unnamed;
use xmp_core::{Error, Image, Result};

/// An event on every image: any image posts the event of any image, and each waits for its own.
///
/// What an image did before it posts is visible to the image that waits, after the wait. Posts are counted.
///
/// ```
/// use xmp_coarray::prelude::*;
///
/// run_on_threads(2, |image| {
///     let (item, filled) = (Coarray::new(image, 1)?, Event::new(image)?);
///     match image.this_image() {
///         1 => {
///             item.put_one(2, 0, 42)?;
///             filled.post(2)?;
///         }
///         _ => {
///             filled.wait()?;
///             assert_eq!(item.read_one(0)?, 42);
///         }
///     }
///     Ok(())
/// })?;
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug)]
pub struct Event<'i> {
    memory: Symmetric<'i>,
}

impl<'i> Event<'i> {
    /// Makes an event without posts on every image. All images do so together, as for [`Coarray::new`].
    ///
    /// [`Coarray::new`]: crate::Coarray::new
    #[track_caller]
    pub fn new(image: &'i Image) -> Result<Event<'i>> {
        let memory = || Symmetric::zeroed::<Self>(image, EVENT_LEN, align_of::<u64>());
        Ok(Event { memory: called("Event::new", image, memory)? })
    }

    /// Posts the event of image `index` (EVENT POST).
    ///
    /// # Errors
    /// [`xmp_core::Error::ImageIndex`]; when the image has stopped or failed, cannot be reached, or has no such event.
    #[inline]
    #[track_caller]
    pub fn post(&self, index: impl Coindex) -> Result<()> {
        called("event post", self.memory.image(), || {
            let at = self.memory.on(index, 0)?;
            // SAFETY: an event variable, made zero and used by `event` alone.
            unsafe { event::post(self.memory.image(), at) }
        })
    }

    /// Waits for a post of this image's event, and takes it off the count (EVENT WAIT).
    ///
    /// # Errors
    /// When no image is left that could post; when the team that made the event has been left.
    #[inline]
    #[track_caller]
    pub fn wait(&self) -> Result<()> {
        self.wait_for(1)
    }

    /// Waits until this image's event has been posted `count` times, and takes them off. A count of 0 would not wait and is an
    /// error, because it comes from a mistake more often than from a wish ([`Event::pending`] is the call that never waits).
    /// Fortran differs: EVENT WAIT takes an UNTIL_COUNT below 1 as 1 (Fortran 2018, 11.6.8).
    ///
    /// # Errors
    /// The errors of [`Event::wait`]; when `count` is 0.
    #[track_caller]
    pub fn wait_for(&self, count: u64) -> Result<()> {
        called("event wait", self.memory.image(), || {
            if count == 0 {
                let why = "a wait for 0 posts; the least number is 1, and pending() does not wait";
                return Err(Error::Invalid(why.into()));
            }
            let at = self.memory.at(self.memory.own_rank()?, 0);
            // SAFETY: this image's word of the event, which only event operations access.
            unsafe { event::wait(self.memory.image(), at.offset, count, &unnamed) }
        })
    }

    /// Posts of this image's event that it has not waited for yet (EVENT_QUERY). Orders nothing.
    ///
    /// # Errors
    /// When the team that made the event has been left.
    #[track_caller]
    pub fn pending(&self) -> Result<u64> {
        called("event query", self.memory.image(), || {
            let at = self.memory.at(self.memory.own_rank()?, 0);
            // SAFETY: a word of the event, which only event operations access.
            unsafe { event::query(self.memory.image(), at) }
        })
    }

    /// Waits for all images, then gives the event back; as [`Coarray::free`](crate::Coarray::free).
    #[track_caller]
    pub fn free(self) -> Result<()> {
        called("free", self.memory.image(), || self.memory.free())
    }
}
