//! Names, cobounds and nodes of coarrays, and where images are in their coshape.

use crate::omni::coarray::cobounds::Cobounds;
use crate::omni::coarray::control::text;
use crate::omni::coarray::descriptor::{Coarray, Handle};
use crate::omni::coarray::{images, inquiry};
use crate::omni::error::done;
use crate::omni::objects::{Descriptor, NodeSet, Object};
use crate::process::instance;
use std::ffi::{c_char, c_int};

/// THIS_IMAGE (coarray): a cosubscript for each codimension.
///
/// # Safety
/// There is room for so many.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn XMPCO_this_image_coarray(
    handle: Handle,
    corank: c_int,
    cosubscripts: *mut c_int,
) {
    for dim in 1..=corank {
        // SAFETY: the caller's guarantee.
        unsafe {
            *cosubscripts.add(dim as usize - 1) = XMPCO_this_image_coarray_dim(handle, corank, dim)
        };
    }
}

/// THIS_IMAGE (coarray, dim).
///
/// # Safety
/// The descriptor is one of this front end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn XMPCO_this_image_coarray_dim(
    handle: Handle,
    corank: c_int,
    dim: c_int,
) -> c_int {
    // SAFETY: the caller's guarantee.
    unsafe {
        inquiry::xmpf_this_image_coarray_dim_(&raw const handle, &raw const corank, &raw const dim)
    }
}

/// Sets the number of codimensions.
///
/// # Safety
/// The descriptor is one of this front end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _XMPCO_set_corank(handle: Handle, corank: c_int) {
    done("_XMPCO_set_corank", || {
        let corank = usize::try_from(corank).unwrap_or(0);
        // SAFETY: the caller's guarantee.
        *unsafe { Coarray::of(handle)? }.bounds.borrow_mut() = Cobounds::new(corank);
        Ok(())
    });
}

/// Sets the bounds of a codimension, from 0.
///
/// # Safety
/// The descriptor is one of this front end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _XMPCO_set_codim_withBounds(
    handle: Handle,
    dim: c_int,
    lower: c_int,
    upper: c_int,
) {
    done("_XMPCO_set_codim_withBounds", || {
        // SAFETY: the caller's guarantee.
        let coarray = unsafe { Coarray::of(handle)? };
        let (images, _) = images::of_coarray(instance(), coarray);
        let dim = usize::try_from(dim).unwrap_or(usize::MAX - 1);
        let set = coarray.bounds.borrow_mut().set(dim, lower.into(), upper.into(), images);
        set.map_err(|error| coarray.wrong(error))
    });
}

/// Sets the lower bound and the size of a codimension, from 0.
///
/// # Safety
/// The descriptor is one of this front end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _XMPCO_set_codim_withSize(
    handle: Handle,
    dim: c_int,
    lower: c_int,
    size: c_int,
) {
    // SAFETY: the caller's guarantee.
    unsafe { _XMPCO_set_codim_withBounds(handle, dim, lower, lower.saturating_add(size) - 1) };
}

/// Sets the name that messages have.
///
/// # Safety
/// The descriptor is one of this front end; there are so many characters.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _XMPCO_set_varname(handle: Handle, len: c_int, name: *const c_char) {
    done("_XMPCO_set_varname", || {
        // SAFETY: the caller's guarantee.
        unsafe { *Coarray::of(handle)?.name.borrow_mut() = text(name, len) };
        Ok(())
    });
}

/// Sets the nodes whose images its image indices mean; for null, of a new descriptor.
///
/// # Safety
/// The descriptors are of this front end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _XMPCO_set_nodes(handle: Handle, nodes: Descriptor) -> Handle {
    done("_XMPCO_set_nodes", || {
        // SAFETY: the caller's guarantee.
        unsafe {
            let nodes = Object::<NodeSet>::shared(nodes)?;
            let handle: Handle = match handle.is_null() {
                true => instance().omni.coarray.coarrays.borrow_mut().returned(),
                false => handle,
            };
            *Coarray::of(handle)?.nodes.borrow_mut() = Some(nodes);
            Ok(handle)
        }
    })
}
