//! Barrier, reduction and broadcast among the images of a node array.

use super::asynchronous::pending;
use super::objects::{ObjectHandle, nodes_of};
use crate::c::argument::Data;
use crate::c::outcome::functions;
use crate::c::types::{Type, op_of};
use crate::process::instance;
use std::ffi::{c_int, c_uint};
use std::rc::Rc;
use xmp_collectives::{Combine, Reduction, barrier, global, nonblocking, raw};
use xmp_core::image_set::ImageSet;
use xmp_core::{Error, Result};

/// A reduction of data of some nodes.
struct Reduced {
    /// The nodes as a set, if this image is one of them.
    set: Option<Rc<ImageSet>>,
    reduction: Reduction<'static>,
}

impl Reduced {
    fn new(
        nodes: ObjectHandle,
        data: Data,
        count: usize,
        element: c_uint,
        op: c_uint,
    ) -> Result<Reduced> {
        let nodes = nodes_of(nodes)?;
        let reduction = Type::of(element)?.reduction(op_of(op)?)?;
        data.check(count, reduction.element())?;
        Ok(Reduced { set: global::set_of(&instance().image, &nodes)?, reduction })
    }
}

/// The nodes of a broadcast as a set, if this image is one of them, and the position of the one whose data they get.
fn from_node(
    nodes: ObjectHandle,
    data: Data,
    bytes: usize,
    from: c_int,
) -> Result<Option<(Rc<ImageSet>, usize)>> {
    let nodes = nodes_of(nodes)?;
    data.check(bytes, 1)?;
    let rank = usize::try_from(from).ok().and_then(|from| nodes.members().rank(from));
    let rank = rank
        .ok_or_else(|| Error::Invalid(format!("node {from} of {}, counted from 0", nodes.len())))?;
    let Some(set) = global::set_of(&instance().image, &nodes)? else { return Ok(None) };
    let root = global::root_of(&set, Some(rank))?;
    Ok(Some((set, root)))
}

/// The error of an operation in the background on these nodes, which this image cannot begin: images that wait for this
/// one get it, too.
fn refused(nodes: ObjectHandle, error: Error) -> Error {
    let image = &instance().image;
    match nodes_of(nodes).and_then(|nodes| global::set_of(image, &nodes)) {
        Ok(Some(set)) => global::refuse_background(image, &set, error),
        _ => error,
    }
}

functions! {
    /// Waits for the nodes.
    fn xmprt_barrier_on(nodes: ObjectHandle) {
        let image = &instance().image;
        let nodes = nodes_of(nodes)?;
        xmp_coarray::front_end::sync_memory(image)?;
        global::set_of(image, &nodes)?.map_or(Ok(()), |set| barrier(image, &set))
    }

    /// Combines data of the nodes for all of them.
    fn xmprt_reduce_on(nodes: ObjectHandle, data: Data, count: usize, element: c_uint, op: c_uint) {
        let Reduced { set, reduction } = Reduced::new(nodes, data, count, element, op)?;
        let Some(set) = set else { return Ok(()) };
        // SAFETY: the contract of entries: `data` has `count` elements.
        unsafe { raw::allreduce(&instance().image, &set, data.start(), count, &reduction) }
    }

    /// Begins to combine data.
    fn xmprt_reduce_on_async(
        nodes: ObjectHandle, data: Data, count: usize, element: c_uint, op: c_uint, id: i64,
    ) {
        let reduced = Reduced::new(nodes, data, count, element, op);
        let Reduced { set, reduction } = reduced.map_err(|error| refused(nodes, error))?;
        let Some(set) = set else { return Ok(()) };
        let (instance, by) = (instance(), Combine::By(reduction));
        let image = &instance.image;
        // SAFETY: the contract of entries: `data` has `count` elements until the operation is waited for.
        let handle = unsafe { nonblocking::raw::allreduce(image, &set, data.start(), count, by) };
        pending(instance).operations.add(id, handle, |()| ());
        Ok(())
    }

    /// The bytes of one node for all of them.
    fn xmprt_broadcast_on(nodes: ObjectHandle, data: Data, bytes: usize, from: c_int) {
        let Some((set, root)) = from_node(nodes, data, bytes, from)? else { return Ok(()) };
        // SAFETY: the contract of entries: `data` has `bytes` bytes.
        unsafe { raw::broadcast(&instance().image, &set, root, data.start(), bytes) }
    }

    /// Begins to give the bytes of one node to all.
    fn xmprt_broadcast_on_async(nodes: ObjectHandle, data: Data, bytes: usize, from: c_int, id: i64) {
        let found = from_node(nodes, data, bytes, from);
        let found = found.map_err(|error| refused(nodes, error))?;
        let Some((set, root)) = found else { return Ok(()) };
        let (instance, start) = (instance(), data.start());
        // SAFETY: the contract of entries: `data` has `bytes` bytes until the operation is waited for.
        let handle = unsafe {
            nonblocking::raw::broadcast(&instance.image, &set, root, start, bytes)?
        };
        pending(instance).operations.add(id, handle, |()| ());
        Ok(())
    }
}
