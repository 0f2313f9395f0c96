//! `async` clauses and `wait_async` (XcalableMP 1.4, 4.5.8).

use super::arguments::number;
use super::reference::nodes_on;
use crate::omni::error::done;
use crate::omni::objects::Descriptor;
use crate::process::{enter, instance};
use std::ffi::c_int;

/// What begins from now on has this id.
///
/// # Safety
/// `id` is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_init_async__(id: *const c_int) {
    let _entered = enter();
    // SAFETY: the caller's guarantee.
    instance().omni.asynchronous.set(Some(unsafe { number(id) }));
}

/// Everything has begun.
#[unsafe(no_mangle)]
pub extern "C" fn xmpf_start_async__() {
    let _entered = enter();
    instance().omni.asynchronous.set(None);
}

/// Waits for what has this id, on the nodes of a reference; there may be nothing.
///
/// # Safety
/// `id` is valid; `on` is valid and holds 0 or describes a reference.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_wait_async__(id: *const c_int, on: *const Descriptor) {
    done("wait_async", || {
        // SAFETY: the caller's guarantee.
        let (nodes, id) = unsafe { (nodes_on(on)?, number(id)) };
        match nodes.is_some_and(|nodes| nodes.coords.is_some()) {
            true => Ok(instance().omni.pending.wait(id)?),
            false => Ok(()),
        }
    });
}

/// `xmp_test_async(id)`: whether what has this id is complete.
///
/// # Safety
/// `id` is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_test_async_(id: *const c_int) -> c_int {
    // SAFETY: the caller's guarantee.
    let id = unsafe { number(id) };
    done("xmp_test_async", || Ok(instance().omni.pending.test(id)?)).into()
}
