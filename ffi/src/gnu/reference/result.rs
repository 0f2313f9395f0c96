//! The variable that a by-reference get defines: it is allocated, or allocated anew, if its shape differs.

use crate::gnu::component;
use crate::gnu::types::{Descriptor, Dim};
use std::ffi::c_void;
use xmp_core::{Error, Result};

/// Gives the variable of `descriptor` the shape of what it is assigned (Fortran 2018, 10.2.1.3): with lower bounds of
/// 1 if it is not allocated or has another shape, else as it is. Its element length is in the descriptor.
///
/// # Errors
/// [`Error::OutOfMemory`]; another rank.
///
/// # Safety
/// The compiler made the descriptor of an allocatable variable: its memory, if it has some, is that of the C
/// library's heap or of a component of a coarray of this image.
pub unsafe fn allocate(descriptor: *mut Descriptor, shape: &[usize]) -> Result<()> {
    // SAFETY: the caller's guarantee.
    unsafe {
        let (base, dtype) = ((*descriptor).base, (*descriptor).dtype);
        if usize::try_from(dtype.rank) != Ok(shape.len()) {
            return Err(Error::Invalid(format!(
                "an array of rank {} cannot become a variable of rank {}",
                shape.len(),
                dtype.rank
            )));
        }
        let dims = Descriptor::dims_of(descriptor);
        let extents = || (0..shape.len()).map(|n| (*dims.add(n)).extent());
        if !base.is_null() && extents().eq(shape.iter().copied()) {
            return Ok(());
        }
        let elements = shape.iter().try_fold(1usize, |product, &n| product.checked_mul(n));
        let bytes = elements.and_then(|n| n.checked_mul(dtype.elem_len)).ok_or_else(|| {
            Error::SizeOverflow(format!(
                "an array of shape {shape:?} and {} bytes each",
                dtype.elem_len
            ))
        })?;
        // Size 0 is an address of its own, too.
        let new: *mut c_void = libc::malloc(bytes.max(1));
        if new.is_null() {
            return Err(Error::OutOfMemory {
                heap: "process's memory for the result",
                requested: bytes as u64,
                available: 0,
            });
        }
        component::release(base);
        let mut stride = 1isize;
        let mut offset = 0isize;
        for (n, &extent) in shape.iter().enumerate() {
            *dims.add(n) = Dim { stride, lower: 1, upper: extent as isize };
            offset -= stride;
            stride *= extent as isize;
        }
        (*descriptor).base = new;
        (*descriptor).offset = offset as usize;
        (*descriptor).span = dtype.elem_len as isize;
    }
    Ok(())
}
