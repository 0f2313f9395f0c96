//! What programs ask: images, cobounds, memory.

use super::arrays::integers;
use super::descriptor::{Coarray, Handle};
use super::get::provide;
use super::{images, objects};
use crate::gfortran_abi::Descriptor;
use crate::omni::arguments::Arguments;
use crate::omni::error::{Outcome, Wrong, done};
use crate::process::{enter, instance};
use std::ffi::c_int;

/// A number as programs get it.
fn integer(value: i64) -> c_int {
    c_int::try_from(value).unwrap_or(c_int::MAX)
}

/// THIS_IMAGE ().
#[unsafe(no_mangle)]
pub extern "C" fn xmpf_this_image_current_() -> c_int {
    let _entered = enter();
    integer(images::current(instance()).1)
}

/// NUM_IMAGES ().
#[unsafe(no_mangle)]
pub extern "C" fn xmpf_num_images_current_() -> c_int {
    let _entered = enter();
    integer(images::current(instance()).0 as i64)
}

/// The cosubscript of this image; 0 if it is not one of the coarray's.
fn cosubscript(coarray: &Coarray, dim: i64) -> Outcome<c_int> {
    match images::of_coarray(instance(), coarray) {
        (_, 0) => Ok(0),
        (_, index) => {
            let found = coarray.bounds.borrow().cosubscript(index, dim);
            found.map(integer).map_err(|error| coarray.wrong(error))
        }
    }
}

/// THIS_IMAGE (coarray, dim).
///
/// # Safety
/// The arguments are those that the interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_this_image_coarray_dim_(
    handle: *const Handle,
    _corank: *const c_int,
    dim: *const c_int,
) -> c_int {
    // SAFETY: the caller's guarantee.
    done("this_image", || unsafe { cosubscript(Coarray::of(*handle)?, (*dim).into()) })
}

/// Fills the result of a function with a value for each codimension.
///
/// # Safety
/// It is a result of default integers.
unsafe fn fill(result: *mut Descriptor, value: impl Fn(i64) -> Outcome<c_int>) -> Outcome {
    // SAFETY: the caller's guarantee.
    unsafe {
        provide(result, size_of::<c_int>())?;
        for (element, dim) in integers(&*result).zip(1..) {
            element.write(value(dim)?);
        }
    }
    Ok(())
}

/// THIS_IMAGE (coarray).
///
/// # Safety
/// As [`xmpf_this_image_coarray_dim_`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_this_image_coarray_wrap_(
    result: *mut Descriptor,
    handle: *const Handle,
    _corank: *const c_int,
) {
    // SAFETY: the caller's guarantee.
    done("this_image", || unsafe {
        let coarray = Coarray::of(*handle)?;
        fill(result, |dim| cosubscript(coarray, dim))
    });
}

/// A cobound: the upper one if `upper` is positive.
fn cobound(coarray: &Coarray, dim: i64, upper: c_int) -> Outcome<c_int> {
    let bounds = coarray.bounds.borrow();
    let bound = if upper > 0 { bounds.upper(dim) } else { bounds.lower(dim) };
    bound.map(integer).map_err(|error| coarray.wrong(error))
}

/// Only default integers are asked for.
fn check_kind(kind: c_int) -> Outcome {
    match kind {
        4 => Ok(()),
        other => Err(Wrong::because(format!("KIND= {other}: a default integer is what there is"))),
    }
}

/// LCOBOUND or UCOBOUND (coarray, dim).
///
/// # Safety
/// As [`xmpf_this_image_coarray_dim_`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_cobound_dim_(
    handle: *const Handle,
    dim: *const c_int,
    kind: *const c_int,
    upper: *const c_int,
    _corank: *const c_int,
) -> c_int {
    // SAFETY: the caller's guarantee.
    done("cobound", || unsafe {
        check_kind(*kind)?;
        cobound(Coarray::of(*handle)?, (*dim).into(), *upper)
    })
}

/// LCOBOUND or UCOBOUND (coarray).
///
/// # Safety
/// As [`xmpf_this_image_coarray_dim_`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_cobound_nodim_(
    result: *mut Descriptor,
    handle: *const Handle,
    kind: *const c_int,
    upper: *const c_int,
    _corank: *const c_int,
) {
    // SAFETY: the caller's guarantee.
    done("cobound", || unsafe {
        check_kind(*kind)?;
        let (coarray, upper) = (Coarray::of(*handle)?, *upper);
        fill(result, |dim| cobound(coarray, dim, upper))
    });
}

/// LCOBOUND (coarray, dim).
///
/// # Safety
/// As [`xmpf_this_image_coarray_dim_`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_lcobound_(handle: *const Handle, dim: *const c_int) -> c_int {
    // SAFETY: the caller's guarantee.
    done("lcobound", || unsafe { cobound(Coarray::of(*handle)?, (*dim).into(), 0) })
}

/// UCOBOUND (coarray, dim).
///
/// # Safety
/// As [`xmpf_this_image_coarray_dim_`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_ucobound_(handle: *const Handle, dim: *const c_int) -> c_int {
    // SAFETY: the caller's guarantee.
    done("ucobound", || unsafe { cobound(Coarray::of(*handle)?, (*dim).into(), 1) })
}

/// The image index of cosubscripts.
///
/// # Errors
/// Cosubscripts that are out of bounds.
fn image_index(coarray: &Coarray, cosubscripts: impl Iterator<Item = c_int>) -> Outcome<i64> {
    let cosubscripts: Vec<i64> = cosubscripts.map(i64::from).collect();
    let index = coarray.bounds.borrow().index(&cosubscripts);
    index.map_err(|error| coarray.wrong(error))
}

/// IMAGE_INDEX (coarray, sub), and what translated code asks for coindexed objects: 0 if there is no such image.
///
/// # Safety
/// There is a cosubscript for each codimension.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_image_index_(
    handle: *const Handle,
    cosubscripts: *const c_int,
) -> c_int {
    done("image index", || {
        // SAFETY: the caller's guarantee.
        unsafe {
            let coarray = Coarray::of(*handle)?;
            let corank = coarray.bounds.borrow().corank();
            let given = std::slice::from_raw_parts(cosubscripts, corank);
            let index = image_index(coarray, given.iter().copied())?;
            let (images, _) = images::of_coarray(instance(), coarray);
            Ok(if index > images as i64 { 0 } else { integer(index) })
        }
    })
}

/// The image index of cosubscripts that are variable arguments (`ffi/omni/coarray.c`).
///
/// # Safety
/// There are so many, pointers to default integers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_omni_image_index(
    handle: *const Handle,
    corank: c_int,
    arguments: &mut Arguments,
) -> c_int {
    done("image index", || {
        // SAFETY: the caller's guarantee.
        unsafe {
            let given = (0..corank).map(|_| *arguments.pointer::<c_int>());
            image_index(Coarray::of(*handle)?, given).map(integer)
        }
    })
}

/// Bytes of allocated coarrays, garbage as well.
#[unsafe(no_mangle)]
pub extern "C" fn xmp_coarray_allocated_bytes() -> usize {
    let _entered = enter();
    objects(instance()).allocated_bytes() as usize
}

/// Bytes of coarrays that are deallocated but not freed yet.
#[unsafe(no_mangle)]
pub extern "C" fn xmp_coarray_garbage_bytes() -> usize {
    let _entered = enter();
    objects(instance()).garbage_bytes() as usize
}

/// Bytes that bookkeeping takes.
#[unsafe(no_mangle)]
pub extern "C" fn xmp_coarray_malloc_bytes() -> usize {
    let _entered = enter();
    objects(instance()).own_bytes() as usize
}

/// [`xmp_coarray_allocated_bytes`] for Fortran.
#[unsafe(no_mangle)]
pub extern "C" fn xmpf_coarray_allocated_bytes_() -> c_int {
    integer(xmp_coarray_allocated_bytes() as i64)
}

/// [`xmp_coarray_garbage_bytes`] for Fortran.
#[unsafe(no_mangle)]
pub extern "C" fn xmpf_coarray_garbage_bytes_() -> c_int {
    integer(xmp_coarray_garbage_bytes() as i64)
}

/// [`xmp_coarray_malloc_bytes`] for Fortran.
#[unsafe(no_mangle)]
pub extern "C" fn xmpf_coarray_malloc_bytes_() -> c_int {
    integer(xmp_coarray_malloc_bytes() as i64)
}

/// Switches messages of the runtime on or off in the Omni library; has no effect here, where `XMP_LOG` does that.
#[unsafe(no_mangle)]
pub extern "C" fn xmpf_coarray_msg_(_on: *const c_int) {}
