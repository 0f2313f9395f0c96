//! `async` clauses and `wait_async` (XcalableMP 1.4, 4.5.8).

use crate::omni::error::done;
use crate::process::{enter, instance};
use std::ffi::c_int;

/// What begins from now on has this id.
#[unsafe(no_mangle)]
pub extern "C" fn xmpc_init_async(id: c_int) {
    let _entered = enter();
    instance().omni.asynchronous.set(Some(id.into()));
}

/// Everything has begun.
#[unsafe(no_mangle)]
pub extern "C" fn xmpc_start_async() {
    let _entered = enter();
    instance().omni.asynchronous.set(None);
}

/// Waits for what has this id; there may be nothing.
#[unsafe(no_mangle)]
pub extern "C" fn _XMP_wait_async__(id: c_int) {
    done("wait_async", || Ok(instance().omni.pending.wait(id.into())?));
}

/// The id is not needed any more: it was waited for.
#[unsafe(no_mangle)]
pub extern "C" fn xmpc_end_async(_id: c_int) {}

/// Whether what has this id is complete.
#[unsafe(no_mangle)]
pub extern "C" fn xmp_test_async(id: c_int) -> c_int {
    done("xmp_test_async", || Ok(instance().omni.pending.test(id.into())?)).into()
}

/// Whether what begins now is asynchronous.
#[unsafe(no_mangle)]
pub extern "C" fn xmp_is_async() -> bool {
    let _entered = enter();
    instance().omni.asynchronous.get().is_some()
}
