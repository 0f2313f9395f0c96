//! Locks, critical sections and events.

use crate::run::{Leave, Run};
use std::sync::atomic::{AtomicUsize, Ordering};
use xmp_coarray::front_end::{Location, event, lock};
use xmp_core::image_set::ImageSet;
use xmp_core::job::page::ImageState;
use xmp_core::wait::unnamed;
use xmp_core::{Error, Rank};

impl Run<'_> {
    /// Posts to the next image, and waits for the post of the one before, unless that has ended without.
    pub fn events(&self, set: &ImageSet, offset: u64) -> std::result::Result<(), Leave> {
        let (image, me, n) = (self.image, set.position().expect("a member"), set.len());
        let [next, last] =
            [1, n - 1].map(|distance| set.rank_at((me + distance) % n).expect("a position"));
        // SAFETY: an event variable of all images.
        match unsafe { event::post(image, Location { rank: next, offset }) } {
            Ok(()) => {}
            Err(Error::FailedImage(rank) | Error::StoppedImage(rank)) if rank == next => {}
            Err(error) => panic!("image {}: event post: {error}", image.rank().image()),
        }
        let own = Location { rank: image.rank(), offset };
        loop {
            let runs = image.job().state(last) == ImageState::Running;
            // SAFETY: a lock or an event of the program, which only their operations access.
            unsafe {
                if event::query(image, own).unwrap() > 0 {
                    event::wait(image, offset, 1, &unnamed).unwrap();
                    return Ok(());
                }
            }
            if !runs {
                return Ok(());
            }
            std::thread::yield_now();
        }
    }

    /// Takes a lock of an image of the set, and gives it back.
    pub fn lock(
        &self,
        at: usize,
        set: &ImageSet,
        of: usize,
        offset: u64,
    ) -> std::result::Result<(), Leave> {
        let rank = set.rank_at(of % set.len()).expect("a position");
        let holder = &self.shared.holders[rank.index()];
        self.alone(at, Location { rank, offset }, holder)
    }

    /// CRITICAL: by a lock of the first image of all.
    pub fn critical(&self, at: usize, offset: u64) -> std::result::Result<(), Leave> {
        self.alone(at, Location { rank: Rank::new(0), offset }, &self.shared.within_critical)
    }

    fn alone(
        &self,
        at: usize,
        place: Location,
        holder: &AtomicUsize,
    ) -> std::result::Result<(), Leave> {
        let (image, me, rank) = (self.image, self.image.rank().image() as usize, place.rank);
        // SAFETY: a lock variable of all images.
        match unsafe { lock::acquire(image, place) } {
            Ok(_) => {}
            Err(Error::StoppedImage(holder)) => {
                assert_eq!(image.job().state(holder), ImageState::Stopped);
                return Ok(());
            }
            Err(Error::FailedImage(failed)) if failed == rank => return Ok(()),
            Err(error) => panic!("image {me} at {at}: lock: {error}"),
        }
        let before = holder.swap(me, Ordering::AcqRel);
        if before != 0 {
            let state = image.job().state(Rank::new(before as u32 - 1));
            assert_ne!(state, ImageState::Running, "two images have a lock");
        }
        self.pause();
        if let Some((end, how)) = self.end
            && end == at + 1
        {
            return Err(Leave::Ends(how));
        }
        holder.store(0, Ordering::Release);
        // SAFETY: a lock or an event of the program, which only their operations access.
        match unsafe { lock::release(image, place) } {
            Ok(()) => Ok(()),
            Err(Error::FailedImage(failed)) if failed == rank => Ok(()),
            Err(error) => panic!("image {me} at {at}: unlock: {error}"),
        }
    }
}
