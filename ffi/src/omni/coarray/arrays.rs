//! Arguments that are arrays, as gfortran passes them, and the pointers that allocation sets.

use crate::gfortran_abi::{DType, Descriptor, Dim};
use crate::omni::entry::Memory;
use smallvec::SmallVec;
use std::cell::Cell;
use std::ffi::c_int;
use xmp_coarray::plan::Axis;
use xmp_core::{Error, Result};

/// The elements of one side of a transfer, as arguments of an entry function describe them: an address, and how
/// they lie.
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
    pub fn scalar(base: Memory, size: usize) -> Elements {
        Elements { base: base.start(), size, axes: SmallVec::new() }
    }

    /// An array of elements of `size` bytes.
    ///
    /// # Errors
    /// Strides beyond 63 bits.
    pub fn array(descriptor: &Descriptor, size: usize) -> Result<Elements> {
        let unit = descriptor.unit();
        let axis = |dim: &Dim| {
            let stride = (dim.stride as i64).checked_mul(unit).ok_or_else(too_large)?;
            Ok(Axis::Stride { extent: dim.extent(), stride })
        };
        let axes = descriptor.dims().iter().map(axis).collect::<Result<_>>()?;
        Ok(Elements { base: descriptor.base.cast(), size, axes })
    }

    /// Sections as C functions pass them: elements and bytes from one to the next, for each dimension.
    pub fn section(
        base: Memory,
        size: usize,
        dims: impl Iterator<Item = (c_int, c_int)>,
    ) -> Elements {
        let axis = |(count, skip): (c_int, c_int)| Axis::Stride {
            extent: usize::try_from(count).unwrap_or(0),
            stride: skip.into(),
        };
        Elements { base: base.start(), size, axes: dims.map(axis).collect() }
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

/// The elements of a vector of default integers.
pub fn integers(vector: &Descriptor) -> impl Iterator<Item = &Cell<c_int>> {
    let (dim, unit) = (vector.dims()[0], vector.unit());
    let base = vector.base.cast::<u8>();
    (0..dim.extent()).map(move |at| {
        let offset = at as i64 * dim.stride as i64 * unit;
        // SAFETY: the contract of entries: gfortran passes a vector of default integers.
        unsafe { &*base.wrapping_offset(offset as isize).cast() }
    })
}

fn too_large() -> Error {
    Error::SizeOverflow("an array reaches beyond 2^63 bytes".into())
}

/// A pointer variable of the program, with as many dimensions as the procedure is for.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct Pointer(*mut Descriptor);

impl Pointer {
    /// Makes it point to an array at `base`, with elements of `size` bytes of a basic type, and these bounds:
    /// lower, upper for each dimension.
    pub fn associate(self, base: *mut u8, basic: i8, size: usize, bounds: &[c_int]) {
        let (mut stride, mut offset) = (1isize, 0isize);
        let dims = Descriptor::dims_of(self.0);
        for (at, pair) in bounds.chunks_exact(2).enumerate() {
            let (lower, upper) = (pair[0] as isize, pair[1] as isize);
            let dim = Dim { stride, lower, upper };
            offset -= lower * stride;
            stride *= dim.extent() as isize;
            // SAFETY: the contract of entries: the variable has so many dimensions.
            unsafe { *dims.add(at) = dim };
        }
        let rank = (bounds.len() / 2) as i8;
        // SAFETY: the contract of entries: the variable is there.
        unsafe {
            (*self.0).base = base.cast();
            (*self.0).offset = offset as usize;
            (*self.0).dtype = DType { elem_len: size, version: 0, rank, basic, attribute: 0 };
            (*self.0).span = size as isize;
        }
    }

    /// Makes it point to nothing.
    pub fn nullify(self) {
        // SAFETY: the contract of entries: the variable is there.
        unsafe { (*self.0).base = std::ptr::null_mut() };
    }
}
