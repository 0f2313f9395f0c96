//! `async` clauses and `wait_async` (XcalableMP 1.4, 4.5.8).

use crate::omni::entry::{Optional, for_both, for_c, for_fortran};
use crate::omni::fortran::{Reference, nodes_on};
use crate::process::{enter, instance};
use std::ffi::c_int;

for_both! {
    /// What begins from now on has this id.
    "async" fn xmpc_init_async, xmpf_init_async__(id: c_int) {
        instance().omni.asynchronous.set(Some(id.into()));
        Ok(())
    }

    /// All operations with the id have begun.
    "async" fn xmpc_start_async, xmpf_start_async__() {
        instance().omni.asynchronous.set(None);
        Ok(())
    }

    /// Whether the operations with this id are complete.
    "xmp_test_async" fn xmp_test_async, xmp_test_async_(id: c_int) -> c_int {
        Ok(instance().omni.pending.test(id.into())?.into())
    }
}

for_c! {
    /// Waits for the operations with this id; there may be none.
    "wait_async" fn _XMP_wait_async__(id: c_int) {
        Ok(instance().omni.pending.wait(id.into())?)
    }
}

for_fortran! {
    /// Waits for the operations with this id on the nodes of a reference; there may be none.
    "wait_async" fn xmpf_wait_async__(id: c_int, on: Optional<Reference>) {
        if nodes_on(on.0)?.is_some_and(|nodes| nodes.coords.is_some()) {
            instance().omni.pending.wait(id.into())?;
        }
        Ok(())
    }
}

/// The id is no longer needed: the program has waited for it.
#[unsafe(no_mangle)]
pub extern "C" fn xmpc_end_async(_id: c_int) {}

/// Whether operations that begin now are asynchronous.
#[unsafe(no_mangle)]
pub extern "C" fn xmp_is_async() -> bool {
    let _entered = enter();
    instance().omni.asynchronous.get().is_some()
}
