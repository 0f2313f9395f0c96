//! Nodes that are a part of others.

use super::{Places, answer, dimensions, read_reference, read_sizes};
use crate::omni::arguments::Arguments;
use crate::omni::error::{Outcome, done};
use crate::omni::objects::{Descriptor, Equivalence, NodeSet, Object, hand_out, subscripts};
use crate::process::instance;
use std::ffi::c_int;
use std::rc::Rc;
use xmp_core::global::{Kind, Nodes, Order};

/// `nodes q(..)=p(..)`.
///
/// # Safety
/// As [`xmprt_omni_init_nodes_static_global`]; `of` describes nodes.
unsafe fn declare_part(
    place: *mut Descriptor,
    (dims, places): (c_int, Places),
    of: Descriptor,
    arguments: *mut Arguments,
) {
    done("nodes", || {
        // SAFETY: the caller's guarantee.
        let (of, reference) = unsafe {
            let of = Object::<NodeSet>::shared(of)?;
            let reference = read_reference(&mut *arguments, of.nodes.shape().len());
            (of, reference)
        };
        let subscripts = subscripts(&reference)?;
        let own = instance().image.rank();
        let needs_own = reference.contains(&None) && of.coords.is_none();
        // An image outside has no part of its own; any other's has the right shape.
        let own = if needs_own { of.nodes.members().rank(0).unwrap_or(own) } else { own };
        let part = of.nodes.section(&subscripts, own)?;
        let equivalence = Equivalence { of, subscripts: subscripts.into_vec() };
        // SAFETY: as above.
        unsafe { declare_members(place, (dims, places), arguments, &part, equivalence) }
    });
}

/// # Safety
/// As [`declare_part`].
unsafe fn declare_members(
    place: *mut Descriptor,
    (dims, places): (c_int, Places),
    arguments: *mut Arguments,
    part: &Nodes,
    equivalence: Equivalence,
) -> Outcome {
    let image = &instance().image;
    // SAFETY: the caller's guarantee.
    let arguments = unsafe { &mut *arguments };
    // SAFETY: as above.
    let (sizes, wanted) = unsafe { read_sizes(arguments, dimensions(dims)?, places)? };
    let nodes = Nodes::new(&sizes, Order::Fortran, Kind::Equivalenced, part.members())?;
    let family = equivalence.family(&nodes)?;
    let nodes = NodeSet::new(image, nodes).one_of(family).part_of(equivalence);
    let nodes: Rc<Object<NodeSet>> = Object::new(nodes);
    // SAFETY: as above.
    unsafe {
        answer(arguments, &wanted, &nodes);
        hand_out(place, nodes)
    }
}

/// `nodes q(2,2)=p(..)`.
///
/// # Safety
/// As [`xmprt_omni_init_nodes_static_global`]; `of` describes nodes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_omni_init_nodes_static_named(
    place: *mut Descriptor,
    dims: c_int,
    of: Descriptor,
    arguments: *mut Arguments,
) {
    // SAFETY: the caller's guarantee.
    unsafe { declare_part(place, (dims, Places::None), of, arguments) }
}

/// `nodes q(2,*)=p(..)`.
///
/// # Safety
/// As [`xmprt_omni_init_nodes_static_named`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_omni_init_nodes_dynamic_named(
    place: *mut Descriptor,
    dims: c_int,
    of: Descriptor,
    arguments: *mut Arguments,
) {
    // SAFETY: the caller's guarantee.
    unsafe { declare_part(place, (dims, Places::Last), of, arguments) }
}
