//! Attributes of coarrays that programs set right after they were allocated.

use super::cobounds::Cobounds;
use super::descriptor::{Coarray, Handle};
use super::images;
use crate::omni::error::done;
use crate::omni::objects::{Descriptor, NodeSet, Object};
use crate::process::instance;
use std::ffi::{c_char, c_int};

/// A name that a program passes: so many characters.
///
/// # Safety
/// There are so many, or the pointer is null.
pub unsafe fn text(characters: *const c_char, len: c_int) -> String {
    let len = usize::try_from(len).unwrap_or(0);
    if characters.is_null() {
        return String::new();
    }
    // SAFETY: the caller's guarantee.
    let bytes = unsafe { std::slice::from_raw_parts(characters.cast::<u8>(), len) };
    String::from_utf8_lossy(bytes).trim_end().to_string()
}

/// Its number of codimensions. A dummy argument that is not allocated has no descriptor, and nothing is set.
///
/// # Safety
/// The arguments are those that the translator passes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_coarray_set_corank_(handle: *const Handle, corank: *const c_int) {
    // SAFETY: the caller's guarantee.
    if let Some(coarray) = unsafe { (*handle).as_ref() } {
        // SAFETY: the caller's guarantee.
        let corank = usize::try_from(unsafe { *corank }).unwrap_or(0);
        *coarray.bounds.borrow_mut() = Cobounds::new(corank);
    }
}

/// The bounds of a codimension, from 0.
///
/// # Safety
/// As [`xmpf_coarray_set_corank_`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_coarray_set_codim_(
    handle: *const Handle,
    codim: *const c_int,
    lower: *const c_int,
    upper: *const c_int,
) {
    done("cobounds of a coarray", || {
        // SAFETY: the caller's guarantee.
        let (coarray, codim, lower, upper) =
            unsafe { ((*handle).as_ref(), *codim, *lower, *upper) };
        let Some(coarray) = coarray else { return Ok(()) };
        let (images, _) = images::of_coarray(instance(), coarray);
        let codim = usize::try_from(codim).unwrap_or(usize::MAX - 1);
        let set = coarray.bounds.borrow_mut().set(codim, lower.into(), upper.into(), images);
        set.map_err(|error| coarray.wrong(error))
    });
}

/// Its name.
///
/// # Safety
/// As [`xmpf_coarray_set_corank_`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_coarray_set_varname_(
    handle: *const Handle,
    len: *const c_int,
    name: *const c_char,
) {
    // SAFETY: the caller's guarantee.
    if let Some(coarray) = unsafe { (*handle).as_ref() } {
        // SAFETY: the caller's guarantee.
        *coarray.name.borrow_mut() = unsafe { text(name, *len) };
    }
}

/// The COARRAY directive: its image indices mean these nodes. A descriptor is made for a coarray that is not allocated yet.
///
/// # Safety
/// As [`xmpf_coarray_set_corank_`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_coarray_set_nodes_(handle: *mut Handle, nodes: *const Descriptor) {
    done("coarray directive", || {
        // SAFETY: the caller's guarantee.
        unsafe {
            let nodes = Object::<NodeSet>::shared(*nodes)?;
            if (*handle).is_null() {
                *handle = instance().omni.coarray.coarrays.borrow_mut().renew(handle);
            }
            *Coarray::of(*handle)?.nodes.borrow_mut() = Some(nodes);
        }
        Ok(())
    });
}
