//! Puts and gets of any elements: locates the other side, checks that it lies within the coarray, and copies.

use super::arrays::Elements;
use super::descriptor::Coarray;
use super::images;
use crate::process::Instance;
use std::ffi::c_int;
use std::ops::Range;
use xmp_coarray::convert::Converter;
use xmp_coarray::sync_memory;
use xmp_coarray::transfer::{MemoryRef, Transfer};
use xmp_core::Result;
use xmp_core::number::ElemType;

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
) -> Result<MemoryRef> {
    let chunk = coarray.chunk()?;
    let within = coarray.within(&chunk, mold, touched)?;
    chunk.memory_ref(&instance.image, images::rank_of(instance, coarray, index)?, within)
}

/// Characters of so many bytes.
fn characters(len: usize) -> ElemType {
    ElemType::Character { kind: 1, len }
}

/// Copies to the elements of the image `index` that correspond to those of `mold`. A scalar goes to all of them.
///
/// # Errors
/// When the shapes do not conform; as [`place`].
pub fn put(
    instance: &Instance,
    coarray: &Coarray,
    index: c_int,
    mold: &Elements,
    src: &Elements,
) -> Result<()> {
    let image = &instance.image;
    let converter = if mold.size == src.size {
        None
    } else {
        Some(Converter::new(characters(src.size), characters(mold.size))?)
    };
    let transfer = match &converter {
        None => Transfer::copy(mold.size, &mold.axes, &src.axes)?,
        Some(converter) => Transfer::convert(converter, &mold.axes, &src.axes)?,
    };
    let touched = transfer.dst_bytes();
    if !touched.is_empty() {
        let to = place(instance, coarray, index, mold.base, touched)?;
        // SAFETY: the bytes of the other side are within the coarray; the contract of entries: the elements here
        // are there.
        unsafe { transfer.execute(image, to, MemoryRef::Local(src.base))? };
    }
    if image.settings().objects.blocking { sync_memory(image) } else { Ok(()) }
}

/// Copies from the elements of the image `index` that correspond to those of `mold`.
///
/// # Errors
/// When the shapes do not conform, and for elements outside the coarray.
pub fn get(
    instance: &Instance,
    coarray: &Coarray,
    index: c_int,
    mold: &Elements,
    dst: &Elements,
) -> Result<()> {
    let image = &instance.image;
    let converter = if mold.size == dst.size {
        None
    } else {
        Some(Converter::new(characters(mold.size), characters(dst.size))?)
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
    // SAFETY: the bytes of the other side are within the coarray; the contract of entries: the elements here are there.
    unsafe { transfer.execute(image, MemoryRef::Local(dst.base), from) }
}
