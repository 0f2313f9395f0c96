//! Inquiry functions: images, cobounds, memory.

use super::arrays::integers;
use super::descriptor::{Coarray, Handle};
use super::reference::provide;
use super::{images, objects};
use std::cell::Cell;
use std::ffi::c_int;
use xmp_ffi::gfortran_abi::Descriptor;
use xmp_ffi::process::{enter, instance};
use xmp_ffi::xmp::arguments::Arguments;
use xmp_ffi::xmp::entry::{List, for_c, for_fortran};
use xmp_ffi::xmp::error::{DirectiveError, Outcome};

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
///
/// # Errors
/// When there is no such codimension.
pub fn cosubscript(coarray: &Coarray, dim: i64) -> Outcome<c_int> {
    match images::of_coarray(instance(), coarray) {
        (_, 0) => Ok(0),
        (_, index) => {
            let found = coarray.bounds.borrow().cosubscript(index, dim);
            found.map(integer).map_err(|error| coarray.wrong(error))
        }
    }
}

/// Fills the result of a function, of default integers, with a value for each codimension.
fn fill(result: &mut Descriptor, value: impl Fn(i64) -> Outcome<c_int>) -> Outcome {
    provide(result, size_of::<c_int>())?;
    for (element, dim) in integers(result).zip(1..) {
        element.set(value(dim)?);
    }
    Ok(())
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
        other => Err(DirectiveError::because(format!(
            "KIND={other} is not supported, only default integer"
        ))),
    }
}

/// The image index of cosubscripts.
fn image_index(coarray: &Coarray, cosubscripts: impl Iterator<Item = c_int>) -> Outcome<i64> {
    let cosubscripts: Vec<i64> = cosubscripts.map(i64::from).collect();
    let index = coarray.bounds.borrow().index(&cosubscripts);
    index.map_err(|error| coarray.wrong(error))
}

for_fortran! {
    /// THIS_IMAGE (coarray, dim).
    "this_image" fn xmpf_this_image_coarray_dim_(coarray: &Coarray, _corank: c_int, dim: c_int) -> c_int {
        cosubscript(coarray, dim.into())
    }

    /// THIS_IMAGE (coarray).
    "this_image" fn xmpf_this_image_coarray_wrap_(result: &mut Descriptor, coarray: &Coarray, _corank: c_int) {
        fill(result, |dim| cosubscript(coarray, dim))
    }

    /// LCOBOUND or UCOBOUND (coarray, dim).
    "cobound" fn xmpf_cobound_dim_(
        coarray: &Coarray, dim: c_int, kind: c_int, upper: c_int, _corank: c_int,
    ) -> c_int {
        check_kind(kind)?;
        cobound(coarray, dim.into(), upper)
    }

    /// LCOBOUND or UCOBOUND (coarray).
    "cobound" fn xmpf_cobound_nodim_(
        result: &mut Descriptor, coarray: &Coarray, kind: c_int, upper: c_int, _corank: c_int,
    ) {
        check_kind(kind)?;
        fill(result, |dim| cobound(coarray, dim, upper))
    }

    /// LCOBOUND (coarray, dim).
    "lcobound" fn xmpf_lcobound_(coarray: &Coarray, dim: c_int) -> c_int {
        cobound(coarray, dim.into(), 0)
    }

    /// UCOBOUND (coarray, dim).
    "ucobound" fn xmpf_ucobound_(coarray: &Coarray, dim: c_int) -> c_int {
        cobound(coarray, dim.into(), 1)
    }

    /// IMAGE_INDEX (coarray, sub), and what translated code asks for coindexed objects: 0 if there is no such image.
    "image index" fn xmpf_image_index_(coarray: &Coarray, cosubscripts: List<c_int>) -> c_int {
        let corank = coarray.bounds.borrow().corank();
        let index = image_index(coarray, cosubscripts.of(corank)?.iter().map(Cell::get))?;
        let (images, _) = images::of_coarray(instance(), coarray);
        Ok(if index > images as i64 { 0 } else { integer(index) })
    }

}

for_c! {
    /// The image index of cosubscripts that are variable arguments (`shim/coarray.c`).
    "image index" fn xmprt_omni_image_index(
        handle: &Cell<Handle>, corank: c_int, arguments: &mut Arguments,
    ) -> c_int {
        let given = (0..corank).map(|_| arguments.place::<c_int>().get());
        image_index(handle.get().coarray()?, given).map(integer)
    }
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
