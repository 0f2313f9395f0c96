//! Puts and gets of scalars and sections.

use crate::omni::coarray::arrays::Elements;
use crate::omni::coarray::descriptor::{Coarray, Handle};
use crate::omni::coarray::transfer::{get, put};
use crate::omni::coarray::{atomic, statics};
use crate::omni::error::{Outcome, done};
use crate::process::instance;
use std::ffi::c_int;
use xmp_coarray::plan::contiguous;
use xmp_coarray::sync_memory;

/// Sections as these functions get them: elements, and bytes from one to the next.
///
/// # Safety
/// There are so many numbers each.
unsafe fn section(
    base: *const u8,
    element: c_int,
    rank: c_int,
    skip: *const c_int,
    count: *const c_int,
) -> Outcome<Elements> {
    let size = statics::length(element)?;
    let rank = usize::try_from(rank).unwrap_or(0);
    // SAFETY: the caller's guarantee.
    let dims = (0..rank).map(|dim| unsafe { (*count.add(dim), *skip.add(dim)) });
    Ok(Elements::section(base, size, dims))
}

/// A mode of a put that says to wait until it is complete: anything but not to, and what is usual.
fn waits(mode: c_int) -> bool {
    !matches!(mode, 0 | 3)
}

/// # Safety
/// As [`put`], and the descriptor is one of this front end.
unsafe fn put_nest(
    handle: Handle,
    index: c_int,
    mold: Outcome<Elements>,
    source: Outcome<Elements>,
    mode: c_int,
) -> Outcome {
    let instance = instance();
    let (mold, source) = (mold?, source?);
    // SAFETY: the caller's guarantee.
    unsafe {
        let coarray = Coarray::of(handle)?;
        put(instance, coarray, index, &mold, &source).map_err(|error| coarray.wrong(error))?;
    }
    if waits(mode) {
        sync_memory(&instance.image)?;
    }
    Ok(())
}

/// Puts a scalar. With `mode` 1 or 2 it is complete then, and one of 4 bytes is atomic (ATOMIC_DEFINE).
///
/// # Safety
/// `base` is in the coarray of this image, and there are so many bytes to be put.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn XMPCO_PUT_scalarStmt(
    handle: Handle,
    base: *mut u8,
    element: c_int,
    index: c_int,
    source: *const u8,
    mode: c_int,
) {
    done("XMPCO_PUT_scalarStmt", || {
        // SAFETY: the caller's guarantee.
        unsafe {
            if waits(mode) && element == 4 {
                let value = source.cast::<c_int>().read_unaligned();
                return atomic::define(handle, index, base.cast(), value);
            }
            let size = statics::length(element)?;
            let (mold, source) = (Elements::scalar(base, size), Elements::scalar(source, size));
            put_nest(handle, index, Ok(mold), Ok(source), mode)
        }
    });
}

/// Puts a section.
///
/// # Safety
/// As [`XMPCO_PUT_scalarStmt`], for all its elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn XMPCO_PUT_arrayStmt(
    handle: Handle,
    base: *mut u8,
    element: c_int,
    index: c_int,
    source: *const u8,
    rank: c_int,
    skip: *const c_int,
    skip_source: *const c_int,
    count: *const c_int,
    mode: c_int,
) {
    // SAFETY: the caller's guarantee.
    done("XMPCO_PUT_arrayStmt", || unsafe {
        let source = section(source, element, rank, skip_source, count);
        put_nest(handle, index, section(base, element, rank, skip, count), source, mode)
    });
}

/// Puts a scalar to every element of a section.
///
/// # Safety
/// As [`XMPCO_PUT_arrayStmt`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn XMPCO_PUT_spread(
    handle: Handle,
    base: *mut u8,
    element: c_int,
    index: c_int,
    source: *const u8,
    rank: c_int,
    skip: *const c_int,
    count: *const c_int,
    mode: c_int,
) {
    // SAFETY: the caller's guarantee.
    done("XMPCO_PUT_spread", || unsafe {
        let source = Elements::scalar(source, statics::length(element)?);
        put_nest(handle, index, section(base, element, rank, skip, count), Ok(source), mode)
    });
}

/// # Safety
/// As [`get`], and the descriptor is one of this front end.
unsafe fn get_nest(handle: Handle, index: c_int, mold: &Elements, local: &Elements) -> Outcome {
    // SAFETY: the caller's guarantee.
    unsafe {
        let coarray = Coarray::of(handle)?;
        get(instance(), coarray, index, mold, local).map_err(|error| coarray.wrong(error))
    }
}

/// Gets a scalar.
///
/// # Safety
/// As [`XMPCO_PUT_scalarStmt`], the other way round.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn XMPCO_GET_scalarExpr(
    handle: Handle,
    base: *mut u8,
    element: c_int,
    index: c_int,
    result: *mut u8,
) {
    done("XMPCO_GET_scalarExpr", || {
        let size = statics::length(element)?;
        let (mold, local) = (Elements::scalar(base, size), Elements::scalar(result, size));
        // SAFETY: the caller's guarantee.
        unsafe { get_nest(handle, index, &mold, &local) }
    });
}

/// Gets a section, one element after the other.
///
/// # Safety
/// As [`XMPCO_PUT_arrayStmt`], the other way round.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn XMPCO_GET_arrayExpr(
    handle: Handle,
    base: *mut u8,
    element: c_int,
    index: c_int,
    result: *mut u8,
    rank: c_int,
    skip: *const c_int,
    count: *const c_int,
) {
    // SAFETY: the caller's guarantee.
    done("XMPCO_GET_arrayExpr", || unsafe {
        let mold = section(base, element, rank, skip, count)?;
        let axes = contiguous(mold.size, &mold.axes)?.into_iter().collect();
        let local = Elements { base: result, size: mold.size, axes };
        get_nest(handle, index, &mold, &local)
    });
}

/// Gets a section into a section.
///
/// # Safety
/// As [`XMPCO_PUT_arrayStmt`], the other way round.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn XMPCO_GET_arrayStmt(
    handle: Handle,
    base: *mut u8,
    element: c_int,
    index: c_int,
    local: *mut u8,
    rank: c_int,
    skip: *const c_int,
    skip_local: *const c_int,
    count: *const c_int,
) {
    // SAFETY: the caller's guarantee.
    done("XMPCO_GET_arrayStmt", || unsafe {
        let mold = section(base, element, rank, skip, count)?;
        let local = section(local, element, rank, skip_local, count)?;
        get_nest(handle, index, &mold, &local)
    });
}
