//! Entry functions of operations in progress: wait for them, ask for them.

use crate::c::argument::{List, place};
use crate::c::outcome::functions;
use crate::global::pending;
use crate::process::instance;
use std::cell::Cell;
use std::ffi::c_int;
use xmp_core::Result;

/// The id of an operation in the background; none for one that is executed at once.
pub fn async_id(id: List<i64>) -> Result<Option<i64>> {
    if id.is_null() { Ok(None) } else { Ok(Some(id.of("async", 1)?[0])) }
}

functions! {
    /// Waits for all operations with an id; there may be none.
    fn xmprt_wait_async(id: i64) {
        pending(instance()).wait(id)
    }

    /// Whether all operations with an id are complete.
    fn xmprt_test_async(id: i64, complete: Option<&Cell<c_int>>) {
        let complete = place(complete, "complete")?;
        complete.set(pending(instance()).test(id)?.into());
        Ok(())
    }
}
