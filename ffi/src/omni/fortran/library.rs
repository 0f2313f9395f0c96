//! Transformational procedures by name (XcalableMP 1.4, 7.7).

use super::arguments::{object, optional};
use crate::omni::arguments::Arguments;
use crate::omni::error::{Outcome, done};
use crate::omni::objects::{ArrayObject, Descriptor, Object};
use crate::omni::transform;
use std::ffi::c_int;
use xmp_collectives::global::library::Direction;

/// `xmp_transpose(x, a, opt)`; `a` stays as it is, whatever `opt` says.
///
/// # Safety
/// The pointers are valid and describe arrays.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_transpose_(
    x: *const Descriptor,
    a: *const Descriptor,
    _opt: *const c_int,
) {
    // SAFETY: the caller's guarantee.
    done("xmp_transpose", || unsafe {
        transform::transpose(object::<ArrayObject>(x)?, object::<ArrayObject>(a)?)
    });
}

/// `xmp_matmul(x, a, b)`
///
/// # Safety
/// The pointers are valid and describe arrays.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_matmul_(
    x: *const Descriptor,
    a: *const Descriptor,
    b: *const Descriptor,
) {
    // SAFETY: the caller's guarantee.
    done("xmp_matmul", || unsafe {
        let (a, b) = (object::<ArrayObject>(a)?, object::<ArrayObject>(b)?);
        transform::matmul(object::<ArrayObject>(x)?, a, b)
    });
}

/// `xmp_sort_up(a, b)`: the elements of `a`, sorted, to `b`.
///
/// # Safety
/// The pointers are valid and describe arrays.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_sort_up_(a: *const Descriptor, b: *const Descriptor) {
    // SAFETY: the caller's guarantee.
    done("xmp_sort_up", || unsafe {
        transform::sort(object::<ArrayObject>(b)?, object::<ArrayObject>(a)?, Direction::Up)
    });
}

/// `xmp_sort_down(a, b)`
///
/// # Safety
/// The pointers are valid and describe arrays.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_sort_down_(a: *const Descriptor, b: *const Descriptor) {
    // SAFETY: the caller's guarantee.
    done("xmp_sort_down", || unsafe {
        transform::sort(object::<ArrayObject>(b)?, object::<ArrayObject>(a)?, Direction::Down)
    });
}

/// Defines procedures with a mask, and those of the same name without one.
macro_rules! with_mask {
    ($($name:ident, $mask:ident, $nomask:ident: $operation:literal, $procedure:ident;)*) => { $(
        /// Elements that a mask selects; all if it is 0.
        ///
        /// # Safety
        /// The pointers are valid and describe arrays.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            to: *const Descriptor,
            from: *const Descriptor,
            mask: *const Descriptor,
        ) {
            // SAFETY: the caller's guarantee.
            done($operation, || unsafe {
                let mask = optional::<ArrayObject>(mask)?.map(|mask| &**mask);
                transform::$procedure(object::<ArrayObject>(to)?, object::<ArrayObject>(from)?, mask)
            });
        }

        /// The same.
        ///
        /// # Safety
        /// The pointers are valid and describe arrays.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $mask(
            to: *const Descriptor,
            from: *const Descriptor,
            mask: *const Descriptor,
        ) {
            // SAFETY: the caller's guarantee.
            unsafe { $name(to, from, mask) }
        }

        /// All elements.
        ///
        /// # Safety
        /// The pointers are valid and describe arrays.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $nomask(to: *const Descriptor, from: *const Descriptor) {
            let none: Descriptor = std::ptr::null_mut();
            // SAFETY: the caller's guarantee.
            unsafe { $name(to, from, &raw const none) }
        }
    )* };
}

with_mask! {
    xmp_pack_, xmp_pack_mask_, xmp_pack_nomask_: "xmp_pack", pack;
    xmp_unpack_, xmp_unpack_mask_, xmp_unpack_nomask_: "xmp_unpack", unpack;
}

/// Index arrays, one for each dimension of `of`.
///
/// # Safety
/// The arguments are pointers to descriptors of so many arrays.
unsafe fn indices<'a>(
    of: &ArrayObject,
    arguments: *mut Arguments,
) -> Outcome<Vec<&'a Object<ArrayObject>>> {
    // SAFETY: the caller's guarantee.
    let next = || unsafe { object::<ArrayObject>((*arguments).pointer::<Descriptor>()) };
    (0..of.ndims()).map(|_| next()).collect()
}

/// `xmp_scatter(x, a, index1, ...)`
///
/// # Safety
/// The pointers are valid and describe arrays; the arguments are index arrays for all dimensions of `x`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_omni_fortran_scatter(
    x: *const Descriptor,
    a: *const Descriptor,
    arguments: *mut Arguments,
) {
    // SAFETY: the caller's guarantee.
    done("xmp_scatter", || unsafe {
        let (x, a) = (object::<ArrayObject>(x)?, object::<ArrayObject>(a)?);
        let indices = indices(x, arguments)?;
        let indices: Vec<&ArrayObject> = indices.into_iter().map(|array| &**array).collect();
        transform::scatter(x, a, &indices)
    });
}

/// `xmp_gather(x, a, index1, ...)`
///
/// # Safety
/// The pointers are valid and describe arrays; the arguments are index arrays for all dimensions of `a`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_omni_fortran_gather(
    x: *const Descriptor,
    a: *const Descriptor,
    arguments: *mut Arguments,
) {
    // SAFETY: the caller's guarantee.
    done("xmp_gather", || unsafe {
        let (x, a) = (object::<ArrayObject>(x)?, object::<ArrayObject>(a)?);
        let indices = indices(a, arguments)?;
        let indices: Vec<&ArrayObject> = indices.into_iter().map(|array| &**array).collect();
        transform::gather(x, a, &indices)
    });
}
