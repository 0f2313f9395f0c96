//! Symmetric memory of Rust programs: the executing images allocate it collectively, at one offset of their segments,
//! and free it collectively.
//!
//! The memory lives as long as the entry of the executing set that has allocated it: the program, one CHANGE TEAM, or one
//! task region. A handle may outlive it, because its lifetime may be that of the image of an outer region. So each access
//! checks that the entry is still on the image's stack. For memory of the program that is one comparison.

use super::index::Coindex;
use crate::allocation::Described;
use crate::{Block, Location, allocation};
use std::any::type_name;
use std::fmt;
use xmp_core::machine::byte_atomic;
use xmp_core::{Error, Image, Rank, Result, hash};

/// A block that every image of a set has. Dropped, it stays allocated until the set is left: giving back needs all
/// its images, and one that returns early because of an error must not wait for the others.
pub(super) struct Symmetric<'i> {
    image: &'i Image,
    block: Block,
    /// The entry that made it, [`PROGRAM`] for the start of the program.
    entry: u64,
}

/// The entry that is never left.
const PROGRAM: u64 = 0;

/// A number of a type, the same on all images, which execute one program.
fn type_hash<T>() -> u64 {
    hash::of(type_name::<T>())
}

impl<'i> Symmetric<'i> {
    /// Takes a block of `size` bytes for a coarray of `T` at a multiple of `align`, lets `initialise` write this image's part, and
    /// waits until all executing images have done so.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] where there is no room, on other images that another one has none; when the images
    /// do not ask for the same. Nothing is allocated then, on any image. When an image has stopped or failed.
    pub fn make<T>(
        image: &'i Image,
        size: u64,
        align: usize,
        initialise: impl FnOnce(*mut u8),
    ) -> Result<Symmetric<'i>> {
        let described = Described { elements: type_hash::<T>(), ..Described::default() };
        let block = allocation::make_described(image, size, align, described, initialise)?;
        Ok(Symmetric { image, block, entry: image.stack().top().serial() })
    }

    /// The same block, which has elements of this many bytes.
    #[must_use]
    pub fn with_elements(self, size: usize) -> Symmetric<'i> {
        if let Some(races) = self.image.races() {
            races.allocated.set_element(self.block.offset, size as u64);
        }
        self
    }

    /// Allocates a block of zeros together ([`Symmetric::make`]).
    ///
    /// # Errors
    /// The errors of [`Symmetric::make`].
    pub fn zeroed<T>(image: &'i Image, size: usize, align: usize) -> Result<Symmetric<'i>> {
        // SAFETY: this image's part has `size` bytes. Another image may still write what was there before, in a task region
        // that this image has left; all accesses of safe programs to coarrays are atomic per byte.
        let initialise = |start| unsafe { byte_atomic::zero(start, size) };
        Symmetric::make::<T>(image, size as u64, align, initialise)
    }

    /// Waits for all executing images, then gives the block back. Like DEALLOCATE.
    ///
    /// # Errors
    /// When the block was made in another entry of a team or region than the innermost; when an image has stopped or
    /// failed, or the images do not give back the same. The block stays allocated then.
    pub fn free(self) -> Result<()> {
        self.own_rank()?;
        // SAFETY: this was the only handle of the block on this image.
        unsafe { allocation::free(self.image, self.block) }
    }

    /// The image that this is the part of.
    #[inline(always)]
    pub fn image(&self) -> &'i Image {
        self.image
    }

    /// The block.
    #[inline(always)]
    pub fn block(&self) -> &Block {
        &self.block
    }

    /// This image's part.
    #[inline(always)]
    pub fn local(&self) -> *mut u8 {
        self.block.local(self.image)
    }

    /// The error of an access to `count` elements of `len` bytes, from element `first`.
    #[cold]
    pub fn outside(&self, first: usize, count: usize, len: usize) -> Error {
        let bytes = |k: usize| k.saturating_mul(len).min(i64::MAX as usize) as i64;
        let (from, to) = (bytes(first), bytes(first.saturating_add(count)));
        Error::OutOfBounds { from, to, size: self.block.size }
    }

    /// The image that is meant by `index`.
    ///
    /// # Errors
    /// [`Error::ImageIndex`]; when the image does not have the block, or the block was freed.
    #[inline(always)]
    pub fn rank(&self, index: impl Coindex) -> Result<Rank> {
        let rank = index.rank(self.image)?;
        match self.entry {
            PROGRAM => Ok(rank),
            _ => self.check(rank).map(|()| rank),
        }
    }

    /// This image.
    ///
    /// # Errors
    /// When the block is gone.
    #[inline(always)]
    pub fn own_rank(&self) -> Result<Rank> {
        let rank = self.image.rank();
        match self.entry {
            PROGRAM => Ok(rank),
            _ => self.check(rank).map(|()| rank),
        }
    }

    /// Whether this image has the block still, and the other one has it, too.
    #[inline(never)]
    fn check(&self, rank: Rank) -> Result<()> {
        let frames = self.image.stack().frames();
        let Some(frame) = frames.iter().rev().find(|frame| frame.serial() == self.entry) else {
            return Err(Error::Invalid(
                "the coarray is gone: the team or task region that it was made in has been left"
                    .into(),
            ));
        };
        match frame.set().position_of(rank) {
            Some(_) => Ok(()),
            None => Err(Error::Invalid(format!(
                "{rank} does not have the coarray, which {} other images made",
                frame.set().len()
            ))),
        }
    }

    /// The place of byte `offset` on the image that is meant by `index`.
    ///
    /// # Errors
    /// The errors of [`Symmetric::rank`].
    #[inline(always)]
    pub fn on(&self, index: impl Coindex, offset: u64) -> Result<Location> {
        Ok(self.at(self.rank(index)?, offset))
    }

    /// The place of byte `offset` on an image.
    #[inline(always)]
    pub fn at(&self, rank: Rank, offset: u64) -> Location {
        Location { rank, offset: self.block.offset + offset }
    }
}

impl fmt::Debug for Symmetric<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Not all that the image knows.
        f.debug_struct("Symmetric").field("block", &self.block).finish_non_exhaustive()
    }
}
