//! Events (Fortran 2018, 11.6.8 to 11.6.9 and 16.9.72): a count that any image may increment and that
//! only its own image waits for.

use crate::sync::complete_far;
use crate::{Location, atomic};
use std::sync::atomic::{AtomicU64, Ordering};
use xmp_core::job::page::ImageState;
use xmp_core::transport::{AtomicOp, Width};
use xmp_core::{Error, Image, Result, failure};

/// Bytes of an event variable.
pub const EVENT_LEN: usize = 8;

/// Posts the event (EVENT POST).
///
/// # Errors
/// When the image of the event has failed or cannot be reached.
///
/// # Safety
/// `at` is an event variable: 8 aligned bytes that start at 0 and are only accessed by this module.
#[inline]
pub unsafe fn post(image: &Image, at: Location) -> Result<()> {
    complete_far(image)?;
    // SAFETY: the caller's guarantee.
    unsafe { atomic::fetch(image, AtomicOp::Add, at, Width::W8, 1)? };
    // The read-modify-write is the first half of the notifier's protocol.
    xmp_core::sync::fence_after_rmw();
    match image.one_host() {
        true => image.ring_if_parked(at.rank),
        false => image.transport().ring(at.rank),
    }
    Ok(())
}

/// Waits until the event of this image was posted `until` times (at least once) and takes that many posts
/// off its count (EVENT WAIT).
///
/// # Errors
/// When every other image has ended, so that nobody can post any more, or an image has failed of which this one
/// has not been told by an event wait before.
///
/// # Safety
/// `offset` is an event variable of this image; see [`post`].
pub unsafe fn wait(image: &Image, offset: u64, until: u64) -> Result<()> {
    let until = until.max(1);
    // SAFETY: the caller's guarantee; the segment is mapped as long as the image lives.
    let count = unsafe { &*image.own_segment().add(offset as usize).cast::<AtomicU64>() };
    // Acquire: what the posters did before their posts is visible after the wait.
    image.waits().until(|| somebody_can_post(image), || count.load(Ordering::Acquire) >= until)?;
    // Only this image takes posts off, so the count is still at least `until`.
    count.fetch_sub(until, Ordering::Relaxed);
    Ok(())
}

/// The count of the event (EVENT_QUERY).
///
/// # Errors
/// When the image of the event cannot be reached.
///
/// # Safety
/// As [`post`].
pub unsafe fn query(image: &Image, at: Location) -> Result<u64> {
    // SAFETY: the caller's guarantee.
    unsafe { atomic::fetch(image, AtomicOp::Load, at, Width::W8, 0) }
}

/// Who will post is not known. So the wait ends when nobody is left to post, and when an image has failed
/// that this one has not been told of yet: it may have been the one. A program that is told by `stat=` and goes
/// on may wait again.
fn somebody_can_post(image: &Image) -> Result<()> {
    let job = image.job();
    if failure::ending(job).is_some() {
        return Err(Error::JobEnding);
    }
    let others = || job.ranks().filter(|&rank| rank != image.rank());
    if let Some(failed) = image.news_of_failure() {
        return Err(Error::FailedImage(failed));
    }
    if others().any(|rank| job.state(rank) == ImageState::Running) {
        return Ok(());
    }
    failure::check(job, others())?;
    Err(Error::Invalid("waiting for an event that no image is left to post".into()))
}
