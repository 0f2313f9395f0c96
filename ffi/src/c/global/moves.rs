//! Reflect, reduce_shadow and gmove.

use super::array::Distributed;
use super::on::op_of;
use super::range::{Range, section};
use super::{ObjectHandle, array_of, list};
use crate::c::collective::Type;
use crate::c::outcome::outcome;
use crate::process::instance;
use std::ffi::{c_int, c_uint};
use xmp_collectives::global::{self, Shape, Width};
use xmp_core::{Error, Result};

/// `xmprt_halo`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Halo {
    before: i64,
    behind: i64,
    periodic: c_int,
}

/// # Safety
/// `halos` is null or has one for each dimension.
unsafe fn widths(array: &Distributed, halos: *const Halo) -> Result<Vec<Width>> {
    let mapping = &array.storage.array;
    if halos.is_null() {
        return Ok(Width::whole(mapping));
    }
    let width = |halo: &Halo| {
        let &Halo { before: lower, behind: upper, periodic } = halo;
        Width { lower, upper, periodic: periodic != 0, carried: false }
    };
    // SAFETY: the caller's guarantee.
    Ok(unsafe { list((halos, "halos"), mapping.dims().len())? }.iter().map(width).collect())
}

/// Reflect.
///
/// # Safety
/// `halos` is null or has one for each dimension; nobody accesses the array meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_reflect(
    array: ObjectHandle,
    halos: *const Halo,
    orthogonal: c_int,
) -> c_int {
    let attempt = || -> Result<()> {
        let array = array_of(array)?;
        // SAFETY: the caller's guarantee.
        let widths = unsafe { widths(&array, halos)? };
        let shape = Shape { widths: &widths, orthogonal: orthogonal != 0 };
        let image = &instance().image;
        let set = image.executing();
        // SAFETY: the storage is the array's own; the caller's guarantee.
        unsafe { global::reflect(image, &set, &array.plans, &array.storage, shape) }
    };
    outcome("xmprt_reflect", attempt())
}

/// Reduce_shadow.
///
/// # Safety
/// As [`xmprt_reflect`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_reduce_shadow(
    array: ObjectHandle,
    halos: *const Halo,
    element: c_uint,
    op: c_uint,
) -> c_int {
    let attempt = || -> Result<()> {
        let array = array_of(array)?;
        // SAFETY: the caller's guarantee.
        let widths = unsafe { widths(&array, halos)? };
        let reduction = Type::of(element)?.reduction(op_of(op)?)?;
        let (size, stored) = (reduction.element(), array.storage.element);
        if stored % size != 0 {
            let text = format!("elements of {stored} bytes are not of a type of {size}");
            return Err(Error::Invalid(text));
        }
        let shape = Shape { widths: &widths, orthogonal: false };
        let image = &instance().image;
        let set = image.executing();
        let what = (&array.storage, shape);
        // SAFETY: the storage is the array's own, of elements of the reduction; the caller's guarantee.
        unsafe { global::reduce_shadow(image, &set, &array.plans, what, &reduction) }
    };
    outcome("xmprt_reduce_shadow", attempt())
}

/// Gmove.
///
/// # Safety
/// Ranges are null or have one for each dimension of their array; nobody accesses the arrays meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_gmove(
    to: ObjectHandle,
    to_ranges: *const Range,
    from: ObjectHandle,
    from_ranges: *const Range,
) -> c_int {
    let attempt = || -> Result<()> {
        let (to, from) = (array_of(to)?, array_of(from)?);
        // SAFETY: the caller's guarantee.
        let (left, right) = unsafe {
            (section(&to.storage.array, to_ranges)?, section(&from.storage.array, from_ranges)?)
        };
        let image = &instance().image;
        let (set, sides) = (image.executing(), ((&to.storage, &left), (&from.storage, &right)));
        // SAFETY: the storages are the arrays' own; the caller's guarantee.
        unsafe { global::gmove(image, &set, &to.plans, sides.0, sides.1) }
    };
    outcome("xmprt_gmove", attempt())
}
