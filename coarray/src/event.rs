//! Events (Fortran 2018, 11.6.8 to 11.6.9 and 16.9.72): a count that any image may increment and that
//! only its own image waits for.

use crate::{Location, atomic};
use std::sync::atomic::{AtomicU64, Ordering};
use xmp_core::job::page::ImageState;
use xmp_core::transport::{AtomicOp, Update, Wake, Width, fetch_word};
use xmp_core::{Error, Image, Rank, Result, failure};

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
    failure::check_failed(image.job(), at.rank)?;
    if !image.one_host() {
        image.transport().flush_for(at.rank)?;
    }
    if let Some(event) = image.near(at.rank, at.offset) {
        // SAFETY: the caller's guarantee.
        unsafe { post_near(image, at.rank, event) };
        return Ok(());
    }
    let (transport, one) = (image.transport(), Update::Add(1));
    // SAFETY: the caller's guarantee.
    unsafe { transport.signal(at.rank, at.offset, Width::W8, one, Wake::Target) }
}

/// As [`post`], to an event of this image of this host, when what was put before is complete.
///
/// # Safety
/// An event is at the address, as for [`post`].
#[inline(always)]
pub unsafe fn post_near(image: &Image, rank: Rank, event: *mut u8) {
    // SAFETY: the caller's guarantee.
    unsafe { fetch_word(AtomicOp::Add, event, Width::W8, 1) };
    // The read-modify-write is the first half of the notifier's protocol.
    xmp_core::sync::fence_after_rmw();
    image.ring_if_parked(rank);
}

/// Waits until the event of this image was posted `until` times (at least once) and takes that many posts
/// off its count (EVENT WAIT).
///
/// # Errors
/// When every other image has ended, so that nobody can post any more.
///
/// # Safety
/// `offset` is an event variable of this image; see [`post`].
pub unsafe fn wait(image: &Image, offset: u64, until: u64) -> Result<()> {
    let until = until.max(1);
    // SAFETY: the caller's guarantee; the segment is mapped as long as the image lives.
    let count = unsafe { &*image.own_segment().add(offset as usize).cast::<AtomicU64>() };
    // Acquire: what the posters did before their posts is visible after the wait.
    let posted = || count.load(Ordering::Acquire) >= until;
    // Asked before the wait as well, for an image alone: there is no change of the job's status then that would
    // have it asked. The last poster may have ended since the first look.
    if !posted()
        && let Err(error) = somebody_can_post(image)
        && !posted()
    {
        return Err(error);
    }
    image.waits().until(|| somebody_can_post(image), posted)?;
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

/// Who will post is not known, so a wait ends early only when nobody is left to post. (That another image has
/// failed or stopped is no reason: Fortran 2018 knows no such status for EVENT WAIT.)
fn somebody_can_post(image: &Image) -> Result<()> {
    let job = image.job();
    if failure::ending(job).is_some() {
        return Err(Error::JobEnding);
    }
    let mut others = job.ranks().filter(|&rank| rank != image.rank());
    // Nobody posts at a meeting after failures, which waits for this image.
    let can_post = |rank| {
        job.state(rank) == ImageState::Running
            && !failure::waits_at_meeting(job, rank, image.rank())
    };
    match others.any(can_post) {
        true => Ok(()),
        false => Err(Error::Invalid("no image is left that could post the event".into())),
    }
}
