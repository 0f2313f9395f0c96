//! `bcast` (XcalableMP 1.4, 4.5.5).

use super::arguments::{count, object, optional};
use super::element::bytes_of;
use super::reference::{Of, Reference, nodes_on};
use crate::omni::c::bcast::broadcast;
use crate::omni::error::{Outcome, Wrong, done};
use crate::omni::objects::{Descriptor, NodeSet, Object};
use crate::process::instance;
use std::ffi::{c_int, c_void};
use std::rc::Rc;
use xmp_core::Rank;
use xmp_core::global::Subscript;

/// `bcast (v) [from ...] [on ...]`.
///
/// # Safety
/// The pointers are valid, `data` for `count` elements; the clauses hold 0 or describe references.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_bcast__(
    data: *mut c_void,
    elements: *const c_int,
    type_code: *const c_int,
    from: *const Descriptor,
    on: *const Descriptor,
) {
    done("bcast", || {
        // SAFETY: the caller's guarantee.
        let (elements, element) =
            unsafe { (count(elements, "elements")?, bytes_of(type_code.read())?) };
        // SAFETY: as above.
        let (from, on) = unsafe { (optional::<Reference>(from)?, on) };
        let giver = from.map(giver).transpose()?;
        // SAFETY: as above.
        match unsafe { receivers(from, on)? } {
            // SAFETY: as above.
            Some(nodes) => unsafe { broadcast(&nodes, giver, (data, elements * element)) },
            None => Ok(()),
        }
    });
}

/// The image that gives: the first one that has what `from` names.
fn giver(from: &Object<Reference>) -> Outcome<Rank> {
    match from.nodes(instance())? {
        Some(nodes) => Ok(nodes.nodes.members().rank(0).expect("there is a node")),
        None => Err(Wrong::because("from has a `*`, and this image is none of the nodes")),
    }
}

/// Who gets it: the nodes of `on`. Without it the executing ones; with a `*` in `from`, those that have the same index
/// there.
///
/// # Safety
/// `on` is valid and holds 0 or describes a reference.
unsafe fn receivers(
    from: Option<&Object<Reference>>,
    on: *const Descriptor,
) -> Outcome<Option<Rc<Object<NodeSet>>>> {
    // SAFETY: the caller's guarantee.
    if unsafe { !on.read().is_null() } {
        // SAFETY: as above.
        return unsafe { object::<Reference>(on)?.nodes(instance()) };
    }
    if let Some(from) = from
        && let Of::Nodes(nodes) = &from.of
        && from.own_dims().contains(&true)
    {
        let subscript = |own: &bool| if *own { Subscript::Own } else { Subscript::All };
        let line: Vec<Subscript> = from.own_dims().iter().map(subscript).collect();
        let image = &instance().image;
        let line = nodes.nodes.section(&line, image.rank())?;
        return Ok(Some(Object::new(NodeSet::new(image, line))));
    }
    // SAFETY: as above.
    unsafe { nodes_on(on) }
}
