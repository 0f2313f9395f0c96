//! Collective allocation and deallocation of symmetric blocks, with a check that all executing images ask for the same.

use crate::Block;
use xmp_collectives::statement::{Difference, Statement, StatementRecord};
use xmp_collectives::{barrier_comparing, complete_before_barrier};
use xmp_core::counted::counted;
use xmp_core::{Error, Image, Rank, Result, heap};

/// The word that an image without room contributes instead of an offset.
const NO_ROOM: u64 = u64::MAX;

/// The kinds of the two statements. (Those of [`crate::same_statement`] are others.)
const ALLOCATE: u8 = 3;
const DEALLOCATE: u8 = 4;

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
    make_described(image, size, align, Described::default(), initialise)
}

/// The properties of a coarray, besides its size, that images compare.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Described {
    /// A hash of the cobounds; 0 where there are none.
    pub cobounds: u64,
    /// A hash of the type of the elements; 0 where it is not known.
    pub elements: u64,
}

/// The same for a coarray of this description, by which the images compare it.
pub fn make_described(
    image: &Image,
    size: u64,
    align: usize,
    described: Described,
    initialise: impl FnOnce(*mut u8),
) -> Result<Block> {
    image.threads().only_one()?;
    let block = Block::allocate_aligned(image, size, heap::GRAIN.max(align as u64));
    if let Ok(block) = &block {
        initialise(block.local(image));
    }
    let block = agree_on(image, size, described, block)?;
    if let Some(races) = image.races() {
        races.allocated.add(block.offset, block.size, races.this_site());
    }
    Ok(block)
}

/// The block of `size` bytes that all executing images have tried to take, if all have got the same; they are
/// synchronised by it. Otherwise each image that has got a block frees it.
pub fn agree(image: &Image, size: u64, block: Result<Block>) -> Result<Block> {
    agree_on(image, size, Described::default(), block)
}

fn agree_on(
    image: &Image,
    size: u64,
    Described { cobounds, elements }: Described,
    block: Result<Block>,
) -> Result<Block> {
    let offset = block.as_ref().map_or(NO_ROOM, |block| block.offset);
    let difference = compare(image, "allocate", ALLOCATE, [size, offset, cobounds, elements])?;
    let block = block?;
    let Some(difference) = difference else { return Ok(block) };
    // SAFETY: no image has got the block.
    unsafe { block.free(image)? };
    let Difference { first, other } = *difference;
    let words = |found: StatementRecord| {
        found.map(|(_, [size, offset, cobounds, elements, ..])| [size, offset, cobounds, elements])
    };
    Err(Error::Invalid(match (words(first.1), words(other.1)) {
        (Some([_, NO_ROOM, ..]), Some(_)) => no_room(first.0, size),
        (Some(_), Some([_, NO_ROOM, ..])) => no_room(other.0, size),
        (Some([own, ..]), Some([theirs, ..])) if own != theirs => {
            let [own, theirs] = [own, theirs].map(|bytes| counted(bytes, "byte"));
            format!("{} allocates {own}, {} {theirs}", first.0, other.0)
        }
        (Some([_, _, own, _]), Some([_, _, theirs, _])) if own != theirs => {
            format!("{} and {} allocate a coarray with different cobounds", first.0, other.0)
        }
        (Some([.., own]), Some([.., theirs])) if own != theirs => {
            format!("{} and {} allocate a coarray of elements of different types", first.0, other.0)
        }
        (Some(_), Some(_)) => {
            format!("{} and {} have not made and freed the same coarrays before", first.0, other.0)
        }
        (None, _) => missing(first.0),
        (_, None) => missing(other.0),
    }))
}

fn no_room(image: Rank, size: u64) -> String {
    format!("{image} has no room for a coarray of {}", counted(size, "byte"))
}

fn missing(image: Rank) -> String {
    format!("{image} does not execute this statement")
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
    match compare(image, "deallocate", DEALLOCATE, [0, what, 0, 0])? {
        None => Ok(()),
        Some(difference) => {
            let [first, other] = [difference.first.0, difference.other.0];
            Err(Error::Invalid(format!("{first} and {other} do not free the same coarray")))
        }
    }
}

/// Synchronises the executing images, completes their transfers, and compares these words of all of them. Returns the first
/// difference.
fn compare(
    image: &Image,
    name: &'static str,
    kind: u8,
    [size, offset, cobounds, elements]: [u64; 4],
) -> Result<Option<Box<Difference>>> {
    let set = image.executing();
    complete_before_barrier(image, &set)?;
    let words = [size, offset, cobounds, elements, 0, 0, 0];
    let statement = Statement::new(name, kind, words, |own, other| own == other);
    barrier_comparing(image, &set, &statement)
}
