//! Arguments that are arrays, as gfortran passes them, and the pointers that allocation sets.

use crate::gfortran_abi::{DType, Descriptor, Dim};
use smallvec::SmallVec;
use std::ffi::c_int;
use xmp_coarray::plan::Axis;
use xmp_core::{Error, Result};

/// The elements of one side of a transfer: an address, and how they lie.
#[derive(Clone, Debug)]
pub struct Elements {
    /// The first one.
    pub base: *mut u8,
    /// Bytes of each.
    pub size: usize,
    /// The dimensions; none for a scalar.
    pub axes: SmallVec<[Axis<'static>; 7]>,
}

impl Elements {
    /// A scalar of `size` bytes.
    #[inline(always)]
    pub fn scalar(base: *const u8, size: usize) -> Elements {
        Elements { base: base.cast_mut(), size, axes: SmallVec::new() }
    }

    /// An array of elements of `size` bytes.
    ///
    /// # Errors
    /// Strides beyond 63 bits.
    ///
    /// # Safety
    /// gfortran made the descriptor.
    pub unsafe fn array(descriptor: *const Descriptor, size: usize) -> Result<Elements> {
        // SAFETY: the caller's guarantee.
        let (descriptor, dims) = unsafe { (&*descriptor, (*descriptor).dims()) };
        let unit = descriptor.unit();
        let axis = |dim: &Dim| {
            let stride = (dim.stride as i64).checked_mul(unit).ok_or_else(too_large)?;
            Ok(Axis::Stride { extent: dim.extent(), stride })
        };
        let axes = dims.iter().map(axis).collect::<Result<_>>()?;
        Ok(Elements { base: descriptor.base.cast(), size, axes })
    }

    /// Sections as C functions pass them: elements and bytes from one to the next, for each dimension.
    pub fn section(
        base: *const u8,
        size: usize,
        dims: impl Iterator<Item = (c_int, c_int)>,
    ) -> Elements {
        let axis = |(count, skip): (c_int, c_int)| Axis::Stride {
            extent: usize::try_from(count).unwrap_or(0),
            stride: skip.into(),
        };
        Elements { base: base.cast_mut(), size, axes: dims.map(axis).collect() }
    }

    /// The number of elements.
    ///
    /// # Errors
    /// More than there are addresses.
    pub fn count(&self) -> Result<usize> {
        let extents = self.axes.iter().map(Axis::extent);
        extents.into_iter().try_fold(1usize, usize::checked_mul).ok_or_else(too_large)
    }
}

/// The bytes of two arrays of one shape whose elements, of `size` bytes, lie one after the other on both sides; `None` for
/// any others, and for those without elements.
///
/// # Safety
/// gfortran made the descriptors.
#[inline]
pub unsafe fn together(one: &Descriptor, other: &Descriptor, size: usize) -> Option<usize> {
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

/// The elements of a vector of default integers.
///
/// # Safety
/// gfortran made the descriptor, of one dimension.
pub unsafe fn integers(vector: &Descriptor) -> impl Iterator<Item = *mut c_int> {
    let (dim, unit) = (vector.dims()[0], vector.unit());
    let base = vector.base.cast::<u8>();
    (0..dim.extent()).map(move |at| {
        let offset = at as i64 * dim.stride as i64 * unit;
        base.wrapping_offset(offset as isize).cast()
    })
}

fn too_large() -> Error {
    Error::SizeOverflow("an array reaches beyond 2^63 bytes".into())
}

/// Makes a pointer point to an array at `base`, with elements of `size` bytes of a basic type, and these bounds: lower, upper for
/// each dimension.
///
/// # Safety
/// The descriptor is that of a pointer with so many dimensions.
pub unsafe fn associate(
    pointer: *mut Descriptor,
    base: *mut u8,
    (basic, size): (i8, usize),
    bounds: &[c_int],
) {
    let (mut stride, mut offset) = (1isize, 0isize);
    let dims = Descriptor::dims_of(pointer);
    for (at, pair) in bounds.chunks_exact(2).enumerate() {
        let (lower, upper) = (pair[0] as isize, pair[1] as isize);
        let dim = Dim { stride, lower, upper };
        offset -= lower * stride;
        stride *= dim.extent() as isize;
        // SAFETY: the caller's guarantee.
        unsafe { *dims.add(at) = dim };
    }
    let rank = (bounds.len() / 2) as i8;
    // SAFETY: as above.
    unsafe {
        (*pointer).base = base.cast();
        (*pointer).offset = offset as usize;
        (*pointer).dtype = DType { elem_len: size, version: 0, rank, basic, attribute: 0 };
        (*pointer).span = size as isize;
    }
}
