//! Requests: operations that have begun and are waited for later.

use super::argument::place;
use super::outcome::{functions, outcome};
use crate::process::{Handles, OfImage, instance};
use std::cell::{Cell, RefCell};
use std::ffi::c_int;
use xmp_collectives::nonblocking::Handle;
use xmp_core::{Error, Result};

/// `xmprt_request`: the handle of an operation, 0 for none.
pub type RequestHandle = i64;

/// The operations that have begun and not been waited for.
static REQUESTS: OfImage<RefCell<Handles<Handle<'static, ()>>>> =
    OfImage::new(RefCell::new(Handles::new()));

/// Begins an operation and gives its handle to the program.
pub fn begin(
    function: &str,
    request: Option<&Cell<RequestHandle>>,
    operation: impl FnOnce() -> Result<Handle<'static, ()>>,
) -> c_int {
    outcome(function, || {
        let request = place(request, "request")?;
        let operation = operation()?;
        let handle = REQUESTS.of(instance()).borrow_mut().insert(operation);
        request.set(handle as RequestHandle);
        Ok(())
    })
}

/// Waits for the operation that `request` names, if any, and takes it out of the table.
fn finish(request: &Cell<RequestHandle>) -> Result<()> {
    let number = request.get();
    if number == 0 {
        return Ok(());
    }
    let handle = REQUESTS.of(instance()).borrow_mut().remove(number as u64);
    let handle = handle.ok_or_else(|| unknown(number))?;
    request.set(0);
    handle.wait()
}

fn unknown(number: RequestHandle) -> Error {
    Error::Invalid(format!("{number:#x} is not a request"))
}

functions! {
    /// Waits for an operation.
    fn xmprt_wait(request: Option<&Cell<RequestHandle>>) {
        finish(place(request, "request")?)
    }

    /// Looks whether an operation is complete.
    fn xmprt_test(request: Option<&Cell<RequestHandle>>, complete: Option<&Cell<c_int>>) {
        let (request, complete) = (place(request, "request")?, place(complete, "complete")?);
        let number = request.get();
        // Errors are what the wait returns.
        let pending = match REQUESTS.of(instance()).borrow().get(number as u64) {
            Some(handle) => handle.test() == Ok(false),
            None if number == 0 => false,
            None => return Err(unknown(number)),
        };
        complete.set((!pending).into());
        if pending { Ok(()) } else { finish(request) }
    }
}
