//! Collective allocation and deallocation of symmetric blocks, with a check that all executing images ask for the same.

use crate::{Block, sync_memory};
use xmp_collectives::check::{self, Call};
use xmp_collectives::ordering::ordering;
use xmp_collectives::{Op, allreduce};
use xmp_core::{Error, Image, Result, heap};

/// The word that an image without room contributes instead of an offset.
const NO_ROOM: u64 = u64::MAX;

/// Takes a block of `size` bytes at a multiple of `align`, lets `initialise` write this image's part, and waits until
/// all executing images have done so.
///
/// # Errors
/// [`Error::OutOfMemory`] where there is no room, on other images that another one has none; when the images do not
/// ask for the same. Nothing is allocated then, on any image. When an image has stopped or failed.
pub fn make(
    image: &Image,
    size: u64,
    align: usize,
    initialise: impl FnOnce(*mut u8),
) -> Result<Block> {
    image.threads().only_one()?;
    let block = Block::allocate_aligned(image, size, heap::GRAIN.max(align as u64));
    if let Ok(block) = &block {
        initialise(block.local(image));
    }
    agree(image, size, block)
}

/// The block of `size` bytes that all executing images have tried to take, if all have got the same; they are
/// synchronised by it. Otherwise each image that has got a block frees it.
pub fn agree(image: &Image, size: u64, block: Result<Block>) -> Result<Block> {
    let offset = block.as_ref().map_or(NO_ROOM, |block| block.offset);
    let [offsets, sizes] = extremes(image, "allocate", [offset, size])?;
    let block = block?;
    if offsets.0 == offsets.1 && sizes.0 == sizes.1 {
        return Ok(block);
    }
    // SAFETY: no image has got the block.
    unsafe { block.free(image)? };
    Err(Error::Invalid(match (offsets.1, sizes) {
        (NO_ROOM, _) => format!("another image has no room for a coarray of {size} bytes"),
        (_, (low, high)) if low != high => {
            format!("a coarray of {size} bytes here, of {low} to {high} bytes on the images")
        }
        _ => "the images have not made and freed the same coarrays before".into(),
    }))
}

/// Allocates a block of zeros together, as [`make`] does.
pub fn make_zeroed(image: &Image, size: u64, align: usize) -> Result<Block> {
    // SAFETY: this image's part of the new block, `size` bytes, which no other image accesses yet.
    make(image, size, align, |start| unsafe { start.write_bytes(0, size as usize) })
}

/// Waits for all executing images, then gives the block back. Like DEALLOCATE.
///
/// # Errors
/// When the block was made before the executing set was entered; when an image has stopped or failed, or the images do
/// not give back the same. The block stays allocated then.
///
/// # Safety
/// No image uses the block after it has called this.
pub unsafe fn free(image: &Image, block: Block) -> Result<()> {
    image.threads().only_one()?;
    image.memory().check_free_symmetric(block.offset)?;
    agree_to_free(image, block.offset)?;
    // SAFETY: all images have come here, after which they do not use the block (contract above).
    unsafe { block.free(image) }
}

/// Waits for all executing images, which name what they are about to give back, each by the same number.
///
/// # Errors
/// When an image has stopped or failed; when the numbers differ.
pub fn agree_to_free(image: &Image, what: u64) -> Result<()> {
    let [(low, high)] = extremes(image, "deallocate", [what])?;
    if low == high {
        Ok(())
    } else {
        Err(Error::Invalid("the images do not free the same coarray".into()))
    }
}

/// The least and the greatest of what the executing images give for each value in this statement. They are synchronised
/// by it, and their transfers complete.
fn extremes<const N: usize>(
    image: &Image,
    statement: &str,
    values: [u64; N],
) -> Result<[(u64, u64); N]> {
    sync_memory(image)?;
    // One minimum does both: the complement of the greatest is the least complement.
    let mut both = values.map(|value| [value, !value]);
    let set = image.executing();
    check::agree(image, &set, || Call::of(statement))?;
    ordering(image, &set, || allreduce(image, &set, both.as_flattened_mut(), Op::Min))?;
    Ok(both.map(|[low, high]| (low, !high)))
}
