//! `gmove` (XcalableMP 1.4, 4.5.2): the sides are described, then one is assigned to the other. Subscripts are lower bound,
//! upper bound and stride.

use super::arguments::{count, dimension, number, object, release, shared};
use crate::omni::c::gmove::{all_take_part, assign};
use crate::omni::error::{Outcome, done};
use crate::omni::objects::{ArrayObject, Descriptor, Object, Side, hand_out, picked};
use crate::process::instance;
use std::ffi::{c_int, c_void};
use xmp_collectives::barrier;
use xmp_core::global::{Order, Pick};

/// A section of a distributed array.
///
/// # Safety
/// The pointers are valid, `array` describes one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_gmv_g_alloc__(side: *mut Descriptor, array: *const Descriptor) {
    // SAFETY: the caller's guarantee.
    done("gmove", || unsafe {
        hand_out(side, Object::new(Side::global(shared::<ArrayObject>(array)?)))
    });
}

/// A section of a local array of so many dimensions, or a scalar.
///
/// # Safety
/// The pointers are valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_gmv_l_alloc__(
    side: *mut Descriptor,
    start: *mut c_void,
    dims: *const c_int,
) {
    // SAFETY: the caller's guarantee.
    done("gmove", || unsafe {
        let dims = count(dims, "dimensions")?;
        hand_out(side, Object::new(Side::local(start.cast(), dims, Order::Fortran)))
    });
}

/// # Safety
/// The pointers are valid.
unsafe fn pick(
    kind: *const c_int,
    lower: *const c_int,
    upper: *const c_int,
    step: *const c_int,
) -> Outcome<Pick> {
    // SAFETY: the caller's guarantee.
    unsafe { picked(kind.read(), (number(lower), number(upper), number(step))) }
}

/// The subscript of a dimension of a distributed array.
///
/// # Safety
/// The pointers are valid, `side` describes one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_gmv_g_dim_info__(
    side: *const Descriptor,
    dim: *const c_int,
    kind: *const c_int,
    lower: *const c_int,
    upper: *const c_int,
    step: *const c_int,
) {
    // SAFETY: the caller's guarantee.
    done("gmove", || unsafe {
        let pick = pick(kind, lower, upper, step)?;
        object::<Side>(side)?.pick(dimension(dim)?, (0, 0), pick)
    });
}

/// The bounds and the subscript of a dimension of a local array.
///
/// # Safety
/// The pointers are valid, `side` describes one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_gmv_l_dim_info__(
    side: *const Descriptor,
    dim: *const c_int,
    first: *const c_int,
    last: *const c_int,
    kind: *const c_int,
    lower: *const c_int,
    upper: *const c_int,
    step: *const c_int,
) {
    // SAFETY: the caller's guarantee.
    done("gmove", || unsafe {
        let pick = pick(kind, lower, upper, step)?;
        object::<Side>(side)?.pick(dimension(dim)?, (number(first), number(last)), pick)
    });
}

/// `gmove`, `gmove in`, `gmove out`.
///
/// # Safety
/// The pointers are valid, both sides are described.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_gmv_do__(
    left: *const Descriptor,
    right: *const Descriptor,
    mode: *const c_int,
) {
    done("gmove", || {
        let image = &instance().image;
        // SAFETY: the caller's guarantee.
        let (left, right, mode) =
            unsafe { (object::<Side>(left)?, object::<Side>(right)?, mode.read()) };
        // What executing images that have the other side have read or written before is over.
        if !all_take_part((left, right), mode)? {
            barrier(image, &image.executing())?;
        }
        // SAFETY: as above.
        unsafe { assign(left, right, mode) }
    });
}

/// A side is not needed any more.
///
/// # Safety
/// `side` is valid and holds 0 or describes one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_gmv_dealloc__(side: *mut Descriptor) {
    // SAFETY: the caller's guarantee.
    done("gmove", || unsafe { release::<Side>(side) });
}
