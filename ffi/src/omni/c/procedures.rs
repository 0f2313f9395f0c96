//! The transformational procedures (XcalableMP 1.4, 7.7): on whole arrays, called by all executing images. What others
//! get is there when they return.

use crate::omni::arguments::Arguments;
use crate::omni::error::{Outcome, done};
use crate::omni::objects::{ArrayObject, Descriptor, Object};
use crate::omni::transform;
use std::ffi::c_int;
use xmp_collectives::global::library::Direction;

/// # Safety
/// The descriptor describes an array.
unsafe fn array<'a>(descriptor: Descriptor) -> Outcome<&'a ArrayObject> {
    // SAFETY: the caller's guarantee.
    Ok(unsafe { Object::<ArrayObject>::of(descriptor)? })
}

/// A mask, unless it is null.
///
/// # Safety
/// The descriptor is null or describes an array.
unsafe fn optional<'a>(descriptor: Descriptor) -> Outcome<Option<&'a ArrayObject>> {
    match descriptor.is_null() {
        true => Ok(None),
        // SAFETY: the caller's guarantee.
        false => unsafe { array(descriptor) }.map(Some),
    }
}

/// `x = transpose(a)`. With whatever option: what it allows, to change `a`, is not needed.
///
/// # Safety
/// Both describe arrays.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_transpose(x: Descriptor, a: Descriptor, _option: c_int) {
    // SAFETY: the caller's guarantee.
    done("xmp_transpose", || unsafe { transform::transpose(array(x)?, array(a)?) });
}

/// `x = matmul(a, b)`.
///
/// # Safety
/// All describe arrays.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_matmul(x: Descriptor, a: Descriptor, b: Descriptor) {
    // SAFETY: the caller's guarantee.
    done("xmp_matmul", || unsafe { transform::matmul(array(x)?, array(a)?, array(b)?) });
}

/// # Safety
/// Both describe arrays.
unsafe fn sort(x: Descriptor, a: Descriptor, direction: Direction) {
    let name = match direction {
        Direction::Up => "xmp_sort_up",
        Direction::Down => "xmp_sort_down",
    };
    // SAFETY: the caller's guarantee.
    done(name, || unsafe { transform::sort(array(x)?, array(a)?, direction) });
}

/// `x` becomes the elements of `a`, the smallest first.
///
/// # Safety
/// Both describe arrays.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_sort_up(a: Descriptor, x: Descriptor) {
    // SAFETY: the caller's guarantee.
    unsafe { sort(x, a, Direction::Up) }
}

/// The same, the greatest first.
///
/// # Safety
/// Both describe arrays.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_sort_down(a: Descriptor, x: Descriptor) {
    // SAFETY: the caller's guarantee.
    unsafe { sort(x, a, Direction::Down) }
}

/// Where a mask is not null, elements of `a` are collected in `v`.
///
/// # Safety
/// All describe arrays; the mask may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_pack_mask(v: Descriptor, a: Descriptor, mask: Descriptor) {
    // SAFETY: the caller's guarantee.
    done("xmp_pack", || unsafe { transform::pack(array(v)?, array(a)?, optional(mask)?) });
}

/// Elements of `v` are dealt out to `a` where a mask is true.
///
/// # Safety
/// As [`xmp_pack_mask`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_unpack_mask(a: Descriptor, v: Descriptor, mask: Descriptor) {
    // SAFETY: the caller's guarantee.
    done("xmp_unpack", || unsafe { transform::unpack(array(a)?, array(v)?, optional(mask)?) });
}

/// `pack` with a mask, which may be null.
///
/// # Safety
/// As [`xmp_pack_mask`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_pack(v: Descriptor, a: Descriptor, mask: Descriptor) {
    // SAFETY: the caller's guarantee.
    unsafe { xmp_pack_mask(v, a, mask) }
}

/// `unpack` with a mask, which may be null.
///
/// # Safety
/// As [`xmp_pack_mask`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_unpack(a: Descriptor, v: Descriptor, mask: Descriptor) {
    // SAFETY: the caller's guarantee.
    unsafe { xmp_unpack_mask(a, v, mask) }
}

/// `pack` of all elements.
///
/// # Safety
/// Both describe arrays.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_pack_nomask(v: Descriptor, a: Descriptor) {
    // SAFETY: the caller's guarantee.
    unsafe { xmp_pack_mask(v, a, std::ptr::null_mut()) }
}

/// `unpack` of all elements.
///
/// # Safety
/// Both describe arrays.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_unpack_nomask(a: Descriptor, v: Descriptor) {
    // SAFETY: the caller's guarantee.
    unsafe { xmp_unpack_mask(a, v, std::ptr::null_mut()) }
}

/// The index arrays of a call, as many as `of` has dimensions.
///
/// # Safety
/// The arguments are descriptors of arrays.
unsafe fn read_indices<'a>(
    arguments: *mut Arguments,
    of: &ArrayObject,
) -> Outcome<Vec<&'a ArrayObject>> {
    // SAFETY: the caller's guarantee.
    (0..of.ndims()).map(|_| unsafe { array((*arguments).pointer()) }).collect()
}

/// `x(idx(i)) = a(i)`.
///
/// # Safety
/// All describe arrays.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_omni_scatter(
    x: Descriptor,
    a: Descriptor,
    arguments: *mut Arguments,
) {
    // SAFETY: the caller's guarantee.
    done("xmp_scatter", || unsafe {
        let (x, indices) = (array(x)?, read_indices(arguments, array(x)?)?);
        transform::scatter(x, array(a)?, &indices)
    });
}

/// `x(i) = a(idx(i))`.
///
/// # Safety
/// All describe arrays.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_omni_gather(
    x: Descriptor,
    a: Descriptor,
    arguments: *mut Arguments,
) {
    // SAFETY: the caller's guarantee.
    done("xmp_gather", || unsafe {
        let (a, indices) = (array(a)?, read_indices(arguments, array(a)?)?);
        transform::gather(array(x)?, a, &indices)
    });
}
