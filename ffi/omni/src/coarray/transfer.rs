//! Puts and gets: locate the side on the other image, check that it is within the coarray, and copy.

use super::descriptor::{Coarray, Handle};
use super::fast_path::{self, Direction};
use super::images;
use std::ffi::c_int;
use std::ops::Range;
use xmp_coarray::front_end::convert::Converter;
use xmp_coarray::front_end::sync_memory;
use xmp_coarray::front_end::transfer::MemoryRef;
use xmp_core::Result;
use xmp_core::number::ElemType;
use xmp_ffi::gfortran_abi::{Descriptor, Elements, planned};
use xmp_ffi::process::{Instance, instance};
use xmp_ffi::xmp::entry::Memory;
use xmp_ffi::xmp::error::done;

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

/// Characters of `len` bytes.
fn characters(len: usize) -> ElemType {
    ElemType::Character { kind: 1, len }
}

/// Copies between the elements of the image `index` that correspond to those of `mold`, and elements `here`. A scalar
/// goes to all elements of an array. Puts to another host are not complete when this returns.
///
/// # Errors
/// When the shapes do not conform; as [`place`].
pub fn elements(
    direction: Direction,
    instance: &Instance,
    coarray: &Coarray,
    index: c_int,
    mold: &Elements,
    here: &Elements,
) -> Result<()> {
    let image = &instance.image;
    let (to, from) = direction.sides(mold, here);
    let converter = (to.size != from.size)
        .then(|| Converter::new(characters(from.size), characters(to.size)))
        .transpose()?;
    let transfer = planned(to.size, converter.as_ref(), &to.axes, &from.axes)?;
    let touched = match direction {
        Direction::Put => transfer.dst_bytes(),
        Direction::Get => transfer.src_bytes(),
    };
    if !touched.is_empty() {
        let there = place(instance, coarray, index, mold.base, touched)?;
        let (to, from) = direction.sides(there, MemoryRef::Local(here.base));
        // SAFETY: the bytes of the other side are within the coarray; the contract of entries: the elements here
        // are there.
        unsafe { transfer.execute(image, to, from)? };
    }
    let waits = direction == Direction::Put && image.settings().objects.blocking;
    if waits { sync_memory(image) } else { Ok(()) }
}

/// Copies a scalar of `size` bytes; that `here` has `here_size`, which differs for characters only.
#[inline(always)]
pub fn scalar(
    direction: Direction,
    handle: Handle,
    index: c_int,
    mold: Memory,
    size: usize,
    here: *mut u8,
    here_size: usize,
) {
    done(direction.operation(), || {
        let (instance, coarray) = (instance(), handle.coarray()?);
        if size == here_size
            && fast_path::scalar(direction, instance, coarray, index, mold, here, size)
        {
            return Ok(());
        }
        let (mold, here) =
            (Elements::scalar(mold.start(), size), Elements::scalar(here, here_size));
        let done = elements(direction, instance, coarray, index, &mold, &here);
        done.map_err(|error| coarray.wrong(error))
    });
}

/// Copies an array of elements of `size` bytes; those `here` have `here_size`, which differs for characters only.
pub fn array(
    direction: Direction,
    handle: Handle,
    index: c_int,
    mold: &Descriptor,
    size: usize,
    here: &Descriptor,
    here_size: usize,
) {
    done(direction.operation(), || {
        let (instance, coarray) = (instance(), handle.coarray()?);
        if size == here_size
            && fast_path::array(direction, instance, coarray, index, mold, here, size)
        {
            return Ok(());
        }
        let (mold, here) = (Elements::array(mold, size)?, Elements::array(here, here_size)?);
        let done = elements(direction, instance, coarray, index, &mold, &here);
        done.map_err(|error| coarray.wrong(error))
    });
}
