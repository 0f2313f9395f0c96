//! Vectors of integers, as gfortran passes them, and the pointers that allocation sets.

use std::cell::Cell;
use std::ffi::c_int;
use xmp_ffi::gfortran_abi::{DType, Descriptor, Dim};

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
            // SAFETY: the contract of entries: the variable has a dimension for each pair of bounds.
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
