//! `align` (XcalableMP 1.4, 4.3.4), a call for each dimension of the array.
//!
//! What is written to `temp0` is what the program has compiled in the use of: the number that is subtracted from an index
//! in a blocked dimension, the number of nodes in a cyclic one. It changes with the shadow; the array notes where.

use super::array::note_origin;
use crate::omni::error::{Outcome, Wrong, done};
use crate::omni::objects::{Alignment, ArrayObject, Descriptor, Object};
use crate::process::instance;
use std::ffi::{c_int, c_longlong, c_ulonglong};
use xmp_core::global::Format;

/// Aligns a dimension and writes `temp0`, now and when the shadow is known.
///
/// # Safety
/// `array` describes one; `temp0` is null or valid as long as it is there.
unsafe fn align(array: Descriptor, dim: c_int, axis: c_int, offset: c_longlong, temp0: *mut c_int) {
    done("align", || {
        // SAFETY: the caller's guarantee.
        let array = unsafe { Object::<ArrayObject>::of(array)? };
        let axis = axis as usize;
        check_blocks(array, axis, offset)?;
        array.change(dim as usize, |dim| dim.alignment = Alignment::With { axis, offset })?;
        array.notes.at(dim as usize).temp0.set(temp0);
        // SAFETY: the caller's guarantee.
        unsafe { note_origin(&instance().image, array, dim as usize) }
    });
}

/// The formula of block-cyclic dimensions knows no offset within a block.
fn check_blocks(array: &ArrayObject, axis: usize, offset: c_longlong) -> Outcome {
    let Some(Format::CyclicOf(width)) = array.template.format(axis) else { return Ok(()) };
    let lower = array.template.bounds().map_or(0, |bounds| bounds[axis].0);
    match (offset - lower) % width {
        0 => Ok(()),
        _ => Err(Wrong::because(format!(
            "an offset of {offset} is not at the start of a block of {width} indices of a template from {lower} on: \
             compiled code cannot compute such indices"
        ))),
    }
}

/// Defines the calls for one distribution, which are all the same here.
macro_rules! aligned {
    ($($(#[$doc:meta])* $name:ident;)*) => { $(
        $(#[$doc])*
        ///
        /// # Safety
        /// `array` describes one; `temp0` is valid as long as it is there.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            array: Descriptor,
            dim: c_int,
            axis: c_int,
            offset: c_longlong,
            temp0: *mut c_int,
        ) {
            // SAFETY: the caller's guarantee.
            unsafe { align(array, dim, axis, offset, temp0) }
        }
    )* };
}

aligned! {
    /// A dimension aligned with one distributed by `block`.
    _XMP_align_array_BLOCK;
    /// A dimension aligned with one distributed by `cyclic`.
    _XMP_align_array_CYCLIC;
    /// A dimension aligned with one distributed by `cyclic(n)`.
    _XMP_align_array_BLOCK_CYCLIC;
    /// A dimension aligned with one distributed by `gblock`.
    _XMP_align_array_GBLOCK;
}

/// A dimension aligned with one that every node has wholly.
///
/// # Safety
/// `array` describes one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _XMP_align_array_DUPLICATION(
    array: Descriptor,
    dim: c_int,
    axis: c_int,
    offset: c_longlong,
) {
    // SAFETY: the caller's guarantee.
    unsafe { align(array, dim, axis, offset, std::ptr::null_mut()) }
}

/// A dimension that is aligned with nothing.
///
/// # Safety
/// `array` describes one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _XMP_align_array_NOT_ALIGNED(array: Descriptor, dim: c_int) {
    done("align", || {
        // SAFETY: the caller's guarantee.
        let array = unsafe { Object::<ArrayObject>::of(array)? };
        array.change(dim as usize, |dim| dim.alignment = Alignment::Nothing)
    });
}

/// A dimension of a pointer, to which `xmp_malloc` will give memory: the template may not be fixed yet.
///
/// # Safety
/// As [`_XMP_align_array_BLOCK`], of `stride`, too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _XMP_align_array_noalloc(
    array: Descriptor,
    dim: c_int,
    axis: c_int,
    offset: c_longlong,
    temp0: *mut c_int,
    stride: *mut c_ulonglong,
) {
    done("align", || {
        // SAFETY: the caller's guarantee.
        let array = unsafe { Object::<ArrayObject>::of(array)? };
        let alignment = match usize::try_from(axis) {
            Ok(axis) => Alignment::With { axis, offset },
            Err(_) => Alignment::Nothing,
        };
        array.change(dim as usize, |dim| dim.alignment = alignment)?;
        let notes = array.notes.at(dim as usize);
        notes.temp0.set(temp0);
        notes.stride.set(stride);
        Ok(())
    });
}
