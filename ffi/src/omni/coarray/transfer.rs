//! What puts and gets have in common: where the other side is, whether it is within the coarray, and how it is copied.

use super::arrays::Elements;
use super::descriptor::Coarray;
use super::images;
use crate::process::Instance;
use std::ffi::c_int;
use std::ops::Range;
use xmp_coarray::convert::Converter;
use xmp_coarray::sync_memory;
use xmp_coarray::transfer::{Place, Transfer};
use xmp_core::Result;
use xmp_core::number::ElemType;

/// The address of `len` bytes on the image `index` that correspond to those at `mold` here, if that takes no more than a few
/// comparisons: memory that all images have, on this host, and no directives.
#[inline(always)]
pub fn near(
    instance: &Instance,
    coarray: &Coarray,
    index: c_int,
    mold: *const u8,
    len: usize,
) -> Option<*mut u8> {
    let chunk = coarray.chunk.borrow();
    let chunk = chunk.as_ref().filter(|chunk| chunk.is_live())?;
    chunk.segment_offset()?;
    if !images::is_plain(instance, coarray) {
        return None;
    }
    let segment = instance.image.stack().segment_of_index(index)?;
    coarray.within(chunk, mold, 0..len as i64).ok()?;
    let offset = mold.addr().wrapping_sub(instance.image.own_segment().addr());
    Some(segment.wrapping_add(offset))
}

/// The place on the image `index` that corresponds to `mold` here, of which bytes in `touched` are accessed.
///
/// # Errors
/// When there is no such image; when the coarray is not allocated, or does not have these bytes.
pub fn place(
    instance: &Instance,
    coarray: &Coarray,
    index: c_int,
    mold: *const u8,
    touched: Range<i64>,
) -> Result<Place> {
    let chunk = coarray.chunk()?;
    let within = coarray.within(&chunk, mold, touched)?;
    chunk.place(&instance.image, images::rank_of(instance, coarray, index)?, within)
}

/// Characters of so many bytes.
fn characters(len: usize) -> ElemType {
    ElemType::Character { kind: 1, len }
}

/// Copies to the elements of the image `index` that correspond to those of `mold`. A scalar goes to all of them.
///
/// # Errors
/// When the shapes do not conform; as [`place`].
///
/// # Safety
/// The elements of `src` can be read, and nobody accesses the others in a conflicting way meanwhile.
pub unsafe fn put(
    instance: &Instance,
    coarray: &Coarray,
    index: c_int,
    mold: &Elements,
    src: &Elements,
) -> Result<()> {
    let image = &instance.image;
    let converter = match mold.size == src.size {
        true => None,
        false => Some(Converter::new(characters(src.size), characters(mold.size))?),
    };
    let transfer = match &converter {
        None => Transfer::copy(mold.size, &mold.axes, &src.axes)?,
        Some(converter) => Transfer::convert(converter, &mold.axes, &src.axes)?,
    };
    let touched = transfer.dst_bytes();
    if !touched.is_empty() {
        let to = place(instance, coarray, index, mold.base, touched)?;
        // SAFETY: the caller's guarantee; the bytes of the other side are within the coarray.
        unsafe { transfer.execute(image, to, Place::Near(src.base))? };
    }
    match image.settings().objects.blocking {
        true => sync_memory(image),
        false => Ok(()),
    }
}

/// Copies from the elements of the image `index` that correspond to those of `mold`.
///
/// # Errors
/// As [`put`].
///
/// # Safety
/// As [`put`], the other way round.
pub unsafe fn get(
    instance: &Instance,
    coarray: &Coarray,
    index: c_int,
    mold: &Elements,
    dst: &Elements,
) -> Result<()> {
    let image = &instance.image;
    let converter = match mold.size == dst.size {
        true => None,
        false => Some(Converter::new(characters(mold.size), characters(dst.size))?),
    };
    let transfer = match &converter {
        None => Transfer::copy(mold.size, &dst.axes, &mold.axes)?,
        Some(converter) => Transfer::convert(converter, &dst.axes, &mold.axes)?,
    };
    let touched = transfer.src_bytes();
    if touched.is_empty() {
        return Ok(());
    }
    let from = place(instance, coarray, index, mold.base, touched)?;
    // SAFETY: the caller's guarantee; the bytes of the other side are within the coarray.
    unsafe { transfer.execute(image, Place::Near(dst.base), from) }
}
