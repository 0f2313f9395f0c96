//! `task` (XcalableMP 1.4, 4.4.1).

use super::arguments::object;
use super::reference::Reference;
use crate::omni::error::done;
use crate::omni::executing;
use crate::omni::objects::{Descriptor, NodeSet, Object, hand_out};
use crate::process::instance;
use std::ffi::c_int;

/// The nodes of a reference; 0 on images for which it has no meaning.
///
/// # Safety
/// The pointers are valid, `reference` describes one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_create_task_nodes__(
    nodes: *mut Descriptor,
    reference: *const Descriptor,
) {
    done("task", || {
        // SAFETY: the caller's guarantee.
        unsafe {
            nodes.write(std::ptr::null_mut());
            match object::<Reference>(reference)?.nodes(instance())? {
                Some(found) => hand_out(nodes, found),
                None => Ok(()),
            }
        }
    });
}

/// Whether this image is one of the nodes; they execute alone until `xmpf_end_task_`.
///
/// # Safety
/// `nodes` is valid and holds 0 or describes nodes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_test_task_on_nodes__(nodes: *const Descriptor) -> c_int {
    done("task", || {
        // SAFETY: the caller's guarantee.
        let nodes = unsafe { nodes.read() };
        if nodes.is_null() {
            return Ok(0);
        }
        // SAFETY: as above.
        let nodes = unsafe { Object::<NodeSet>::shared(nodes)? };
        Ok(executing::enter(instance(), &nodes)?.into())
    })
}

/// Whether this image is one of the nodes of a reference (`nocomm`); nothing is entered.
///
/// # Safety
/// `reference` is valid and describes one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_test_task_nocomm__(reference: *const Descriptor) -> c_int {
    done("task", || {
        // SAFETY: the caller's guarantee.
        let nodes = unsafe { object::<Reference>(reference)? }.nodes(instance())?;
        Ok(nodes.is_some_and(|nodes| nodes.coords.is_some()).into())
    })
}

/// The end of a task.
#[unsafe(no_mangle)]
pub extern "C" fn xmpf_end_task__() {
    done("end task", || executing::leave(instance()));
}
