//! `align` (XcalableMP 1.4, 4.3.4), a call for each dimension of the array.
//!
//! The program has compiled in the use of what is written to `temp0`: the number that is subtracted from an index
//! in a blocked dimension, the number of nodes in a cyclic one. It changes with the shadow; the array notes its
//! place.

use super::array::note_origin;
use crate::objects::{Alignment, ArrayObject, Object};
use std::cell::Cell;
use std::ffi::{c_int, c_longlong, c_ulonglong};
use xmp_ffi::process::instance;
use xmp_ffi::xmp::entry::for_c;
use xmp_ffi::xmp::error::Outcome;

/// Aligns a dimension and writes `temp0`, now and when the shadow is known.
fn align(
    array: &ArrayObject,
    dim: c_int,
    axis: c_int,
    offset: c_longlong,
    temp0: Option<&'static Cell<c_int>>,
) -> Outcome {
    let axis = axis as usize;
    array.check_blocks(axis, offset)?;
    array.change(dim as usize, |dim| dim.alignment = Alignment::With { axis, offset })?;
    array.notes.at(dim as usize).temp0.set(temp0);
    note_origin(&instance().image, array, dim as usize)
}

/// Declares the calls for one kind of distribution, which are all the same here.
macro_rules! aligned {
    ($($(#[$doc:meta])* $name:ident;)*) => { for_c! { $(
        $(#[$doc])*
        ///
        /// `temp0` is valid as long as the array is there.
        "align" fn $name(
            array: &Object<ArrayObject>, dim: c_int, axis: c_int, offset: c_longlong,
            temp0: Option<&'static Cell<c_int>>,
        ) {
            align(array, dim, axis, offset, temp0)
        }
    )* } };
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

for_c! {
    /// A dimension aligned with one that every node has wholly.
    "align" fn _XMP_align_array_DUPLICATION(
        array: &Object<ArrayObject>, dim: c_int, axis: c_int, offset: c_longlong,
    ) {
        align(array, dim, axis, offset, None)
    }

    /// A dimension that is aligned with nothing.
    "align" fn _XMP_align_array_NOT_ALIGNED(array: &Object<ArrayObject>, dim: c_int) {
        array.change(dim as usize, |dim| dim.alignment = Alignment::Nothing)
    }

    /// A dimension of a pointer, to which `xmp_malloc` will give memory: the template may not be fixed yet.
    ///
    /// `temp0` and `stride` are valid as long as the array is there.
    "align" fn _XMP_align_array_noalloc(
        array: &Object<ArrayObject>, dim: c_int, axis: c_int, offset: c_longlong,
        temp0: Option<&'static Cell<c_int>>, stride: Option<&'static Cell<c_ulonglong>>,
    ) {
        let alignment = match usize::try_from(axis) {
            Ok(axis) => Alignment::With { axis, offset },
            Err(_) => Alignment::Nothing,
        };
        array.change(dim as usize, |dim| dim.alignment = alignment)?;
        let notes = array.notes.at(dim as usize);
        notes.temp0.set(temp0);
        notes.stride.set(stride);
        Ok(())
    }
}
