//! `nodes` (XcalableMP 1.4, 4.3.1): the number of dimensions and their sizes are said first.

use super::arguments::{count, dimension, object, release};
use super::reference::Reference;
use crate::omni::c::nodes::{entire, executing, numbered, size};
use crate::omni::error::{Outcome, Wrong, done};
use crate::omni::objects::{Descriptor, Equivalence, NodeSet, Object, hand_out, sized};
use crate::process::instance;
use std::ffi::c_int;
use xmp_core::global::{Kind, Nodes, Order};
use xmp_core::image_set::Members;

/// Begins a declaration.
///
/// # Safety
/// The pointers are valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_nodes_alloc__(_nodes: *mut Descriptor, dims: *const c_int) {
    done("nodes", || {
        // SAFETY: the caller's guarantee.
        let dims = unsafe { count(dims, "dimensions")? };
        *instance().omni.fortran.sizes.borrow_mut() = vec![0; dims];
        Ok(())
    });
}

/// The size of a dimension, -1 for `*`.
///
/// # Safety
/// The pointers are valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_nodes_dim_size__(
    _nodes: *mut Descriptor,
    dim: *const c_int,
    size: *const c_int,
) {
    done("nodes", || {
        // SAFETY: the caller's guarantee.
        let (dim, size) = unsafe { (dimension(dim)?, size.read()) };
        match instance().omni.fortran.sizes.borrow_mut().get_mut(dim) {
            Some(place) => *place = size,
            None => return Err(Wrong::because(format!("the nodes have no dimension {}", dim + 1))),
        }
        Ok(())
    });
}

/// Nodes of these images, of the sizes that were said; part of others perhaps.
///
/// # Safety
/// `place` is valid.
unsafe fn declare(
    place: *mut Descriptor,
    kind: Kind,
    members: &Members,
    part: Option<Equivalence>,
) -> Outcome {
    let instance = instance();
    let sizes = instance.omni.fortran.sizes.borrow();
    let mut sizes = sizes.iter().map(|&it| size(it)).collect::<Outcome<Vec<_>>>()?;
    sized(&mut sizes, kind, members.len(), instance.image.settings())?;
    let nodes = Nodes::new(&sizes, Order::Fortran, kind, members)?;
    let family = part.as_ref().map(|part| part.family(&nodes)).transpose()?.flatten();
    let nodes = NodeSet::new(&instance.image, nodes).one_of(family);
    let nodes = match part {
        Some(part) => nodes.part_of(part),
        None => nodes,
    };
    // SAFETY: the caller's guarantee.
    unsafe { hand_out(place, Object::new(nodes)) }
}

/// `nodes p(4,*)`.
///
/// # Safety
/// `nodes` is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_nodes_init_global__(nodes: *mut Descriptor) {
    // SAFETY: the caller's guarantee.
    done("nodes", || unsafe { declare(nodes, Kind::Entire, &entire(instance())?, None) });
}

/// `nodes p(4,*)=*`.
///
/// # Safety
/// `nodes` is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_nodes_init_exec__(nodes: *mut Descriptor) {
    // SAFETY: the caller's guarantee.
    done("nodes", || unsafe { declare(nodes, Kind::Executing, &executing(instance())?, None) });
}

/// `nodes q(2,*)=p(..)`.
///
/// # Safety
/// `nodes` is valid, `reference` describes a reference to nodes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_nodes_init_nodes__(
    nodes: *mut Descriptor,
    reference: *const Descriptor,
) {
    done("nodes", || {
        // SAFETY: the caller's guarantee.
        let reference = unsafe { object::<Reference>(reference)? };
        let (of, subscripts, part) = reference.equivalence(instance())?;
        let equivalence = Equivalence { of, subscripts };
        // SAFETY: as above.
        unsafe { declare(nodes, Kind::Equivalenced, part.members(), Some(equivalence)) }
    });
}

/// Nodes of the images `lower` to `upper` in steps.
///
/// # Safety
/// The pointers are valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_nodes_init_number__(
    nodes: *mut Descriptor,
    lower: *const c_int,
    upper: *const c_int,
    step: *const c_int,
) {
    done("nodes", || {
        // SAFETY: the caller's guarantee.
        let members = unsafe { numbered(*lower, *upper, *step)(instance())? };
        // SAFETY: as above.
        unsafe { declare(nodes, Kind::Equivalenced, &members, None) }
    });
}

/// The size of a dimension, and the coordinate of this image from 0.
///
/// # Safety
/// The pointers are valid, `nodes` describes nodes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_nodes_get_dim_info__(
    nodes: *const Descriptor,
    dim: *const c_int,
    size: *mut c_int,
    rank: *mut c_int,
) {
    done("nodes", || {
        // SAFETY: the caller's guarantee.
        let (nodes, dim) = unsafe { (object::<NodeSet>(nodes)?, dimension(dim)?) };
        let shape = nodes.nodes.shape();
        let Some(&nodes_of) = shape.get(dim) else {
            return Err(Wrong::because(format!("the nodes have no dimension {}", dim + 1)));
        };
        // SAFETY: as above.
        unsafe {
            size.write(nodes_of as c_int);
            rank.write(nodes.coord(dim) as c_int);
        }
        Ok(())
    });
}

/// The end of a declaration.
///
/// # Safety
/// `nodes` is valid and holds 0 or describes nodes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_nodes_dealloc__(nodes: *mut Descriptor) {
    // SAFETY: the caller's guarantee.
    done("nodes", || unsafe { release::<NodeSet>(nodes) });
}

/// As [`xmpf_nodes_dealloc__`].
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_nodes_free__(nodes: *mut Descriptor) {
    // SAFETY: the caller's guarantee.
    unsafe { xmpf_nodes_dealloc__(nodes) }
}
