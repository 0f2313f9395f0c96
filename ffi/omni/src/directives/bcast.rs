//! `bcast` (XcalableMP 1.4, 4.5.5).

use super::asynchronous;
use crate::c::part_of;
use crate::fortran::{Reference, ReferencedObject, nodes_on};
use crate::objects::{Descriptor, NodeSet, Object, fortran_bytes_of};
use std::ffi::c_int;
use std::rc::Rc;
use xmp_collectives::global::root_of;
use xmp_collectives::{nonblocking, raw};
use xmp_core::Rank;
use xmp_core::global::Subscript;
use xmp_ffi::global::pending;
use xmp_ffi::process::instance;
use xmp_ffi::xmp::entry::{List, Memory, Optional, for_c, for_fortran};
use xmp_ffi::xmp::error::{DirectiveError, Outcome};

/// The bytes of this many elements.
#[inline(always)]
fn bytes(count: c_int, element: usize) -> Outcome<usize> {
    let bytes = usize::try_from(count).ok().and_then(|count| count.checked_mul(element));
    bytes.ok_or_else(|| DirectiveError::because(format!("{count} elements")))
}

/// Gives `count` elements of `from`, or of the first node, to all nodes.
///
/// # Errors
/// When `from` is none of the nodes, for nodes that do not execute this, and for a count that is negative or too large.
fn broadcast(
    nodes: &NodeSet,
    from: Option<Rank>,
    data: Memory,
    count: c_int,
    element: usize,
) -> Outcome {
    let instance = instance();
    let image = &instance.image;
    let bytes = bytes(count, element)?;
    let Some(set) = nodes.set(image)? else { return Ok(()) };
    let (root, start) = (root_of(&set, from)?, data.start());
    // SAFETY: the contract of entries: the data has as many bytes as the arguments say.
    unsafe {
        match asynchronous::id(instance) {
            Some(id) => {
                let handle = nonblocking::raw::broadcast(image, &set, root, start, bytes)?;
                pending(instance).operations.add(id, handle, |()| ());
            }
            None => raw::broadcast(image, &set, root, start, bytes)?,
        }
    }
    Ok(())
}

for_c! {
    /// From the first of the nodes.
    "bcast" fn _XMP_bcast_NODES_ENTIRE_OMITTED(
        nodes: &Object<NodeSet>, data: Memory, count: c_int, element: usize,
    ) {
        broadcast(nodes, None, data, count, element)
    }

    /// From the node that a reference to `from` names.
    "bcast" fn xmprt_omni_bcast_from(
        nodes: &Object<NodeSet>, data: Memory, count: c_int, element: usize, from: Descriptor,
        reference: List<i64>,
    ) {
        let source = part_of(instance(), from, &reference)?.ok_or_else(no_source)?;
        if source.nodes.len() != 1 {
            let why = format!("from names {} nodes, it must be one", source.nodes.len());
            return Err(DirectiveError::because(why));
        }
        broadcast(nodes, source.nodes.members().rank(0), data, count, element)
    }
}

for_fortran! {
    /// `bcast (v) [from ...] [on ...]`.
    "bcast" fn xmpf_bcast__(
        data: Memory, count: c_int, type_code: c_int, from: Optional<Reference>, on: Optional<Reference>,
    ) {
        let element = fortran_bytes_of(type_code)?;
        let source = from.0.map(source).transpose()?;
        match receivers(from.0, on.0)? {
            Some(nodes) => broadcast(&nodes, source, data, count, element),
            None => Ok(()),
        }
    }
}

/// The image whose data is broadcast: the first one that has what `from` names.
fn source(from: &Object<Reference>) -> Outcome<Rank> {
    match from.nodes(instance())? {
        Some(nodes) => Ok(nodes.nodes.members().rank(0).expect("there is a node")),
        None => Err(no_source()),
    }
}

fn no_source() -> DirectiveError {
    DirectiveError::because("from has a `*`, and this image is none of the nodes")
}

/// The nodes that receive the data: those of `on`. Without it they are the executing nodes; with a `*` in `from`,
/// those that have the same index there.
fn receivers(
    from: Option<&Object<Reference>>,
    on: Option<&Object<Reference>>,
) -> Outcome<Option<Rc<Object<NodeSet>>>> {
    if on.is_none()
        && let Some(from) = from
        && let ReferencedObject::Nodes(nodes) = &from.of
        && from.own_dims().contains(&true)
    {
        let subscript = |own: &bool| if *own { Subscript::Own } else { Subscript::All };
        let line: Vec<Subscript> = from.own_dims().iter().map(subscript).collect();
        let image = &instance().image;
        let line = nodes.nodes.section(&line, image.rank())?;
        return Ok(Some(Object::new(NodeSet::new(image, line))));
    }
    nodes_on(on)
}
