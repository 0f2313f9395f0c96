//! SYNC ALL, SYNC IMAGES, SYNC MEMORY (Fortran 2018, 11.6.3 to 11.6.5).

use crate::Location;
use std::mem::offset_of;
use std::sync::atomic::Ordering;
use xmp_collectives::{barrier_of, barrier_of_active, complete_before_barrier};
use xmp_core::image_set::ImageSet;
use xmp_core::notify::Pair;
use xmp_core::sync::{segment_fence, store_then_fence};
use xmp_core::transport::{FlushScope, Post};
use xmp_core::wait::{Need, WaitKind};
use xmp_core::{Error, Image, Rank, Result, failure};

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
        segment_fence();
        return Ok(());
    }
    image.transport().flush(FlushScope::All)
}

/// Before this image changes the word at a location, which another one waits for: completes the puts that are ordered
/// before that, unless loads and stores are all that is to be ordered.
///
/// # Errors
/// The errors of [`sync_memory`].
#[inline(always)]
pub(crate) fn before_signal(image: &Image, at: Location, readers: Readers) -> Result<()> {
    if image.orders_only_stores() { Ok(()) } else { before_signal_in_general(image, at, readers) }
}

/// The images that read a word by which others are notified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Readers {
    /// Its own image alone.
    Owner,
    /// Any image.
    All,
}

#[inline(never)]
fn before_signal_in_general(image: &Image, at: Location, readers: Readers) -> Result<()> {
    if let Some(races) = image.races() {
        races.release(at.rank, at.offset);
    }
    if image.one_host() {
        return Ok(());
    }
    // An image of another host reads a word of this one by a request, and no notification of this image is before its next one.
    let is_here = image.local_address(at.rank, at.offset).is_some();
    let is_read_from_afar = is_here && readers == Readers::All;
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
    barrier_of(image, set, "sync all")
}

/// Synchronises all images of `set` for a statement with `stat=`: the live images synchronise also when others have
/// failed.
///
/// # Errors
/// When an image of the set has stopped or failed.
#[inline]
pub fn sync_all_active(image: &Image, set: &ImageSet) -> Result<()> {
    // All of it: those that are left may meet without a message of this image, behind which they would see it.
    complete_remote(image)?;
    barrier_of_active(image, set, "sync all")
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
        // Partners of several hosts are notified of what those of this one are notified of.
        let notified = others().next().map(|first| if on_one_host(&first) { first } else { me });
        image.transport().flush(notified.map_or(FlushScope::All, FlushScope::Before))?;
    }
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
        let seen = image.peer(rank).sync_seen();
        let awaited = seen.get() + 1;
        seen.set(awaited);
        let counter = &image.pair(me, rank).sync;
        // Acquire: what the other image did before its SYNC IMAGES is visible after this one.
        let need = || Need::all_of(WaitKind::SyncImages, [rank]);
        let waited = image.waits().needing(&need).until(
            || failure::check(image.job(), [rank]),
            || counter.load(Ordering::Acquire) >= awaited,
        );
        outcome = match (outcome, waited) {
            (_, Err(Error::JobEnding)) => return Err(Error::JobEnding),
            // STAT_STOPPED_IMAGE has precedence over STAT_FAILED_IMAGE.
            (Ok(()) | Err(Error::FailedImage(_)), Err(error)) => Err(error),
            (outcome, _) => outcome,
        };
    }
    outcome
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
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;
    use xmp_core::job::page::ImageState;
    use xmp_core::server::Limits;
    use xmp_core::server::in_process::Shim;
    use xmp_core::settings::Settings;
    use xmp_core::transport::{Layout, threads};

    #[test]
    fn sync_images_orders_pairs_in_rings_and_stars() {
        for (images, hosts) in [(1, 1), (2, 1), (3, 2), (4, 1), (7, 3)] {
            threads::run(images, hosts, |image| {
                let set = image.executing();
                let me = image.rank().get() as i32 + 1;
                let n = images as i32;
                for _ in 0..200 {
                    let (left, right) = ((me + n - 2) % n + 1, me % n + 1);
                    let mut both = vec![left, right];
                    both.dedup();
                    sync_images(image, &set, &both).unwrap();
                    match me {
                        1 => sync_images_all(image, &set).unwrap(),
                        _ => sync_images(image, &set, &[1]).unwrap(),
                    }
                    sync_all(image, &set).unwrap();
                    sync_memory(image).unwrap();
                }
            })
            .unwrap();
        }
    }

    #[test]
    fn bad_image_sets_are_refused_before_anything_happens() {
        threads::run(2, 1, |image| {
            let set = image.executing();
            for (indices, error) in [
                (vec![0], Error::ImageIndex { index: 0, images: 2 }),
                (vec![1, 3], Error::ImageIndex { index: 3, images: 2 }),
                (vec![-5], Error::ImageIndex { index: -5, images: 2 }),
                (vec![2, 1, 2], Error::RepeatedImage(2)),
            ] {
                assert_eq!(sync_images(image, &set, &indices), Err(error));
            }
            sync_images(image, &set, &[1, 2]).unwrap();
        })
        .unwrap();
    }

    #[test]
    fn an_image_that_stopped_is_reported_but_only_to_who_waits_for_it() {
        threads::run(3, 1, |image| {
            let set = image.executing();
            match image.rank().get() {
                2 => {}
                me => {
                    let stopped = Err(Error::StoppedImage(Rank::new(2)));
                    assert_eq!(sync_images(image, &set, &[3]), stopped);
                    sync_images(image, &set, &[2 - me as i32]).unwrap();
                }
            }
        })
        .unwrap();
    }

    /// What an image has put before a statement is seen by each image that the statement orders behind it, wherever
    /// that one looks: with messages that come late, and statements that wait for no more than they must.
    #[test]
    fn what_was_put_is_seen_behind_every_synchronisation() {
        for (images, hosts) in [(2, 2), (3, 2), (4, 2), (3, 3), (5, 3)] {
            for seed in 0..4 {
                let shim = Shim { seed, delay: 30, eager: 64 };
                let server = Limits { inline: 512, credits: 6, ..Limits::default() };
                let settings = Settings::default();
                let settings = Settings { segment_size: Some(1 << 26), server, ..settings };
                threads::run_on_hosts(settings, images, hosts, shim, |image| {
                    see_what_was_put(image, seed);
                })
                .unwrap();
            }
        }
    }

    /// Those that are left after a failure meet without messages between one another, and see what was put before.
    #[test]
    fn what_was_put_is_seen_by_those_that_are_left() {
        for seed in 0..2 {
            let shim = Shim { seed, delay: 30, eager: 64 };
            let settings = Settings::default();
            let settings = Settings { segment_size: Some(1 << 26), ..settings };
            let through = AtomicU64::new(0);
            threads::run_on_hosts(settings, 3, 2, shim, |image| {
                put_after_a_failure(image, &through)
            })
            .unwrap();
        }
    }

    /// An image that is alone on its host puts to one of the other host, where the one that speaks for both has failed.
    fn put_after_a_failure(image: &Image, through: &AtomicU64) {
        let (job, me, set) = (image.job(), image.rank(), image.executing());
        let local_peers =
            |rank| job.ranks().filter(move |&it| image.host_of(it) == image.host_of(rank));
        let writer = job.ranks().find(|&rank| local_peers(rank).count() == 1).unwrap();
        let others: Vec<Rank> = job.ranks().filter(|&rank| rank != writer).collect();
        let [doomed, reader] = others[..] else { unreachable!("of three images") };
        if me == doomed {
            failure::publish_failed(job, me);
            return;
        }
        let heap = image.layout().heap.start;
        for round in 1..=12_u64 {
            if me == writer {
                // SAFETY: no other image accesses the word before the next synchronisation.
                unsafe {
                    image
                        .transport()
                        .put(reader, heap, (&raw const round).cast(), Layout::Contiguous(8))
                        .unwrap()
                };
            }
            assert_eq!(sync_all_active(image, &set), Err(Error::FailedImage(doomed)));
            if me == reader {
                // SAFETY: an aligned word of the own segment; what is put there is ordered before this.
                let word = unsafe { &*image.own_segment().add(heap as usize).cast::<AtomicU64>() };
                assert_eq!(word.load(Ordering::Relaxed), round);
            }
            assert_eq!(sync_all_active(image, &set), Err(Error::FailedImage(doomed)));
        }
        // No image stops before the other has finished. (An image that panics has failed.)
        through.fetch_add(1, Ordering::AcqRel);
        let running = || job.ranks().filter(|&rank| job.state(rank) == ImageState::Running).count();
        while through.load(Ordering::Acquire) < running() as u64 {
            std::thread::yield_now();
        }
    }

    /// In each round one image puts, short and long, to one other, then tells a third, which tells all.
    fn see_what_was_put(image: &Image, seed: u64) {
        const LONG: usize = 1000;
        let (set, me, images) =
            (image.executing(), image.rank().get(), image.job().images() as u32);
        let (transport, heap) = (image.transport(), image.layout().heap.start);
        let event = heap + 64;
        for round in 1..=12 + seed {
            let pick = |k: u64| Rank::new(((round * 7 + k * 5 + seed) % u64::from(images)) as u32);
            let (writer, target, told) = (pick(0), pick(round), pick(3 * round + 1));
            let bytes = vec![round as u8; LONG];
            let at = heap + 4096;
            if image.rank() == writer {
                // SAFETY: no other image accesses the word before the next synchronisation.
                unsafe {
                    transport.put(target, at, bytes.as_ptr(), Layout::Contiguous(LONG)).unwrap();
                    transport
                        .put(target, heap, (&raw const round).cast(), Layout::Contiguous(8))
                        .unwrap();
                }
            }
            let mut order = vec![writer, told];
            order.dedup();
            match round % 3 {
                0 => sync_all(image, &set).unwrap(),
                1 if order.len() == 2 && order.contains(&image.rank()) => {
                    let other = if image.rank() == writer { told } else { writer };
                    sync_images(image, &set, &[other.image() as i32]).unwrap();
                }
                2 if image.rank() == writer => {
                    let at = Location { rank: told, offset: event };
                    // SAFETY: an event variable.
                    unsafe { crate::event::post(image, at).unwrap() };
                }
                _ => {}
            }
            if round % 3 == 2 && image.rank() == told {
                // SAFETY: this image's event, a word that only event operations access.
                unsafe { crate::event::wait(image, event, 1).unwrap() };
            }
            if round % 3 == 0 || image.rank() == told {
                let (mut word, mut long) = (0_u64, vec![0; LONG]);
                // SAFETY: what was put there is ordered before this.
                unsafe {
                    transport
                        .get(target, heap, (&raw mut word).cast(), Layout::Contiguous(8))
                        .unwrap();
                    transport.get(target, at, long.as_mut_ptr(), Layout::Contiguous(LONG)).unwrap();
                }
                assert_eq!(word, round, "{writer} to {target}, seen by image {}", me + 1);
                assert_eq!(long, bytes);
            }
            sync_all(image, &set).unwrap();
        }
    }
}
