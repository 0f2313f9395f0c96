//! The variable that a by-reference transfer defines: it is allocated, or allocated anew, if its shape differs.

use crate::gfortran_abi::{self, Descriptor, Dim};
use crate::gnu::component;
use crate::gnu::token::TokenHandle;
use crate::process::Instance;
use std::cell::Cell;
use std::ffi::c_void;
use std::ptr;
use xmp_core::counted::counted;
use xmp_core::{Error, Result};

/// Memory that a variable has had; what it is assigned may still are there.
#[must_use = "it has to be released"]
pub struct Former(*mut c_void);

impl Former {
    /// Gives it back.
    pub fn release(self) {
        // SAFETY: `allocate` has made this of an allocatable variable that has other memory now.
        unsafe { component::release(self.0) };
    }
}

/// Gives the variable of `descriptor` the shape of what it is assigned (Fortran 2018, 10.2.1.3): with lower bounds of
/// 1 if it is not allocated or has another shape, else as it is. Its element length is in the descriptor. If it is a
/// component of a coarray its token is given, and the memory becomes such that other images can reach.
///
/// # Errors
/// [`Error::OutOfMemory`]; another rank. The variable is as it was then.
///
/// # Safety
/// The compiler made the descriptor of an allocatable variable: its memory, if it has some, is that of the C
/// library's heap or of a component of a coarray of this image.
pub unsafe fn allocate(
    instance: &Instance,
    descriptor: &mut Descriptor,
    component: Option<&Cell<TokenHandle>>,
    shape: &[usize],
) -> Result<Former> {
    let (base, dtype) = (descriptor.base, descriptor.dtype);
    let rank = shape.len();
    if usize::try_from(dtype.rank) != Ok(rank) {
        return Err(Error::Invalid(format!(
            "an array of rank {rank} cannot become a variable of rank {}",
            dtype.rank
        )));
    }
    if !base.is_null() && descriptor.dims().iter().map(Dim::extent).eq(shape.iter().copied()) {
        return Ok(Former(ptr::null_mut()));
    }
    let elements = shape.iter().try_fold(1usize, |product, &n| product.checked_mul(n));
    let bytes = elements.and_then(|n| n.checked_mul(dtype.elem_len)).ok_or_else(|| {
        Error::SizeOverflow(format!(
            "an array of shape {shape:?} and {} each",
            counted(dtype.elem_len, "byte")
        ))
    })?;
    match component {
        Some(token) => component::register(instance, Some(bytes), token, descriptor)?,
        None => {
            descriptor.base = gfortran_abi::allocate(bytes, "process's memory for the result")?;
        }
    }
    let mut stride = 1isize;
    let mut offset = 0isize;
    let dims = shape.iter().map(|&extent| {
        let dim = Dim { stride, lower: 1, upper: extent as isize };
        offset -= stride;
        stride *= extent as isize;
        dim
    });
    descriptor.set_dims(dims);
    if rank > 0 {
        descriptor.offset = offset as usize;
        descriptor.span = dtype.elem_len as isize;
    }
    Ok(Former(base))
}
