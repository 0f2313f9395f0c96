//! The shared file pointer: a word in the segment of the first image of the set, which all images change by
//! compare-and-swap.

use xmp_coarray::front_end::{Location, atomic};
use xmp_collectives::broadcast;
use xmp_collectives::file::{Failure, Outcome};
use xmp_core::Image;
use xmp_core::image_set::ImageSet;
use xmp_core::transport::{AtomicOp, Width};

/// In the word: nothing was written since the file was opened for appending.
const AT_END: u64 = 1 << 63;

/// The shared file pointer of a connection.
#[derive(Debug)]
pub struct SharedPointer(Location);

/// A state of the pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pointer {
    /// Its place in the file.
    pub place: i64,
    /// Whether the first write goes to the end of the file.
    pub at_end: bool,
}

/// A change of the pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// The former state.
    pub from: Pointer,
    /// The new state.
    pub to: Pointer,
}

impl Pointer {
    fn word(self) -> u64 {
        self.place as u64 | if self.at_end { AT_END } else { 0 }
    }

    fn of_word(word: u64) -> Pointer {
        Pointer { place: (word & !AT_END) as i64, at_end: word & AT_END != 0 }
    }
}

impl SharedPointer {
    /// A pointer that all images of the set share. All of them call it.
    ///
    /// # Errors
    /// Without memory, on all images; when an image of the set has ended.
    pub fn new(image: &Image, set: &ImageSet, pointer: Pointer) -> Outcome<SharedPointer> {
        let rank = set.rank_at(0).expect("a set has an image");
        let mut head = [0_u64; 2];
        if rank == image.rank() {
            match image.memory().allocate_local(8, 8) {
                Ok(offset) => {
                    head[0] = offset;
                    SharedPointer(Location { rank, offset }).swap(image, pointer)?;
                }
                Err(_) => head[1] = libc::ENOMEM as u64,
            }
        }
        broadcast(image, set, 0, &mut head)?;
        match head {
            [offset, 0] => Ok(SharedPointer(Location { rank, offset })),
            [_, number] => Err(Failure::System(number as i32)),
        }
    }

    /// Gives the memory back. No image uses the pointer any more.
    pub fn free(self, image: &Image) -> Outcome {
        if self.0.rank == image.rank() {
            // SAFETY: no image uses the pointer any more (contract of this function's callers: the file is closed together).
            unsafe { image.memory().free_local(self.0.offset)? };
        }
        Ok(())
    }

    /// Its state.
    ///
    /// # Errors
    /// When the first image cannot be reached.
    pub fn get(&self, image: &Image) -> Outcome<Pointer> {
        // SAFETY: the word was allocated for this, and all access it by atomic operations.
        let word = unsafe { atomic::fetch(image, AtomicOp::Load, self.0, Width::W8, 0)? };
        Ok(Pointer::of_word(word))
    }

    /// Sets it.
    ///
    /// # Errors
    /// When the first image cannot be reached.
    fn swap(&self, image: &Image, pointer: Pointer) -> Outcome {
        // SAFETY: the word was allocated for this, and all access it by atomic operations.
        unsafe { atomic::fetch(image, AtomicOp::Swap, self.0, Width::W8, pointer.word())? };
        Ok(())
    }

    /// Changes it to the result of `next`, while no other image changes it.
    ///
    /// # Errors
    /// Those of `next`, which leave it as it is; when the first image cannot be reached.
    pub fn change(
        &self,
        image: &Image,
        next: impl Fn(Pointer) -> Outcome<Pointer>,
    ) -> Outcome<Change> {
        let mut expected = self.get(image)?;
        loop {
            let change = Change { from: expected, to: next(expected)? };
            let (old, new) = (expected.word(), change.to.word());
            // SAFETY: the word was allocated for this, and all access it by atomic operations.
            let found = unsafe { atomic::compare_swap(image, self.0, Width::W8, old, new)? };
            if found == old {
                return Ok(change);
            }
            expected = Pointer::of_word(found);
        }
    }
}
