//! The elements of arrays that gfortran passes, memory for them, and transfers of them.

use super::{Descriptor, Dim};
use crate::entry::elements::{Elements, too_large};
use std::ffi::c_void;
use xmp_coarray::front_end::convert::Converter;
use xmp_coarray::front_end::plan::Axis;
use xmp_coarray::front_end::transfer::Transfer;
use xmp_core::{Error, Result};

impl Elements {
    /// An array of elements of `size` bytes.
    ///
    /// # Errors
    /// Strides beyond 63 bits.
    pub fn array(descriptor: &Descriptor, size: usize) -> Result<Elements> {
        let unit = descriptor.unit();
        let axis = |dim: &Dim| {
            let stride = (dim.stride as i64).checked_mul(unit).ok_or_else(|| too_large(size))?;
            Ok(Axis::Stride { extent: dim.extent(), stride })
        };
        let axes = descriptor.dims().iter().map(axis).collect::<Result<_>>()?;
        Ok(Elements { base: descriptor.base.cast(), size, axes })
    }
}

/// Memory of the C library's heap, which others may free: the program, or functions that gfortran has compiled. 0 bytes
/// have an address of their own. Errors call the memory `heap`.
pub fn allocate(bytes: usize, heap: &'static str) -> Result<*mut c_void> {
    // SAFETY: `malloc` takes any size.
    let memory = unsafe { libc::malloc(bytes.max(1)) };
    if memory.is_null() {
        return Err(Error::OutOfMemory {
            heap,
            requested: bytes as u64,
            available: 0,
            remedy: String::new(),
        });
    }
    Ok(memory)
}

/// Plans a transfer of elements of `size` bytes, or of elements that are converted.
///
/// # Errors
/// Shapes that do not conform, and sizes beyond 63 bits.
pub fn planned<'a>(
    size: usize,
    converter: Option<&'a Converter>,
    dst: &'a [Axis<'a>],
    src: &'a [Axis<'a>],
) -> Result<Transfer<'a>> {
    match converter {
        None => Transfer::copy(size, dst, src),
        Some(converter) => Transfer::convert(converter, dst, src),
    }
}
