//! Operations of some nodes.

use super::{ObjectHandle, nodes_of};
use crate::c::collective::{Type, check, op_of};
use crate::c::outcome::outcome;
use crate::process::{Instance, instance};
use std::ffi::{c_int, c_uint, c_void};
use xmp_collectives::{Combine, global, nonblocking, raw};
use xmp_core::{Error, Result};

/// Waits for the nodes.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_barrier_on(nodes: ObjectHandle) -> c_int {
    let attempt = || -> Result<()> {
        let image = &instance().image;
        let nodes = nodes_of(nodes)?;
        xmp_coarray::sync_memory(image)?;
        global::barrier_on(image, &nodes)
    };
    outcome("xmprt_barrier_on", attempt)
}

/// Combines data of the nodes, at once or by an id.
///
/// # Safety
/// As [`xmprt_reduce_on`]; until it is waited for if there is an id.
unsafe fn combine(
    nodes: ObjectHandle,
    (data, count): (*mut c_void, usize),
    (element, op): (c_uint, c_uint),
    id: Option<i64>,
) -> Result<()> {
    let Instance { image, c, .. } = instance();
    let nodes = nodes_of(nodes)?;
    let reduction = Type::of(element)?.reduction(op_of(op)?)?;
    check(data, count, reduction.element())?;
    let Some(set) = global::set_of(image, &nodes)? else { return Ok(()) };
    // SAFETY: the caller's guarantee.
    unsafe {
        let Some(id) = id else {
            return raw::allreduce(image, &set, data.cast(), count, &reduction);
        };
        let by = Combine::By(reduction);
        let handle = nonblocking::raw::allreduce(image, &set, data.cast(), count, by);
        c.global.pending.operations.add(id, handle, |()| ());
    }
    Ok(())
}

/// Combines data of the nodes for all of them.
///
/// # Safety
/// `data` has `count` elements of the type.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_reduce_on(
    nodes: ObjectHandle,
    data: *mut c_void,
    count: usize,
    element: c_uint,
    op: c_uint,
) -> c_int {
    // SAFETY: the caller's guarantee.
    outcome("xmprt_reduce_on", || unsafe { combine(nodes, (data, count), (element, op), None) })
}

/// Begins to combine data.
///
/// # Safety
/// As [`xmprt_reduce_on`]; nobody accesses `data` until it is waited for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_reduce_on_async(
    nodes: ObjectHandle,
    data: *mut c_void,
    count: usize,
    element: c_uint,
    op: c_uint,
    id: i64,
) -> c_int {
    // SAFETY: the caller's guarantee.
    let begin = || unsafe { combine(nodes, (data, count), (element, op), Some(id)) };
    outcome("xmprt_reduce_on_async", begin)
}

/// Gives the bytes of one node to all, at once or by an id.
///
/// # Safety
/// As [`xmprt_broadcast_on`]; until it is waited for if there is an id.
unsafe fn spread(
    nodes: ObjectHandle,
    (data, bytes): (*mut c_void, usize),
    from: c_int,
    id: Option<i64>,
) -> Result<()> {
    let nodes = nodes_of(nodes)?;
    check(data, bytes, 1)?;
    let rank = usize::try_from(from).ok().and_then(|from| nodes.members().rank(from));
    let rank = rank
        .ok_or_else(|| Error::Invalid(format!("node {from} of {}, counted from 0", nodes.len())))?;
    let (buffer, Instance { image, c, .. }) = ((data.cast(), bytes), instance());
    // SAFETY: the caller's guarantee.
    unsafe {
        let Some(id) = id else { return global::bcast(image, &nodes, Some(rank), buffer) };
        global::bcast_async(image, &nodes, Some(rank), buffer, (&c.global.pending.operations, id))
    }
}

/// The bytes of one node for all of them.
///
/// # Safety
/// `data` has `bytes` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_broadcast_on(
    nodes: ObjectHandle,
    data: *mut c_void,
    bytes: usize,
    from: c_int,
) -> c_int {
    // SAFETY: the caller's guarantee.
    outcome("xmprt_broadcast_on", || unsafe { spread(nodes, (data, bytes), from, None) })
}

/// Begins to give the bytes of one node to all.
///
/// # Safety
/// As [`xmprt_broadcast_on`]; nobody accesses `data` until it is waited for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_broadcast_on_async(
    nodes: ObjectHandle,
    data: *mut c_void,
    bytes: usize,
    from: c_int,
    id: i64,
) -> c_int {
    // SAFETY: the caller's guarantee.
    outcome("xmprt_broadcast_on_async", || unsafe { spread(nodes, (data, bytes), from, Some(id)) })
}
