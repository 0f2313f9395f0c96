//! `bcast` (XcalableMP 1.4, 4.5.5).

use super::asynchronous::{self, pending};
use crate::omni::c::part_of;
use crate::omni::entry::{List, Memory, Optional, for_c, for_fortran};
use crate::omni::error::{Outcome, Wrong};
use crate::omni::executing;
use crate::omni::fortran::{Of, Reference, nodes_on};
use crate::omni::objects::{Descriptor, NodeSet, Object, fortran_bytes_of};
use crate::process::{Instance, OfImage, instance};
use std::cell::RefCell;
use std::ffi::c_int;
use std::rc::Rc;
use xmp_collectives::global::root_of;
use xmp_collectives::{nonblocking, raw};
use xmp_core::Rank;
use xmp_core::global::Subscript;
use xmp_core::image_set::ImageSet;

/// The bytes of so many elements.
#[inline(always)]
fn bytes(count: c_int, element: usize) -> Outcome<usize> {
    let bytes = usize::try_from(count).ok().and_then(|count| count.checked_mul(element));
    bytes.ok_or_else(|| Wrong::because(format!("{count} elements")))
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
                pending(instance).add(id, handle, |()| ());
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
            return Err(Wrong::because(why));
        }
        broadcast(nodes, source.nodes.members().rank(0), data, count, element)
    }
}

/// A node that broadcasts to the executing ones.
#[derive(Debug)]
struct Source {
    /// The nodes of one dimension that it is one of. They are kept, so that no others have their address.
    of: Rc<Object<NodeSet>>,
    /// Its number among them.
    number: c_int,
    /// The executing set.
    within: Rc<ImageSet>,
    /// The set that communicates: as many images.
    set: Rc<ImageSet>,
    /// Its position there.
    root: usize,
}

/// The source of the last `bcast` among the executing nodes.
static LAST_SOURCE: OfImage<RefCell<Option<Source>>> = OfImage::new(RefCell::new(None));

/// The set that communicates and the position of its root, if that is known from the last time.
#[inline(always)]
fn known_source(
    instance: &Instance,
    from: Descriptor,
    number: c_int,
) -> Option<(Rc<ImageSet>, usize)> {
    let last = LAST_SOURCE.of(instance).borrow();
    let source = last.as_ref()?;
    let is_it = source.of.address() == from
        && source.number == number
        && Rc::ptr_eq(&source.within, instance.image.stack().top().set());
    is_it.then(|| (source.set.clone(), source.root))
}

/// What [`known_source`] finds from now on, if `rank`, the node of that number, is one of the executing ones.
fn keep_source(
    instance: &Instance,
    from: Descriptor,
    number: c_int,
    rank: Option<Rank>,
) -> Outcome {
    let image = &instance.image;
    let Some(set) = executing::nodes(instance).set(image)? else { return Ok(()) };
    let (of, within) = (from.shared::<NodeSet>()?, image.executing());
    let position = rank.and_then(|rank| set.members().position(rank));
    let kept = position.map(|root| Source { of, number, within, set, root });
    LAST_SOURCE.of(instance).replace(kept);
    Ok(())
}

for_c! {
    /// From one of some nodes of one dimension, by its number among them, to the executing nodes.
    "bcast" fn xmprt_omni_bcast_from_node(
        data: Memory, count: c_int, element: usize, from: Descriptor, number: c_int,
    ) {
        let instance = instance();
        let is_blocking = asynchronous::id(instance).is_none();
        if is_blocking && let Some((set, root)) = known_source(instance, from, number) {
            let bytes = bytes(count, element)?;
            // SAFETY: the contract of entries: the data has as many bytes as the arguments say.
            unsafe { raw::broadcast(&instance.image, &set, root, data.start(), bytes)? };
            return Ok(());
        }
        let reference = &mut [0, number.into(), number.into(), 1];
        let source = part_of(instance, from, &List::within(reference))?.ok_or_else(no_source)?;
        let rank = source.nodes.members().rank(0);
        if is_blocking {
            keep_source(instance, from, number, rank)?;
        }
        broadcast(&executing::nodes(instance), rank, data, count, element)
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

fn no_source() -> Wrong {
    Wrong::because("from has a `*`, and this image is none of the nodes")
}

/// The nodes that receive the data: those of `on`. Without it they are the executing nodes; with a `*` in `from`,
/// those that have the same index there.
fn receivers(
    from: Option<&Object<Reference>>,
    on: Option<&Object<Reference>>,
) -> Outcome<Option<Rc<Object<NodeSet>>>> {
    if on.is_none()
        && let Some(from) = from
        && let Of::Nodes(nodes) = &from.of
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
