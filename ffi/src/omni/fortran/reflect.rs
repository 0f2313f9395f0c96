//! `reflect` and `reduce_shadow` (XcalableMP 1.4, 4.5.1 and 4.5.7).

use super::arguments::{number, object};
use crate::omni::c::reflect::{collect, fill, set};
use crate::omni::error::done;
use crate::omni::objects::{ArrayObject, Descriptor};
use crate::process::instance;
use std::ffi::c_int;

/// Widths of a dimension in the next `reflect`.
///
/// # Safety
/// The pointers are valid, `array` describes one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_set_reflect__(
    array: *const Descriptor,
    dim: *const c_int,
    lower: *const c_int,
    upper: *const c_int,
    periodic: *const c_int,
) {
    // SAFETY: the caller's guarantee.
    done("reflect", || unsafe {
        let array = object::<ArrayObject>(array)?;
        set(array, &array.reflect, *dim, (*lower, *upper, *periodic))
    });
}

/// `reflect`.
///
/// # Safety
/// `array` is valid and describes one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_reflect__(array: *const Descriptor) {
    let id = instance().omni.asynchronous.get();
    // SAFETY: the caller's guarantee.
    done("reflect", || unsafe { fill(object::<ArrayObject>(array)?, id) });
}

/// `reflect async(id)`.
///
/// # Safety
/// The pointers are valid, `array` describes one, which stays until the id is waited for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_reflect_async__(array: *const Descriptor, id: *const c_int) {
    // SAFETY: the caller's guarantee.
    done("reflect", || unsafe { fill(object::<ArrayObject>(array)?, Some(number(id))) });
}

/// Widths of a dimension in the next `reduce_shadow`.
///
/// # Safety
/// As [`xmpf_set_reflect__`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_set_reduce_shadow__(
    array: *const Descriptor,
    dim: *const c_int,
    lower: *const c_int,
    upper: *const c_int,
    periodic: *const c_int,
) {
    // SAFETY: the caller's guarantee.
    done("reduce_shadow", || unsafe {
        let array = object::<ArrayObject>(array)?;
        set(array, &array.reduce_shadow, *dim, (*lower, *upper, *periodic))
    });
}

/// `reduce_shadow`.
///
/// # Safety
/// `array` is valid and describes one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_reduce_shadow__(array: *const Descriptor) {
    let id = instance().omni.asynchronous.get();
    // SAFETY: the caller's guarantee.
    done("reduce_shadow", || unsafe { collect(object::<ArrayObject>(array)?, id) });
}
