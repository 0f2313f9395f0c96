//! The blocking collectives on memory of any type, for front ends and for the safe functions of this crate.
//!
//! Each function compares what the images call (`XMP_CHECK`), looks up the forced algorithms (`XMP_COLL`), and executes
//! the operation. In all of them this image must be in the set.

mod parts;
mod scan;

pub use parts::{alltoall, alltoallv, gather, gatherv, scatter, scatterv};
pub use scan::{exscan, scan};

use crate::allgather::allgather_with;
use crate::broadcast::broadcast_with;
use crate::check::{self, Call};
use crate::fast_path;
use crate::host::allgather::{Contribution, Offsets};
use crate::host::broadcast::Message;
use crate::host::reduce::Operand;
use crate::nonblocking::choices;
use crate::parts::prefix_sums;
use crate::reduce::reduce_with;
use crate::reduction::Reduction;
use crate::select::Choices;
use xmp_core::image_set::ImageSet;
use xmp_core::{Error, Image, Result};

/// The algorithms that are forced for an operation, once the images have compared what they call.
#[inline]
fn begin(image: &Image, set: &ImageSet, call: impl FnOnce() -> Call) -> Result<Choices> {
    check::agree(image, set, call)?;
    choices(image)
}

/// Copies the `len` bytes at `buffer` of the image at the 0-based position `root` to `buffer` of all images of the set.
/// All give the same length. The root may return before the others have the data.
///
/// # Errors
/// When an image of the set has stopped or failed and this image learns of it. All images of the root's host and of the
/// ended image's host do. When the root is not in the set. What is at `buffer` is undefined then.
///
/// # Safety
/// `buffer` is valid for reads (root) or writes (others) of `len` bytes, which no other image accesses meanwhile.
///
/// # Panics
/// When this image is not in the set.
#[inline]
pub unsafe fn broadcast(
    image: &Image,
    set: &ImageSet,
    root: usize,
    buffer: *mut u8,
    len: usize,
) -> Result<()> {
    // SAFETY: `buffer` has `len` bytes (contract above).
    if let Some(outcome) = unsafe { fast_path::broadcast(image, set, root, buffer, len) } {
        return outcome;
    }
    let call = || Call::of("broadcast").elements(len, 1).root(root);
    let choices = begin(image, set, call)?;
    // SAFETY: as above.
    unsafe { broadcast_with(image, set, Message { buffer, len, root }, &choices) }
}

/// Combines the `count` elements at `buffer` of all images of the set, element by element, and leaves the result in
/// `buffer` of all of them, the same bits everywhere. All give the same count and reduction.
///
/// # Errors
/// When an image of the set has stopped or failed without taking part. What is at `buffer` is undefined then.
///
/// # Safety
/// `buffer` is valid for reads and writes of `count` elements, which no other image accesses meanwhile.
///
/// # Panics
/// When this image is not in the set.
pub unsafe fn allreduce(
    image: &Image,
    set: &ImageSet,
    buffer: *mut u8,
    count: usize,
    reduction: &Reduction<'_>,
) -> Result<()> {
    let call = || Call::of("allreduce").combined(count, reduction);
    let choices = begin(image, set, call)?;
    let operand = Operand { buffer, count, reduction, to: None };
    // SAFETY: `buffer` has `count` elements (contract above).
    unsafe { reduce_with(image, set, &operand, &choices) }
}

/// As [`allreduce`], but only the image at the 0-based position `root` gets the result; what is at `buffer` of the
/// others afterwards is undefined.
///
/// # Errors
/// As [`allreduce`], on the root; others may have returned before. When the root is not in the set.
///
/// # Safety
/// As [`allreduce`].
///
/// # Panics
/// When this image is not in the set.
pub unsafe fn reduce(
    image: &Image,
    set: &ImageSet,
    root: usize,
    buffer: *mut u8,
    count: usize,
    reduction: &Reduction<'_>,
) -> Result<()> {
    let call = || Call::of("reduce").combined(count, reduction).root(root);
    let choices = begin(image, set, call)?;
    let operand = Operand { buffer, count, reduction, to: Some(root) };
    // SAFETY: `buffer` has `count` elements (contract of [`allreduce`]).
    unsafe { reduce_with(image, set, &operand, &choices) }
}

/// Gathers `len` bytes at `mine` of each image of the set in `all` of every image, in the order of the set.
///
/// # Errors
/// When an image of the set has stopped or failed without taking part. What is at `all` is undefined then.
///
/// # Safety
/// `mine` is valid for reads of `len` bytes, `all` for writes of that times the number of images; they do not
/// overlap and no other image accesses them meanwhile.
///
/// # Panics
/// When this image is not in the set.
pub unsafe fn allgather(
    image: &Image,
    set: &ImageSet,
    mine: *const u8,
    all: *mut u8,
    len: usize,
) -> Result<()> {
    let call = || Call::of("allgather").elements(len, 1);
    let choices = begin(image, set, call)?;
    let contribution = Contribution { mine, all, offsets: Offsets::Equal(len) };
    // SAFETY: `mine` and `all` are that long (contract above).
    unsafe { allgather_with(image, set, &contribution, &choices) }
}

/// As [`allgather`] for contributions of different lengths: image i of the set gives `lens[i]` bytes, and all
/// know that.
///
/// # Errors
/// As [`allgather`]; when there is not one length for each image.
///
/// # Safety
/// As [`allgather`], for these lengths.
///
/// # Panics
/// When this image is not in the set.
pub unsafe fn allgather_lens(
    image: &Image,
    set: &ImageSet,
    mine: *const u8,
    all: *mut u8,
    lens: &[usize],
) -> Result<()> {
    let call = || Call::of("allgatherv").elements(lens.iter().sum(), 1);
    let choices = begin(image, set, call)?;
    if lens.len() != set.len() {
        let (given, images) = (lens.len(), set.len());
        return Err(Error::Invalid(format!("{given} lengths for {images} images")));
    }
    let offsets = prefix_sums(lens.iter().copied());
    let contribution = Contribution { mine, all, offsets: Offsets::Table(&offsets) };
    // SAFETY: `mine` and `all` are that long (contract above).
    unsafe { allgather_with(image, set, &contribution, &choices) }
}
