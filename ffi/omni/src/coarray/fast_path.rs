//! The fast path of transfers: one contiguous block of memory in the segments of this host, without conversion. It
//! takes a few comparisons, one load or store for small blocks, and no lock or allocation.

use super::descriptor::Coarray;
use super::images;
use std::ffi::c_int;
use xmp_coarray::front_end::plan::copy_block;
use xmp_ffi::gfortran_abi::{Descriptor, Dim};
use xmp_ffi::process::Instance;
use xmp_ffi::xmp::entry::Memory;

/// Which way elements go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To the coarray on the other image.
    Put,
    /// From there.
    Get,
}

impl Direction {
    /// What messages call it.
    pub fn operation(self) -> &'static str {
        match self {
            Direction::Put => "put",
            Direction::Get => "get",
        }
    }

    /// The destination and the source, of what is on the other image and what is here.
    #[inline(always)]
    pub fn sides<T>(self, there: T, here: T) -> (T, T) {
        match self {
            Direction::Put => (there, here),
            Direction::Get => (here, there),
        }
    }
}

/// Copies a scalar of `size` bytes; false, without any effect, where the fast path does not apply.
#[inline(always)]
pub fn scalar(
    direction: Direction,
    instance: &Instance,
    coarray: &Coarray,
    index: c_int,
    mold: Memory,
    here: *mut u8,
    size: usize,
) -> bool {
    let there = local_address(instance, coarray, index, mold.start(), size);
    there.map(|there| block(direction, there, here, size)).is_some()
}

/// Copies an array of elements of `size` bytes; false, without any effect, where the fast path does not apply.
#[inline(always)]
pub fn array(
    direction: Direction,
    instance: &Instance,
    coarray: &Coarray,
    index: c_int,
    mold: &Descriptor,
    here: &Descriptor,
    size: usize,
) -> bool {
    let Some(len) = contiguous_bytes(mold, here, size) else { return false };
    let there = local_address(instance, coarray, index, mold.base.cast(), len);
    there.map(|there| block(direction, there, here.base.cast(), len)).is_some()
}

/// Copies `len` bytes that [`local_address`] has found.
#[inline(always)]
fn block(direction: Direction, there: *mut u8, here: *mut u8, len: usize) {
    let (to, from) = direction.sides(there, here);
    // SAFETY: the bytes there are within the coarray; the contract of entries: there are `len` bytes here.
    unsafe { copy_block(to, from, len) };
}

/// The address of `len` bytes on the image `index` that correspond to those at `mold` here. `None` where the fast
/// path does not apply: memory that is not in the segments, another host, a COARRAY or IMAGE directive.
#[inline(always)]
fn local_address(
    instance: &Instance,
    coarray: &Coarray,
    index: c_int,
    mold: *const u8,
    len: usize,
) -> Option<*mut u8> {
    let chunk = coarray.chunk.borrow();
    let chunk = chunk.as_ref().filter(|chunk| chunk.is_live())?;
    chunk.segment_offset()?;
    if coarray.nodes.borrow().is_some() || images::are_named(instance) {
        return None;
    }
    let segment = instance.image.stack().segment_of_index(index)?;
    coarray.within(chunk, mold, 0..len as i64).ok()?;
    let offset = mold.addr().wrapping_sub(instance.image.own_segment().addr());
    Some(segment.wrapping_add(offset))
}

/// The bytes of two arrays of one shape whose elements, of `size` bytes, are one after the other on both sides;
/// `None` for any others, and for those without elements.
#[inline]
fn contiguous_bytes(one: &Descriptor, other: &Descriptor, size: usize) -> Option<usize> {
    let (dims, others) = (one.dims(), other.dims());
    let (unit, other_unit) = (one.unit(), other.unit());
    let mut bytes = size;
    for (dim, other) in dims.iter().zip(others) {
        let extent = dim.extent();
        let dense = |dim: &Dim, unit: i64| {
            (dim.stride as i64).checked_mul(unit).and_then(|step| usize::try_from(step).ok())
                == Some(bytes)
        };
        if extent != other.extent()
            || !(extent == 1 || (dense(dim, unit) && dense(other, other_unit)))
        {
            return None;
        }
        bytes = bytes.checked_mul(extent)?;
    }
    (dims.len() == others.len() && bytes > 0).then_some(bytes)
}
