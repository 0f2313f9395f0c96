//! Combinations of the images of a team up to each.

use super::collective::{Type, check, op_of};
use super::outcome::outcome;
use super::team::{TeamHandle, set_of};
use crate::process::instance;
use std::ffi::{c_int, c_uint, c_void};
use std::rc::Rc;
use xmp_collectives::{Reduction, raw};
use xmp_core::image_set::ImageSet;
use xmp_core::{Image, Result};

/// [`raw::scan`] or [`raw::exscan`].
type Scan = unsafe fn(&Image, &ImageSet, *mut u8, usize, &Reduction<'_>) -> Result<()>;

/// The images of a team, and how `count` elements of this type at `data` are combined.
///
/// # Errors
/// When there is no such team, type or operator, or the elements cannot be there.
pub fn operands(
    team: TeamHandle,
    data: *const c_void,
    count: usize,
    (element, op): (c_uint, c_uint),
) -> Result<(Rc<ImageSet>, Reduction<'static>)> {
    let set = set_of(team)?;
    let reduction = Type::of(element)?.reduction(op_of(op)?)?;
    check(data, count, reduction.element())?;
    Ok((set, reduction))
}

/// # Safety
/// `data` has `count` elements of the type.
unsafe fn combine(
    (function, scan): (&str, Scan),
    team: TeamHandle,
    (data, count): (*mut c_void, usize),
    element: c_uint,
    op: c_uint,
) -> c_int {
    let attempt = || -> Result<()> {
        let (set, reduction) = operands(team, data, count, (element, op))?;
        // SAFETY: the caller's guarantee.
        unsafe { scan(&instance().image, &set, data.cast(), count, &reduction) }
    };
    outcome(function, attempt)
}

/// Of the images up to this one.
///
/// # Safety
/// `data` has `count` elements of the type.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_co_scan(
    team: TeamHandle,
    data: *mut c_void,
    count: usize,
    element: c_uint,
    op: c_uint,
) -> c_int {
    // SAFETY: the caller's guarantee.
    unsafe { combine(("xmprt_co_scan", raw::scan), team, (data, count), element, op) }
}

/// Of the images before this one.
///
/// # Safety
/// As [`xmprt_co_scan`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_co_exscan(
    team: TeamHandle,
    data: *mut c_void,
    count: usize,
    element: c_uint,
    op: c_uint,
) -> c_int {
    // SAFETY: the caller's guarantee.
    unsafe { combine(("xmprt_co_exscan", raw::exscan), team, (data, count), element, op) }
}
