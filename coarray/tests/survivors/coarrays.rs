//! ALLOCATE and DEALLOCATE of coarrays: memory that each image takes for itself, between synchronisations, as compilers
//! have it.

use crate::dice::number;
use crate::run::{Leave, Run};
use xmp_coarray::front_end::{Block, Location, sync_all_active, transfer};
use xmp_core::Error;
use xmp_core::image_set::ImageSet;
use xmp_core::job::page::ImageState;

impl Run<'_> {
    /// Allocates a coarray of this many numbers, which is at one place on all images, reads that of the next image,
    /// and deallocates it, unless it `stays` until the team ends.
    pub fn coarray(
        &self,
        at: usize,
        set: &ImageSet,
        len: usize,
        stays: bool,
    ) -> std::result::Result<(), Leave> {
        let (image, me) = (self.image, self.image.rank());
        let block = Block::allocate(image, 8 * len as u64).expect("there is room");
        let known = *self
            .shared
            .coarrays
            .lock()
            .unwrap()
            .entry((at, set.ranks().collect()))
            .or_insert(block.offset);
        assert_eq!(block.offset, known, "at {at}, image {}: the coarray is elsewhere", me.image());
        for index in 0..len {
            // SAFETY: within the own block, 8-aligned; others read it after a synchronisation.
            unsafe {
                block.local(image).cast::<u64>().add(index).write(number(me.index(), index, at))
            };
        }
        let before = self.stopped(set);
        self.synchronised(at, set, before, sync_all_active(image, set))?;
        // After a stop no image waits for others before it gives the memory back.
        if self.only_failures && len > 0 {
            self.read_next(at, set, &block, len);
        }
        let before = self.stopped(set);
        self.synchronised(at, set, before, sync_all_active(image, set))?;
        if !stays {
            // SAFETY: the images were synchronised, and do not use it any more.
            unsafe { block.free(image) }.expect("it is allocated");
        }
        Ok(())
    }

    fn read_next(&self, at: usize, set: &ImageSet, block: &Block, len: usize) {
        let next = (set.position().expect("a member") + 1) % set.len();
        let next = set.rank_at(next).expect("a position");
        // An image that has not come has failed, and that is known.
        if self.image.job().state(next) == ImageState::Failed {
            return;
        }
        let mut last = [0u64];
        let from = Location { rank: next, offset: block.offset + 8 * (len as u64 - 1) };
        // SAFETY: the last number of that coarray, into a number of this image.
        match unsafe { transfer::get(self.image, from, last.as_mut_ptr().cast(), 8) } {
            Ok(()) => assert_eq!(last, [number(next.index(), len - 1, at)], "at {at}: {next}"),
            Err(Error::FailedImage(rank)) if rank == next => {}
            Err(error) => panic!("at {at}: get: {error}"),
        }
    }
}
