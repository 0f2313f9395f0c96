//! Collectives on a team.

use super::outcome::{not_null, outcome};
use super::team::{TeamHandle, set_of};
use crate::process::instance;
use std::ffi::{c_int, c_uint, c_void};
use xmp_collectives::{Op, Reduction, raw};
use xmp_core::image_set::ImageSet;
use xmp_core::number::F80;
use xmp_core::{Error, Result};

/// What combines elements of an `xmprt_type`.
fn reduction(op: Op, element: c_uint) -> Result<Reduction<'static>> {
    Ok(match (element, op) {
        (1, _) => Reduction::number::<i8>(op),
        (2, _) => Reduction::number::<i16>(op),
        (3, _) => Reduction::number::<i32>(op),
        (4, _) => Reduction::number::<i64>(op),
        (5, _) => Reduction::number::<u8>(op),
        (6, _) => Reduction::number::<u16>(op),
        (7, _) => Reduction::number::<u32>(op),
        (8, _) => Reduction::number::<u64>(op),
        (9, _) => Reduction::number::<f32>(op),
        (10, _) => Reduction::number::<f64>(op),
        // C's long double on x86-64.
        (11, _) => Reduction::number::<F80>(op),
        (12, Op::Sum) => Reduction::complex_sum::<f32>(),
        (13, Op::Sum) => Reduction::complex_sum::<f64>(),
        (14, Op::Sum) => Reduction::complex_sum::<F80>(),
        (12..=14, _) => {
            return Err(Error::Invalid("complex numbers have no minimum and no maximum".into()));
        }
        _ => return Err(Error::Invalid(format!("type {element} is not an xmprt_type"))),
    })
}

/// Sum, least or greatest; for all images (`result_image` 0) or for one.
///
/// # Safety
/// `data` has `count` elements of the type.
unsafe fn reduce(
    function: &str,
    op: Op,
    team: TeamHandle,
    (data, count): (*mut c_void, usize),
    element: c_uint,
    result_image: c_int,
) -> c_int {
    let attempt = || -> Result<()> {
        let (image, set) = (&instance().image, set_of(team)?);
        let reduction = reduction(op, element)?;
        check(data, count, reduction.element())?;
        let data = data.cast();
        // SAFETY: the caller's guarantee.
        unsafe {
            match result_image {
                0 => raw::allreduce(image, &set, data, count, &reduction),
                index => raw::reduce(image, &set, position(&set, index)?, data, count, &reduction),
            }
        }
    };
    outcome(function, attempt())
}

/// Whether `count` elements of `len` bytes can be at `data`.
fn check(data: *const c_void, count: usize, len: usize) -> Result<()> {
    if count > 0 {
        not_null(data, "data")?;
    }
    match count.checked_mul(len) {
        Some(bytes) if isize::try_from(bytes).is_ok() => Ok(()),
        _ => Err(Error::Invalid(format!("{count} elements of {len} bytes are more than there is"))),
    }
}

fn position(set: &ImageSet, index: c_int) -> Result<usize> {
    set.rank_of_index(index.into()).map(|_| index as usize - 1)
}

/// The sum.
///
/// # Safety
/// `data` has `count` elements of the type.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_co_sum(
    team: TeamHandle,
    data: *mut c_void,
    count: usize,
    element: c_uint,
    result_image: c_int,
) -> c_int {
    // SAFETY: the caller's guarantee.
    unsafe { reduce("xmprt_co_sum", Op::Sum, team, (data, count), element, result_image) }
}

/// The least.
///
/// # Safety
/// As [`xmprt_co_sum`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_co_min(
    team: TeamHandle,
    data: *mut c_void,
    count: usize,
    element: c_uint,
    result_image: c_int,
) -> c_int {
    // SAFETY: the caller's guarantee.
    unsafe { reduce("xmprt_co_min", Op::Min, team, (data, count), element, result_image) }
}

/// The greatest.
///
/// # Safety
/// As [`xmprt_co_sum`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_co_max(
    team: TeamHandle,
    data: *mut c_void,
    count: usize,
    element: c_uint,
    result_image: c_int,
) -> c_int {
    // SAFETY: the caller's guarantee.
    unsafe { reduce("xmprt_co_max", Op::Max, team, (data, count), element, result_image) }
}

/// The bytes of one image for all.
///
/// # Safety
/// `data` has `bytes` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_co_broadcast(
    team: TeamHandle,
    data: *mut c_void,
    bytes: usize,
    source_image: c_int,
) -> c_int {
    let attempt = || -> Result<()> {
        let (image, set) = (&instance().image, set_of(team)?);
        let root = position(&set, source_image)?;
        check(data, bytes, 1)?;
        // SAFETY: the caller's guarantee.
        unsafe { raw::broadcast(image, &set, root, data.cast(), bytes) }
    };
    outcome("xmprt_co_broadcast", attempt())
}

/// The bytes of all images for all.
///
/// # Safety
/// `mine` has `bytes` bytes, `all` that many for each image of the team, and they do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_co_allgather(
    team: TeamHandle,
    mine: *const c_void,
    all: *mut c_void,
    bytes: usize,
) -> c_int {
    let attempt = || -> Result<()> {
        let (image, set) = (&instance().image, set_of(team)?);
        check(mine, bytes, 1)?;
        check(all, bytes, set.len())?;
        // SAFETY: the caller's guarantee.
        unsafe { raw::allgather(image, &set, mine.cast(), all.cast(), bytes) }
    };
    outcome("xmprt_co_allgather", attempt())
}
