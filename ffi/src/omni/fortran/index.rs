//! Indices that the program cannot compute itself.

use super::arguments::{dimension, number, object};
use crate::omni::error::done;
use crate::omni::objects::{ArrayObject, Descriptor};
use crate::process::instance;
use std::ffi::c_int;

/// The local index, from 0 at the start of the shadow, of an element of this image.
///
/// # Safety
/// The pointers are valid, `array` describes one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_local_idx__(
    array: *const Descriptor,
    dim: *const c_int,
    index: *const c_int,
) -> c_int {
    done("index of an array", || {
        // SAFETY: the caller's guarantee.
        let (array, dim, index) =
            unsafe { (object::<ArrayObject>(array)?, dimension(dim)?, number(index)) };
        array.dim(dim)?;
        let mapping = array.mapping()?;
        let Some(coords) = mapping.coords(instance().image.rank()) else { return Ok(0) };
        let part = mapping.part(dim, &coords);
        let local = mapping.local_with_shadow(dim, part, index);
        // Of what is not here any number will do: the program computes it and does not use it.
        Ok(local.unwrap_or_else(|| mapping.local_of_owned(dim, part, index)) as c_int)
    })
}
