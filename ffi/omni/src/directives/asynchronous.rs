//! `async` clauses and `wait_async` (XcalableMP 1.4, 4.5.8).

use crate::fortran::{Reference, nodes_on};
use std::cell::Cell;
use std::ffi::c_int;
use xmp_ffi::global::pending;
use xmp_ffi::process::{Instance, OfImage, enter, instance};
use xmp_ffi::xmp::entry::{Optional, for_both, for_c, for_fortran};

/// The id that operations begin with at present, between `init_async` and `start_async`.
static ASYNC_ID: OfImage<Cell<Option<i64>>> = OfImage::new(Cell::new(None));

/// The async id of operations that begin now; without one they block.
pub fn id(instance: &Instance) -> Option<i64> {
    ASYNC_ID.of(instance).get()
}

for_both! {
    /// What begins from now on has this id.
    "async" fn xmpc_init_async, xmpf_init_async__(id: c_int) {
        ASYNC_ID.of(instance()).set(Some(id.into()));
        Ok(())
    }

    /// All operations with the id have begun.
    "async" fn xmpc_start_async, xmpf_start_async__() {
        ASYNC_ID.of(instance()).set(None);
        Ok(())
    }
}

for_c! {
    /// Waits for the operations with this id; there may be none.
    "wait_async" fn _XMP_wait_async__(id: c_int) {
        Ok(pending(instance()).wait(id.into())?)
    }
}

for_fortran! {
    /// Waits for the operations with this id on the nodes of a reference; there may be none.
    "wait_async" fn xmpf_wait_async__(id: c_int, on: Optional<Reference>) {
        if nodes_on(on.0)?.is_some_and(|nodes| nodes.coords.is_some()) {
            pending(instance()).wait(id.into())?;
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
    id(instance()).is_some()
}
