//! The blocking collectives on memory of any type, for front ends and for the safe functions of this crate.
//!
//! Each function compares the calls of the images (`XMP_CHECK`), looks up the forced algorithms (`XMP_COLL`), and
//! executes the operation. This image must be in the set.

mod parts;

pub use parts::{
    allgatherv, alltoall, alltoall_in_place, alltoallv, gather, gatherv, scatter, scatterv,
};

use crate::allgather::allgather_with;
use crate::arguments::Accesses;
use crate::array_shape::ArrayShape;
use crate::broadcast::broadcast_with;
use crate::check::{self, Call};
use crate::elements::Elements;
use crate::fast_path;
use crate::host::allgather::{Contribution, Offsets};
use crate::host::broadcast::Message;
use crate::host::reduce::Operand;
use crate::host::scan;
use crate::moved;
use crate::nonblocking::choices;
use crate::parts::{bytes, bytes_mut, prefix_sums};
use crate::reduce::reduce_with;
use crate::reduce_scatter::reduce_scatter_with;
use crate::reduction::{Located, Reduction};
use crate::scan::scan_with;
use crate::select::Choices;
use std::borrow::Cow;
use xmp_core::counted::counted;
use xmp_core::image_set::ImageSet;
use xmp_core::number::ElemType;
use xmp_core::{Error, Image, Result};

/// Compares the calls of the images, if the settings ask for that, and returns the forced algorithms.
#[inline]
fn begin(image: &Image, set: &ImageSet, call: impl FnOnce() -> Call) -> Result<Choices> {
    check::agree(image, set, call)?;
    choices(image)
}

/// Copies the `len` bytes at `buffer` of the image at the 0-based position `root` to `buffer` of all images of the set.
/// All images give the same length. The root may return before the others have the data.
///
/// # Errors
/// When an image of the set has stopped or failed and this image learns of it, as all images of the root's host and of
/// the ended image's host do. When the root is not in the set. The contents of `buffer` are undefined then.
///
/// # Safety
/// `buffer` is valid for reads (root) or writes (others) of `len` bytes, which nothing else accesses meanwhile.
#[inline]
pub unsafe fn broadcast(
    image: &Image,
    set: &ImageSet,
    root: usize,
    buffer: *mut u8,
    len: usize,
) -> Result<()> {
    // SAFETY: the contract is the same.
    unsafe { broadcast_of(image, set, root, buffer, len, ElemType::Bytes(1), ArrayShape::NONE) }
}

/// The [`broadcast`] of elements of a type, in an array of a shape, which are the same on all images.
///
/// # Errors
/// Those of [`broadcast`]; when images have learnt that their types or shapes differ.
///
/// # Safety
/// That of [`broadcast`].
#[inline]
pub unsafe fn broadcast_of(
    image: &Image,
    set: &ImageSet,
    root: usize,
    buffer: *mut u8,
    len: usize,
    element: ElemType,
    shape: ArrayShape,
) -> Result<()> {
    // SAFETY: `buffer` has `len` bytes (contract above).
    let done = unsafe { fast_path::broadcast(image, set, root, buffer, len, element, shape) };
    if let Some(outcome) = done {
        return Ok(outcome?);
    }
    let call = || {
        let call = Call::of("broadcast").elements(len, 1).root(root);
        call.moving(moved::code(element)).of_shape(shape)
    };
    let choices = begin(image, set, call)?;
    Accesses::of(image).of_broadcast(set.position() == Some(root), buffer, len).enter();
    // SAFETY: `buffer` has `len` bytes (contract above).
    let message = unsafe { Message::new(buffer, len, root) };
    broadcast_with(image, set, message.of_array(element, shape), &choices)
}

/// The [`broadcast`] of an image that has nothing to send or to receive, because the variable is not allocated here.
///
/// # Errors
/// When it is allocated on another image that this one exchanges with; those of [`broadcast`].
pub fn broadcast_of_nothing(image: &Image, set: &ImageSet, root: usize) -> Result<()> {
    let choices = begin(image, set, || Call::of("broadcast").root(root))?;
    let mut byte = 0;
    // SAFETY: a byte that only the broadcast accesses.
    let message = unsafe { Message::of_nothing(&raw mut byte, root) };
    broadcast_with(image, set, message, &choices)
}

/// Combines the `count` elements at `buffer` of all images of the set, element by element, and leaves the result in
/// `buffer` of all of them, the same bits everywhere. All images give the same count and reduction.
///
/// # Errors
/// When an image of the set has stopped or failed before it took part. The contents of `buffer` are undefined then.
///
/// # Safety
/// `buffer` is valid for reads and writes of `count` elements, which nothing else accesses meanwhile.
pub unsafe fn allreduce(
    image: &Image,
    set: &ImageSet,
    buffer: *mut u8,
    count: usize,
    reduction: &Reduction<'_>,
) -> Result<()> {
    let choices = begin(image, set, || Call::of("allreduce").combined(count, reduction))?;
    Accesses::of(image).writes(buffer, count * reduction.element()).enter();
    // SAFETY: `buffer` has `count` elements (contract above).
    let elements = unsafe { Elements::new(buffer, count, reduction) };
    reduce_with(image, set, &Operand { elements, to: None }, &choices)
}

/// Combines the `count` elements at `buffer` of all images of the set, element by element, and leaves the result in
/// `buffer` of the image at the 0-based position `root`. The contents of `buffer` of the others are undefined then.
///
/// # Errors
/// On the root, when an image of the set has stopped or failed before it took part; the others may have returned
/// before. When the root is not in the set.
///
/// # Safety
/// `buffer` is valid for reads and writes of `count` elements, which nothing else accesses meanwhile.
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
    Accesses::of(image).writes(buffer, count * reduction.element()).enter();
    // SAFETY: `buffer` has `count` elements (contract above).
    let elements = unsafe { Elements::new(buffer, count, reduction) };
    reduce_with(image, set, &Operand { elements, to: Some(root) }, &choices)
}

/// Combines, element by element, the `count` elements at `buffer` of all images up to this one in the order of the set,
/// and leaves the result in `buffer`. All images give the same count and reduction.
///
/// # Errors
/// When an image of the set before this one, or one on its host, has stopped or failed before it took part; other images
/// may have returned before. The contents of `buffer` are undefined then.
///
/// # Safety
/// `buffer` is valid for reads and writes of `count` elements, which nothing else accesses meanwhile.
pub unsafe fn scan(
    image: &Image,
    set: &ImageSet,
    buffer: *mut u8,
    count: usize,
    reduction: &Reduction<'_>,
) -> Result<()> {
    let choices = begin(image, set, || Call::of("scan").combined(count, reduction))?;
    Accesses::of(image).writes(buffer, count * reduction.element()).enter();
    // SAFETY: `buffer` has `count` elements (contract above).
    let elements = unsafe { Elements::new(buffer, count, reduction) };
    scan_with(image, set, &scan::Operand { elements, exclusive: false }, &choices)
}

/// Combines, element by element, the `count` elements at `buffer` of all images before this one in the order of the set,
/// and leaves the result in `buffer`. The first image keeps its elements. All images give the same count and reduction.
///
/// # Errors
/// Those of [`scan()`].
///
/// # Safety
/// `buffer` is valid for reads and writes of `count` elements, which nothing else accesses meanwhile.
pub unsafe fn exscan(
    image: &Image,
    set: &ImageSet,
    buffer: *mut u8,
    count: usize,
    reduction: &Reduction<'_>,
) -> Result<()> {
    let choices = begin(image, set, || Call::of("exscan").combined(count, reduction))?;
    Accesses::of(image).writes(buffer, count * reduction.element()).enter();
    // SAFETY: `buffer` has `count` elements (contract above).
    let elements = unsafe { Elements::new(buffer, count, reduction) };
    scan_with(image, set, &scan::Operand { elements, exclusive: true }, &choices)
}

/// Combines, element by element, the vectors at `all` of all images of the set, which have `count` elements for each image, and
/// leaves those for this image at `mine`. All images give the same count and reduction.
///
/// # Errors
/// When an image of the set has stopped or failed before it took part. The contents of `mine` are undefined then.
///
/// # Safety
/// `all` is valid for reads of `count` elements for each image, `mine` for writes of `count`. They do not overlap, and nothing else
/// accesses them meanwhile.
pub unsafe fn reduce_scatter(
    image: &Image,
    set: &ImageSet,
    all: *const u8,
    mine: *mut u8,
    count: usize,
    reduction: &Reduction<'_>,
) -> Result<()> {
    let choices = begin(image, set, || Call::of("reduce_scatter").combined(count, reduction))?;
    let len = count * reduction.element();
    Accesses::of(image).reads(all, len * set.len()).writes(mine, len).enter();
    // SAFETY: the contract is the same.
    unsafe { reduce_scatter_with(image, set, all, mine, count, reduction, &choices) }
}

/// Finds the least or the greatest of the `count` values at `values` of all images, element by element, and the location that its
/// image gives at `locations` (MPI_MINLOC, MPI_MAXLOC). Of several locations the least one counts. The results are in their place
/// on all images, or on the one at the 0-based position `root`.
///
/// # Errors
/// Those of [`allreduce`] and [`reduce`].
///
/// # Safety
/// `values` is valid for reads and writes of `count` values of the type, `locations` of as many numbers. Nothing else accesses them
/// meanwhile.
pub unsafe fn locate(
    image: &Image,
    set: &ImageSet,
    values: *mut u8,
    locations: *mut i64,
    count: usize,
    located: Located,
    root: Option<usize>,
) -> Result<()> {
    Accesses::of(image).of_locate(values, locations, count, located.value_len()).enter();
    // SAFETY: there are as many values and locations (contract above).
    let mut pairs = unsafe { located.pairs(values, locations, count) };
    let (start, reduction) = (pairs.as_mut_ptr(), located.reduction());
    // SAFETY: `pairs` has `count` of them.
    unsafe {
        match root {
            None => allreduce(image, set, start, count, &reduction)?,
            Some(root) => reduce(image, set, root, start, count, &reduction)?,
        }
    }
    if root.is_none_or(|root| set.position() == Some(root)) {
        // SAFETY: as above.
        unsafe { located.put(&pairs, values, locations) };
    }
    Ok(())
}

/// The `len` bytes at `mine`; a copy if `mine` is `place`, their place in the memory for all parts, which the operation writes.
///
/// # Safety
/// `mine` is valid for reads of `len` bytes, which nothing writes unless it is `place`.
unsafe fn own_part<'a>(mine: *const u8, len: usize, place: *mut u8) -> Cow<'a, [u8]> {
    // SAFETY: there are `len` bytes (contract above).
    let own = unsafe { bytes(mine, len) };
    if mine == place.cast_const() { own.to_vec().into() } else { own.into() }
}

/// Gathers `len` bytes at `mine` of each image of the set in `all` of every image, in the order of the set.
///
/// # Errors
/// When an image of the set has stopped or failed before it took part. The contents of `all` are undefined then.
///
/// # Safety
/// `mine` is valid for reads of `len` bytes, `all` for writes of that times the number of images. They do not overlap, but
/// `mine` may be the part of this image in `all`; nothing else accesses them meanwhile.
pub unsafe fn allgather(
    image: &Image,
    set: &ImageSet,
    mine: *const u8,
    all: *mut u8,
    len: usize,
) -> Result<()> {
    let choices = begin(image, set, || Call::of("allgather").elements(len, 1))?;
    let position = set.position().expect("a member of the set");
    Accesses::of(image).reads(mine, len).writes(all, len * set.len()).enter();
    // SAFETY: `mine` and `all` have these lengths (contract above).
    let (mine, all) = unsafe {
        let own = own_part(mine, len, all.wrapping_add(position * len));
        (own, bytes_mut(all, len * set.len()))
    };
    let mine = &mine;
    let mut contribution = Contribution { mine, all, offsets: Offsets::Equal(len) };
    allgather_with(image, set, &mut contribution, &choices)
}

/// Gathers contributions of different lengths in `all` of every image, one after the other in the order of the set: the
/// image at position i gives `lens[i]` bytes at `mine`, and all images know `lens`.
///
/// # Errors
/// When an image of the set has stopped or failed before it took part; when there is not one length for each image. The
/// contents of `all` are undefined then.
///
/// # Safety
/// `mine` is valid for reads of the length of this image, `all` for writes of all lengths together. They do not overlap, but
/// `mine` may be the part of this image in `all`; nothing else accesses them meanwhile.
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
        let (given, images) = (counted(lens.len(), "length"), counted(set.len(), "image"));
        return Err(Error::Invalid(format!("allgatherv: {given} for {images}")));
    }
    let offsets = prefix_sums(lens.iter().copied());
    let position = set.position().expect("a member of the set");
    Accesses::of(image).reads(mine, lens[position]).writes(all, offsets[lens.len()]).enter();
    // SAFETY: `mine` and `all` have these lengths (contract above).
    let (mine, all) = unsafe {
        let own = own_part(mine, lens[position], all.wrapping_add(offsets[position]));
        (own, bytes_mut(all, offsets[lens.len()]))
    };
    let mine = &mine;
    let mut contribution = Contribution { mine, all, offsets: Offsets::Table(&offsets) };
    allgather_with(image, set, &mut contribution, &choices)
}
