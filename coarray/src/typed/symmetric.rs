//! Memory that all images of the job make together, at one offset of their segments, and give back together.

use super::index::rank_of;
use crate::{Block, Location, sync_memory};
use std::fmt;
use xmp_collectives::{Op, allreduce};
use xmp_core::{Error, Image, Rank, Result, heap};

/// A block that every image of the job has. Dropped, it stays allocated until the image ends: giving back needs
/// all images, and one that returns early because of an error must not wait for the others.
pub(super) struct Symmetric<'i> {
    image: &'i Image,
    block: Block,
}

/// What an image that has no room contributes instead of an offset.
const NO_ROOM: u64 = u64::MAX;

impl<'i> Symmetric<'i> {
    /// Takes a block of `size` bytes at a multiple of `align`, lets `initialise` write this image's part, and
    /// waits until all images have done so.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] where there is no room, on other images that another one has none; when the images
    /// do not ask for the same; when not all images of the job execute. Nothing is allocated then, on any image.
    /// When an image has stopped or failed.
    pub fn make(
        image: &'i Image,
        size: u64,
        align: usize,
        initialise: impl FnOnce(*mut u8),
    ) -> Result<Symmetric<'i>> {
        let (executing, all) = (image.executing().len(), image.job().images());
        if executing != all {
            return Err(Error::Invalid(format!(
                "only all images together can make a coarray, and {executing} of {all} execute"
            )));
        }
        let block = Block::allocate_aligned(image, size, heap::GRAIN.max(align as u64));
        if let Ok(block) = &block {
            initialise(block.local(image));
        }
        let offset = block.as_ref().map_or(NO_ROOM, |block| block.offset);
        let [offsets, sizes] = extremes(image, [offset, size])?;
        let block = block?;
        if offsets.0 == offsets.1 && sizes.0 == sizes.1 {
            return Ok(Symmetric { image, block });
        }
        block.free(image)?;
        Err(Error::Invalid(match (offsets.1, sizes) {
            (NO_ROOM, _) => format!("another image has no room for a coarray of {size} bytes"),
            (_, (low, high)) if low != high => {
                format!("a coarray of {size} bytes here, of {low} to {high} bytes on the images")
            }
            _ => "the images have not made and freed the same coarrays before".into(),
        }))
    }

    /// As [`Symmetric::make`], all zeros.
    ///
    /// # Errors
    /// As there.
    pub fn zeroed(image: &'i Image, size: usize, align: usize) -> Result<Symmetric<'i>> {
        // SAFETY: this image's part, which nobody accesses yet.
        Symmetric::make(image, size as u64, align, |start| unsafe { start.write_bytes(0, size) })
    }

    /// Waits for all images, then gives the block back. Like DEALLOCATE.
    ///
    /// # Errors
    /// When an image has stopped or failed, or the images do not give back the same: the block stays allocated
    /// then.
    pub fn free(self) -> Result<()> {
        let (executing, all) = (self.image.executing().len(), self.image.job().images());
        if executing != all {
            return Err(Error::Invalid(format!(
                "only all images together can free a coarray, and {executing} of {all} execute"
            )));
        }
        let [(low, high)] = extremes(self.image, [self.block.offset])?;
        if low != high {
            return Err(Error::Invalid("the images do not free the same coarray".into()));
        }
        self.block.free(self.image)
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

    /// The place of byte `offset` on an image of the executing set.
    ///
    /// # Errors
    /// [`Error::ImageIndex`].
    #[inline(always)]
    pub fn on(&self, image_index: usize, offset: u64) -> Result<Location> {
        Ok(self.at(rank_of(self.image, image_index)?, offset))
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

/// The least and the greatest of what the executing images give for each value. They are synchronised by it, and
/// their transfers complete.
fn extremes<const N: usize>(image: &Image, values: [u64; N]) -> Result<[(u64, u64); N]> {
    sync_memory(image)?;
    // One minimum does both: the complement of the greatest is the least complement.
    let mut both = values.map(|value| [value, !value]);
    allreduce(image, &image.executing(), both.as_flattened_mut(), Op::Min)?;
    Ok(both.map(|[low, high]| (low, !high)))
}
