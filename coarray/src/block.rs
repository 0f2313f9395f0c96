//! Blocks: the memory of one coarray, at the same offset in the segment of every image that has it; and locations in
//! segments.

use xmp_core::{Error, Image, Rank, Result, heap};

/// The location of a word or a block: a place in the segment of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Location {
    /// The image.
    pub rank: Rank,
    /// Bytes from the start of its segment.
    pub offset: u64,
}

/// A block of the symmetric heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Segment offset, equal on all images.
    pub offset: u64,
    /// Bytes that the coarray has on each image.
    pub size: u64,
}

impl Block {
    /// Takes a block of `size` bytes, aligned to a cache line. All images of the initial team call this in
    /// the same order; it does not synchronise them. The bytes are not cleared.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn allocate(image: &Image, size: u64) -> Result<Block> {
        Block::allocate_aligned(image, size, heap::GRAIN)
    }

    /// Allocates a block at a multiple of `align` (a power of two).
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn allocate_aligned(image: &Image, size: u64, align: u64) -> Result<Block> {
        Ok(Block { offset: image.memory().allocate_symmetric(size, align)?, size })
    }

    /// Gives the block back.
    ///
    /// # Errors
    /// When the block is not allocated.
    ///
    /// # Safety
    /// No image uses the block any more: callers synchronise first.
    pub unsafe fn free(self, image: &Image) -> Result<()> {
        // SAFETY: the contract of this function.
        unsafe { image.memory().free_symmetric(self.offset) }
    }

    /// Gives the block back, of which this image has found since it entered the executing set that it may
    /// ([`xmp_core::image::Memory::check_free_symmetric`]).
    ///
    /// # Errors
    /// When the block is not allocated.
    ///
    /// # Safety
    /// No image uses the block any more: callers synchronise first.
    pub unsafe fn free_checked(self, image: &Image) -> Result<()> {
        // SAFETY: the contract of this function.
        unsafe { image.memory().free_checked(self.offset) }
    }

    /// This image's part of the block.
    #[inline(always)]
    pub fn local(&self, image: &Image) -> *mut u8 {
        image.own_segment().wrapping_add(self.offset as usize)
    }

    /// Whether `from..to`, relative to the start of the block, is within it.
    ///
    /// # Errors
    /// [`Error::OutOfBounds`].
    #[inline(always)]
    pub fn check(&self, from: i64, to: i64) -> Result<()> {
        if from < 0 || to < from || to as u64 > self.size {
            return self.out_of_bounds(from, to);
        }
        Ok(())
    }

    #[cold]
    fn out_of_bounds(&self, from: i64, to: i64) -> Result<()> {
        Err(Error::OutOfBounds { from, to, size: self.size })
    }
}
