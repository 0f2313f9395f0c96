//! Operations of some nodes.

use super::{ObjectHandle, nodes_of};
use crate::c::collective::{Type, check};
use crate::c::outcome::outcome;
use crate::process::instance;
use std::ffi::{c_int, c_uint, c_void};
use xmp_collectives::{Op, global, raw};
use xmp_core::{Error, Result};

/// What an `xmprt_op` is.
///
/// # Errors
/// When it is none.
pub fn op_of(op: c_uint) -> Result<Op> {
    match op {
        1 => Ok(Op::Sum),
        2 => Ok(Op::Min),
        3 => Ok(Op::Max),
        _ => Err(Error::Invalid(format!("operator {op} is not an xmprt_op"))),
    }
}

/// Waits for the nodes.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_barrier_on(nodes: ObjectHandle) -> c_int {
    let attempt = || -> Result<()> {
        let image = &instance().image;
        let nodes = nodes_of(nodes)?;
        xmp_coarray::sync_memory(image)?;
        global::barrier_on(image, &nodes)
    };
    outcome("xmprt_barrier_on", attempt())
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
    let attempt = || -> Result<()> {
        let image = &instance().image;
        let nodes = nodes_of(nodes)?;
        let reduction = Type::of(element)?.reduction(op_of(op)?)?;
        check(data, count, reduction.element())?;
        let Some(set) = global::set_of(image, &nodes)? else { return Ok(()) };
        // SAFETY: the caller's guarantee.
        unsafe { raw::allreduce(image, &set, data.cast(), count, &reduction) }
    };
    outcome("xmprt_reduce_on", attempt())
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
    let attempt = || -> Result<()> {
        let nodes = nodes_of(nodes)?;
        check(data, bytes, 1)?;
        let rank = usize::try_from(from).ok().and_then(|from| nodes.members().rank(from));
        let rank = rank.ok_or_else(|| {
            Error::Invalid(format!("node {from} of {}, counted from 0", nodes.len()))
        })?;
        let buffer = (data.cast(), bytes);
        // SAFETY: the caller's guarantee.
        unsafe { global::bcast(&instance().image, &nodes, Some(rank), buffer) }
    };
    outcome("xmprt_broadcast_on", attempt())
}
