//! Events (Fortran 2018, 11.6.8 to 11.6.9 and 16.9.72): a count that any image may increment and that
//! only its own image waits for.

use crate::sync::{Notifier, before_signal};
use crate::{Location, atomic};
use std::sync::atomic::{AtomicU64, Ordering};
use xmp_core::failure::deadlock::{self, AwaitedPost};
use xmp_core::transport::{AtomicOp, Update, Wake, Width, fetch_word};
use xmp_core::wait::{ForVariable, Need, VariableName, WaitKind};
use xmp_core::{Image, Rank, Result, failure};

/// Bytes of an event variable.
pub const EVENT_LEN: usize = 8;

/// Posts the event (EVENT POST).
///
/// # Errors
/// When the image of the event has stopped or failed (Fortran 2018, 11.6.11), or cannot be reached.
///
/// # Safety
/// `at` is an event variable: 8 aligned bytes that start at 0 and are only accessed by this module.
#[inline]
pub unsafe fn post(image: &Image, at: Location) -> Result<()> {
    failure::check(image.job(), [at.rank])?;
    before_signal(image, at, Notifier::Event)?;
    if let Some(event) = image.local_address(at.rank, at.offset) {
        // SAFETY: an event variable is at the address.
        unsafe { post_local(image, at.rank, event) };
        return Ok(());
    }
    let (transport, one) = (image.transport(), Update::Add(1));
    // SAFETY: `at` is an event variable: an aligned word of 8 bytes.
    unsafe { transport.signal(at.rank, at.offset, Width::W8, one, Wake::Target) }
}

/// Posts an event of `rank`, an image of this host. The caller has ordered earlier puts to other hosts before that.
///
/// # Safety
/// An event is at the address, as for [`post`].
#[inline(always)]
pub unsafe fn post_local(image: &Image, rank: Rank, event: *mut u8) {
    // SAFETY: an event variable is at the address: an aligned word of 8 bytes.
    unsafe { fetch_word(AtomicOp::Add, event, Width::W8, 1) };
    // The read-modify-write is the first half of the notifier's protocol.
    xmp_core::sync::fence_after_rmw();
    image.ring_if_parked(rank);
}

/// Takes `until` posts (at least one) off the count of the event of this image, if it was posted so often. Returns whether it did:
/// EVENT WAIT that need not wait.
///
/// # Safety
/// The conditions of [`wait`].
#[inline(always)]
pub unsafe fn try_wait(image: &Image, offset: u64, until: u64) -> bool {
    let until = until.max(1);
    // SAFETY: `offset` is an event variable of this image.
    let count = unsafe { own_count(image, offset) };
    // Acquire: what the posters did before their posts is visible after the wait.
    if count.load(Ordering::Acquire) < until {
        return false;
    }
    // Only this image takes posts off, so the count is still at least `until`.
    count.fetch_sub(until, Ordering::Relaxed);
    image.acquired();
    if let Some(races) = image.races() {
        races.take_posts(offset);
    }
    true
}

/// The count of the event of this image.
///
/// # Safety
/// The conditions of [`wait`].
#[inline(always)]
unsafe fn own_count(image: &Image, offset: u64) -> &AtomicU64 {
    // SAFETY: `offset` is an event variable in this image's segment, which is mapped as long as the image lives.
    unsafe { &*image.own_segment().add(offset as usize).cast::<AtomicU64>() }
}

/// Waits until the event of this image was posted `until` times (at least once) and takes that many posts
/// off its count (EVENT WAIT). `variable` names the event in tables of waits.
///
/// # Errors
/// When no running image is left that could post: every other image has ended, or one has and those that are left wait
/// for one another. That another image has failed or stopped is no error by itself: an image that runs may post, and
/// the images that are involved in EVENT WAIT (Fortran 2018, 11.6.11) are not the ones that post.
///
/// # Safety
/// `offset` is an event variable of this image; see [`post`].
pub unsafe fn wait(
    image: &Image,
    offset: u64,
    until: u64,
    variable: VariableName<'_>,
) -> Result<()> {
    let until = until.max(1);
    // SAFETY: `offset` is an event variable of this image.
    let count = unsafe { own_count(image, offset) };
    let missing = || until.saturating_sub(count.load(Ordering::Relaxed));
    let need = || Need { posts: missing(), ..Need::any_image(WaitKind::Event) };
    let need = ForVariable { need, variable };
    let post = AwaitedPost { what: "post the event", need: &need, nap: None };
    // SAFETY: the contract of this function.
    while !unsafe { try_wait(image, offset, until) } {
        // Relaxed: the event is read once more when it is taken.
        deadlock::wait(image, post, || Ok(()), || count.load(Ordering::Relaxed) >= until)?;
    }
    Ok(())
}

/// The count of the event (EVENT_QUERY).
///
/// # Errors
/// When the image of the event cannot be reached.
///
/// # Safety
/// The conditions of [`post`].
pub unsafe fn query(image: &Image, at: Location) -> Result<u64> {
    // SAFETY: `at` is an event variable: an aligned word that only atomic operations access.
    let count = unsafe { atomic::fetch(image, AtomicOp::Load, at, Width::W8, 0) };
    // It orders no segments by itself. With SYNC MEMORY after it programs may order them, as by atomic subroutines.
    if let Some(races) = image.races() {
        races.after_atomic(at.rank, at.offset);
    }
    count
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::sync_all;
    use std::time::Duration;
    use xmp_core::Error;
    use xmp_core::server::in_process::Shim;
    use xmp_core::settings::Settings;
    use xmp_core::transport::threads;
    use xmp_core::wait::unnamed;

    /// Events, one for each image: those of the whole job, and those that are posted within a chain.
    fn event(image: &Image, of: u32) -> Location {
        Location { rank: Rank::new(of), offset: image.layout().heap.start }
    }

    /// The last image fails; the others wait for posts of one another.
    #[test]
    fn images_that_wait_for_one_another_get_an_error_when_another_has_failed() {
        for (images, hosts) in [(1, 1), (2, 1), (2, 2), (4, 1), (4, 2), (5, 3)] {
            let outcomes = threads::run(images, hosts, |image| {
                sync_all(image, &image.executing()).unwrap();
                if images > 1 && image.rank().get() == images - 1 {
                    failure::publish_failed(image.job(), image.rank());
                    return Ok(());
                }
                let own = event(image, image.rank().get());
                // SAFETY: an event variable.
                unsafe { wait(image, own.offset, 1, &unnamed) }
            });
            for outcome in &outcomes.unwrap()[..(images - 1).max(1) as usize] {
                let Err(Error::NoImageLeft { what, .. }) = outcome else {
                    panic!("{images} images on {hosts} hosts: {outcome:?}");
                };
                assert_eq!(what, "post the event");
            }
        }
    }

    /// A post passes from image to image, each of which keeps it for some time, long after another image has failed.
    #[test]
    fn a_wait_for_an_image_that_runs_goes_on() {
        for (images, hosts) in [(3, 1), (4, 2), (5, 3)] {
            late_messages(images, hosts, |image| {
                sync_all(image, &image.executing()).unwrap();
                let (me, ring) = (image.rank().get(), images - 1);
                if me == ring {
                    failure::publish_failed(image.job(), image.rank());
                    return;
                }
                for round in 0..20 {
                    if me != 0 || round > 0 {
                        // SAFETY: an event variable.
                        unsafe { wait(image, event(image, me).offset, 1, &unnamed).unwrap() };
                    }
                    if (round + me) % 5 == 0 {
                        std::thread::sleep(Duration::from_millis(u64::from(me + round % 7)));
                    }
                    // SAFETY: events of the images, which only event operations access.
                    unsafe { post(image, event(image, (me + 1) % ring)).unwrap() };
                }
                if me == 0 {
                    // SAFETY: events of the images, which only event operations access.
                    unsafe { wait(image, event(image, me).offset, 1, &unnamed).unwrap() };
                }
            });
        }
    }

    /// Runs `body` where posts of another host arrive later than the record of a waiting image.
    fn late_messages(images: u32, hosts: u32, body: impl Fn(&Image) + Sync) {
        for seed in 0..3 {
            let shim = Shim { seed, delay: 200, eager: 64 };
            let settings = Settings::default();
            let settings = Settings { segment_size: Some(1 << 26), ..settings };
            threads::run_on_hosts(settings, images, hosts, shim, &body).unwrap();
        }
    }
}
