//! SYNC ALL, SYNC IMAGES, SYNC MEMORY (Fortran 2018, 11.6.3 to 11.6.5).

use crate::Location;
use std::mem::offset_of;
use std::sync::atomic::Ordering;
use xmp_collectives::{BarrierStatement, barrier_of, barrier_of_active, complete_before_barrier};
use xmp_core::image_set::ImageSet;
use xmp_core::notify::Pair;
use xmp_core::sync::{segment_fence, store_then_fence};
use xmp_core::transport::{FlushScope, Post};
use xmp_core::wait::{Need, WaitKind};
use xmp_core::{Error, Image, Rank, Result, failure};

const SYNC_ALL: BarrierStatement = BarrierStatement::plain("sync all");

/// Completes this image's accesses to other images and orders them before what follows (SYNC MEMORY).
///
/// # Errors
/// When an image that has pending operations cannot be reached.
#[inline]
pub fn sync_memory(image: &Image) -> Result<()> {
    if sync_stores(image) { Ok(()) } else { sync_memory_in_general(image) }
}

/// SYNC MEMORY, if loads and stores are all that is to be ordered; whether it is. It touches no state of the image, so
/// any thread may call it at any time.
#[inline(always)]
pub fn sync_stores(image: &Image) -> bool {
    let only_stores = image.orders_only_stores();
    if only_stores {
        // Loads and stores are complete where they are executed; what is left is their order.
        segment_fence();
    }
    only_stores
}

#[inline(never)]
fn sync_memory_in_general(image: &Image) -> Result<()> {
    if let Some(races) = image.races() {
        races.begin_segment();
    }
    if image.one_host() {
        image.acquired();
        segment_fence();
        return Ok(());
    }
    image.acquired_by_flush(FlushScope::All)
}

/// Before this image changes the word at a location, which another one waits for: orders its puts before that
/// ([`FlushScope::Before`]), unless loads and stores are all that is to be ordered.
///
/// # Errors
/// The errors of [`sync_memory`].
#[inline(always)]
pub(crate) fn before_signal(image: &Image, at: Location, notifier: Notifier) -> Result<()> {
    if image.orders_only_stores() { Ok(()) } else { before_signal_in_general(image, at, notifier) }
}

/// A word by which others are notified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Notifier {
    /// An event variable: its own image alone takes posts off it.
    Event,
    /// A word that its own image alone waits for.
    Word,
    /// A lock variable, which any image reads.
    Lock,
}

#[inline(never)]
fn before_signal_in_general(image: &Image, at: Location, notifier: Notifier) -> Result<()> {
    image.about_to_signal();
    if let Some(races) = image.races() {
        match notifier {
            Notifier::Event => races.post(at.rank, at.offset),
            Notifier::Word | Notifier::Lock => races.release(at.rank, at.offset),
        }
    }
    if image.one_host() {
        return Ok(());
    }
    // Images of other hosts read a word of this host by a request to its server, which is after no message of this image to them.
    let is_here = image.local_address(at.rank, at.offset).is_some();
    let is_read_from_afar = is_here && notifier == Notifier::Lock;
    let scope = if is_read_from_afar { FlushScope::All } else { FlushScope::Before(at.rank) };
    image.transport().flush(scope)
}

/// Completes pending operations on other hosts, for a statement whose own synchronisation orders the loads
/// and stores on this one.
///
/// # Errors
/// The errors of [`sync_memory`].
#[inline(always)]
pub(crate) fn complete_remote(image: &Image) -> Result<()> {
    if image.one_host() { Ok(()) } else { image.transport().flush(FlushScope::All) }
}

/// Synchronises all images of `set` (SYNC ALL, SYNC TEAM).
///
/// # Errors
/// When an image of the set has stopped or failed.
#[inline]
pub fn sync_all(image: &Image, set: &ImageSet) -> Result<()> {
    complete_before_barrier(image, set)?;
    barrier_of(image, set, SYNC_ALL)
}

/// Synchronises all images of `set` for a statement with `stat=`: the live images synchronise also when others have
/// failed.
///
/// # Errors
/// When an image of the set has stopped or failed.
#[inline]
pub fn sync_all_active(image: &Image, set: &ImageSet) -> Result<()> {
    // All of it: those that are left may meet without a message of this image, after which they would see it.
    complete_remote(image)?;
    barrier_of_active(image, set, SYNC_ALL)
}

/// Synchronises with the images of `set` at these 1-based `indices` (SYNC IMAGES).
///
/// The n-th execution towards an image is matched by its n-th execution towards this one, whatever the
/// sets were.
///
/// # Errors
/// An index out of range or given twice - then nothing has happened -, or an image that has stopped or
/// failed.
pub fn sync_images(image: &Image, set: &ImageSet, indices: &[i32]) -> Result<()> {
    if let [index] = *indices {
        return sync_ranks(image, [rank_of(set, index)?]);
    }
    let mut seen = smallvec::SmallVec::<[u64; 4]>::from_elem(0, set.len().div_ceil(64));
    for &index in indices {
        rank_of(set, index)?;
        let bit = index as usize - 1;
        if seen[bit / 64] & (1 << (bit % 64)) != 0 {
            return Err(Error::RepeatedImage(index.into()));
        }
        seen[bit / 64] |= 1 << (bit % 64);
    }
    let ranks = indices.iter().map(|&index| set.rank_at(index as usize - 1).expect("checked"));
    sync_ranks(image, ranks)
}

/// Synchronises with the image of the executing set at this 1-based index, as [`sync_images`] does, where loads and stores are all
/// that is to be ordered. `None` where another path has to: then nothing has happened.
#[inline]
pub fn sync_image(image: &Image, index: i32) -> Option<Result<()>> {
    let rank = image.stack().rank_of_index(index)?;
    let is_plain = image.orders_only_stores() && image.threads().is_only_one();
    if !is_plain || rank == image.rank() {
        return None;
    }
    Some(notify(image, rank).and_then(|()| await_notification(image, rank)))
}

/// Synchronises with every other image of `set` (SYNC IMAGES (*)).
///
/// # Errors
/// When an image of the set has stopped or failed.
pub fn sync_images_all(image: &Image, set: &ImageSet) -> Result<()> {
    sync_ranks(image, set.ranks())
}

#[inline]
fn rank_of(set: &ImageSet, index: i32) -> Result<Rank> {
    usize::try_from(index)
        .ok()
        .and_then(|index| set.rank_at(index.checked_sub(1)?))
        .ok_or(Error::ImageIndex { index: index.into(), images: set.len() })
}

/// Notifies all of them, then waits for all of them - also after an error, so that what the others have done is
/// matched and the next SYNC IMAGES with them is.
fn sync_ranks(image: &Image, ranks: impl IntoIterator<Item = Rank> + Clone) -> Result<()> {
    let me = image.rank();
    // With no other image this is SYNC MEMORY, which any thread may execute.
    if ranks.clone().into_iter().any(|rank| rank != me) {
        image.threads().only_one()?;
    }
    if image.orders_only_stores() {
        return exchange(image, ranks);
    }
    sync_ranks_in_general(image, ranks)
}

#[inline(never)]
fn sync_ranks_in_general(
    image: &Image,
    ranks: impl IntoIterator<Item = Rank> + Clone,
) -> Result<()> {
    let me = image.rank();
    if !image.one_host() {
        let others = || ranks.clone().into_iter().filter(|&rank| rank != me);
        let host_of = |rank| image.host_of(rank);
        let on_one_host = |&first: &Rank| others().all(|rank| host_of(rank) == host_of(first));
        // Partners of several hosts need what images of this host need: an order with operations on every host.
        let notified = others().next().map(|first| if on_one_host(&first) { first } else { me });
        image.transport().flush(notified.map_or(FlushScope::All, FlushScope::Before))?;
    }
    image.acquired();
    let Some(races) = image.races() else { return exchange(image, ranks) };
    races.announce(ranks.clone());
    let outcome = exchange(image, ranks.clone());
    races.meet(ranks);
    outcome
}

/// Notifies these images, and waits until they have notified this one.
#[inline]
fn exchange(image: &Image, ranks: impl IntoIterator<Item = Rank> + Clone) -> Result<()> {
    let me = image.rank();
    for rank in ranks.clone().into_iter().filter(|&rank| rank != me) {
        notify(image, rank)?;
    }
    let mut outcome = Ok(());
    for rank in ranks.into_iter().filter(|&rank| rank != me) {
        let waited = await_notification(image, rank);
        outcome = match (outcome, waited) {
            (_, Err(Error::JobEnding)) => return Err(Error::JobEnding),
            // STAT_STOPPED_IMAGE has precedence over STAT_FAILED_IMAGE.
            (Ok(()) | Err(Error::FailedImage(_)), Err(error)) => Err(error),
            (outcome, _) => outcome,
        };
    }
    outcome
}

/// Waits until an image has notified this one once more than before.
#[inline]
fn await_notification(image: &Image, from: Rank) -> Result<()> {
    let seen = image.peer(from).sync_seen();
    let awaited = seen.get() + 1;
    seen.set(awaited);
    // Acquire: what the other image did before its SYNC IMAGES is visible after this one.
    if image.pair(image.rank(), from).sync.load(Ordering::Acquire) >= awaited {
        return Ok(());
    }
    keep_waiting(image, from, awaited)
}

#[inline(never)]
fn keep_waiting(image: &Image, from: Rank, awaited: u64) -> Result<()> {
    let counter = &image.pair(image.rank(), from).sync;
    let need = || Need::all_of(WaitKind::SyncImages, [from]);
    image.waits().needing(&need).until(
        || failure::check(image.job(), [from]),
        // Acquire: as above.
        || counter.load(Ordering::Acquire) >= awaited,
    )
}

#[inline]
fn notify(image: &Image, to: Rank) -> Result<()> {
    let me = image.rank();
    let sent = image.peer(to).sync_sent();
    let count = sent.get() + 1;
    if image.local_address(to, 0).is_some() {
        // Release (within): what this image did before is visible to the image that sees the count.
        store_then_fence(&image.pair(to, me).sync, count);
        image.ring_if_parked(to);
    } else {
        let counter = image.pair_offset(me) + offset_of!(Pair, sync) as u64;
        // SAFETY: no data; this image is the counter's only writer.
        unsafe { image.transport().post(to, Post::Notify { counter, value: count })? };
    }
    sent.set(count);
    Ok(())
}

#[cfg(test)]
mod tests;
