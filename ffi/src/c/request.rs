//! Collectives on a team that begin now and are waited for later.

use super::collective::{Type, check, position};
use super::outcome::{not_null, outcome};
use super::team::{TeamHandle, set_of};
use crate::process::{Handles, instance};
use std::cell::RefCell;
use std::ffi::{c_int, c_uint, c_void};
use xmp_coarray::sync_memory;
use xmp_collectives::Op;
use xmp_collectives::nonblocking::{self, Combine, Handle, raw};
use xmp_core::{Error, Result};

/// `xmprt_request`: the handle of an operation, 0 for none.
pub type RequestHandle = i64;

/// The operations that have begun and not been waited for.
pub type Requests = RefCell<Handles<Handle<'static, ()>>>;

/// Begins an operation and gives its handle to the program.
///
/// # Safety
/// `request` is null or valid.
pub unsafe fn begin(
    function: &str,
    request: *mut RequestHandle,
    operation: impl FnOnce() -> Result<Handle<'static, ()>>,
) -> c_int {
    let attempt = || -> Result<()> {
        not_null(request, "request")?;
        let operation = operation()?;
        let handle = instance().c.requests.borrow_mut().insert(operation);
        // SAFETY: the caller's guarantee.
        unsafe { *request = handle as RequestHandle };
        Ok(())
    };
    outcome(function, attempt)
}

/// # Safety
/// `data` has `count` elements of the type until the operation is complete; as [`begin`].
unsafe fn reduce(
    function: &str,
    op: Op,
    team: TeamHandle,
    (data, count): (*mut c_void, usize),
    element: c_uint,
    request: *mut RequestHandle,
) -> c_int {
    let operation = || {
        let set = set_of(team)?;
        let reduction = Type::of(element)?.reduction(op)?;
        check(data, count, reduction.element())?;
        let combine = Combine::By(reduction);
        // SAFETY: the caller's guarantee.
        Ok(unsafe { raw::allreduce(&instance().image, &set, data.cast(), count, combine) })
    };
    // SAFETY: the caller's guarantee.
    unsafe { begin(function, request, operation) }
}

/// Begins a barrier.
///
/// # Safety
/// `request` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_begin_sync(team: TeamHandle, request: *mut RequestHandle) -> c_int {
    let operation = || {
        let (image, set) = (&instance().image, set_of(team)?);
        sync_memory(image)?;
        Ok(nonblocking::barrier(image, &set))
    };
    // SAFETY: the caller's guarantee.
    unsafe { begin("xmprt_begin_sync", request, operation) }
}

/// Begins a sum.
///
/// # Safety
/// `data` has `count` elements of the type until the operation is complete; `request` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_begin_co_sum(
    team: TeamHandle,
    data: *mut c_void,
    count: usize,
    element: c_uint,
    request: *mut RequestHandle,
) -> c_int {
    // SAFETY: the caller's guarantee.
    unsafe { reduce("xmprt_begin_co_sum", Op::Sum, team, (data, count), element, request) }
}

/// Begins a minimum.
///
/// # Safety
/// As [`xmprt_begin_co_sum`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_begin_co_min(
    team: TeamHandle,
    data: *mut c_void,
    count: usize,
    element: c_uint,
    request: *mut RequestHandle,
) -> c_int {
    // SAFETY: the caller's guarantee.
    unsafe { reduce("xmprt_begin_co_min", Op::Min, team, (data, count), element, request) }
}

/// Begins a maximum.
///
/// # Safety
/// As [`xmprt_begin_co_sum`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_begin_co_max(
    team: TeamHandle,
    data: *mut c_void,
    count: usize,
    element: c_uint,
    request: *mut RequestHandle,
) -> c_int {
    // SAFETY: the caller's guarantee.
    unsafe { reduce("xmprt_begin_co_max", Op::Max, team, (data, count), element, request) }
}

/// Begins a broadcast.
///
/// # Safety
/// `data` has `bytes` bytes until the operation is complete; `request` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_begin_co_broadcast(
    team: TeamHandle,
    data: *mut c_void,
    bytes: usize,
    source_image: c_int,
    request: *mut RequestHandle,
) -> c_int {
    let operation = || {
        let set = set_of(team)?;
        let root = position(&set, source_image)?;
        check(data, bytes, 1)?;
        // SAFETY: the caller's guarantee.
        unsafe { raw::broadcast(&instance().image, &set, root, data.cast(), bytes) }
    };
    // SAFETY: the caller's guarantee.
    unsafe { begin("xmprt_begin_co_broadcast", request, operation) }
}

/// Begins to gather the bytes of all images for all.
///
/// # Safety
/// `mine` has `bytes` bytes, `all` that many for each image of the team until the operation is complete, and they do
/// not overlap; `request` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_begin_co_allgather(
    team: TeamHandle,
    mine: *const c_void,
    all: *mut c_void,
    bytes: usize,
    request: *mut RequestHandle,
) -> c_int {
    let operation = || {
        let set = set_of(team)?;
        check(mine, bytes, 1)?;
        check(all, bytes, set.len())?;
        // SAFETY: the caller's guarantee.
        Ok(unsafe { raw::allgather(&instance().image, &set, mine.cast(), all.cast(), bytes) })
    };
    // SAFETY: the caller's guarantee.
    unsafe { begin("xmprt_begin_co_allgather", request, operation) }
}

/// Waits for the operation that `request` names, if any, and takes it out of the table.
///
/// # Safety
/// `request` is valid.
unsafe fn finish(request: *mut RequestHandle) -> Result<()> {
    // SAFETY: the caller's guarantee.
    let number = unsafe { std::mem::take(&mut *request) };
    let handle = instance().c.requests.borrow_mut().remove(number as u64);
    match handle {
        Some(handle) => handle.wait(),
        None if number == 0 => Ok(()),
        None => {
            // SAFETY: as above. It is left as it was.
            unsafe { *request = number };
            Err(unknown(number))
        }
    }
}

fn unknown(number: RequestHandle) -> Error {
    Error::Invalid(format!("{number:#x} is not a request"))
}

/// Waits for an operation.
///
/// # Safety
/// `request` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_wait(request: *mut RequestHandle) -> c_int {
    let attempt = || -> Result<()> {
        not_null(request, "request")?;
        // SAFETY: the caller's guarantee.
        unsafe { finish(request) }
    };
    outcome("xmprt_wait", attempt)
}

/// Looks whether an operation is complete.
///
/// # Safety
/// `request` and `complete` are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_test(request: *mut RequestHandle, complete: *mut c_int) -> c_int {
    let attempt = || -> Result<()> {
        not_null(request, "request")?;
        not_null(complete, "complete")?;
        // SAFETY: the caller's guarantee.
        let number = unsafe { *request };
        // Errors are what the wait returns.
        let pending = match instance().c.requests.borrow().get(number as u64) {
            Some(handle) => handle.test() == Ok(false),
            None if number == 0 => false,
            None => return Err(unknown(number)),
        };
        // SAFETY: as above.
        unsafe {
            *complete = c_int::from(!pending);
            if pending { Ok(()) } else { finish(request) }
        }
    };
    outcome("xmprt_test", attempt)
}
