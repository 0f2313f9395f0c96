//! Inquiries about nodes.

use super::{dimension, of_nodes, told};
use crate::omni::error::{Outcome, Wrong, done};
use crate::omni::objects::{Descriptor, NodeSet};
use crate::process::enter;
use crate::process::{communicator_of_nodes, instance};
use std::ffi::{c_int, c_void};
use xmp_core::global::{Kind, Progression, Subscript};

/// Codes of `xmp_nodes_attr`.
mod attribute {
    pub const ENTIRE: i64 = 2000;
    pub const EXECUTING: i64 = 2001;
    pub const PRIMARY: i64 = 2002;
    pub const EQUIVALENCE: i64 = 2003;
}

written! {
    /// Dimensions of nodes.
    xmp_nodes_ndims() of_nodes |nodes| Ok(nodes.nodes.shape().len() as i64);
    /// The coordinate of this image, from 1.
    xmp_nodes_index(dim) of_nodes_dim |nodes, dim| Ok(nodes.coord(dim) as i64 + 1);
    /// The same from 0.
    xmpc_nodes_index(dim) of_nodes_dim |nodes, dim| Ok(nodes.coord(dim) as i64);
    /// Nodes in a dimension.
    xmp_nodes_size(dim) of_nodes_dim |nodes, dim| Ok(nodes.nodes.shape()[dim] as i64);
    /// The number of this image among nodes, from 1; 0 if it is none of them.
    xmp_nodes_rank() of_nodes |nodes| {
        let position = nodes.nodes.members().position(instance().image.rank());
        Ok(position.map_or(0, |position| position as i64 + 1))
    };
    /// What nodes were declared as.
    xmp_nodes_attr() of_nodes |nodes| Ok(match nodes.nodes.kind() {
        Kind::Entire => attribute::ENTIRE,
        Kind::Executing => attribute::EXECUTING,
        Kind::Primary => attribute::PRIMARY,
        Kind::Equivalenced => attribute::EQUIVALENCE,
    });
}

/// Of a dimension of nodes.
///
/// # Safety
/// As [`of_nodes`].
unsafe fn of_nodes_dim<T>(
    descriptor: Descriptor,
    dim: c_int,
    answer: impl FnOnce(&NodeSet, usize) -> Outcome<T>,
) -> Outcome<T> {
    // SAFETY: the caller's guarantee.
    unsafe {
        of_nodes(descriptor, |nodes| answer(nodes, dimension(dim, nodes.nodes.shape().len())?))
    }
}

/// The nodes that nodes were declared to be a part of, and which; -1 if none. The step of a `*`, which is this image's
/// own coordinate, is 0.
///
/// # Safety
/// `nodes` describes some, the places are valid and have room for all dimensions of the others.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_nodes_equiv(
    nodes: Descriptor,
    place: *mut Descriptor,
    lower: *mut c_int,
    upper: *mut c_int,
    step: *mut c_int,
) -> c_int {
    let _entered = enter();
    // SAFETY: the caller's guarantee.
    unsafe {
        let written = of_nodes(nodes, |nodes| {
            let Some(equivalence) = &nodes.equivalence else {
                place.write(std::ptr::null_mut());
                return Err(Wrong::because("the nodes are no part of others"));
            };
            place.write(equivalence.of.address());
            for (dim, subscript) in equivalence.subscripts.iter().enumerate() {
                let row = match *subscript {
                    Subscript::Some(row) => row,
                    Subscript::At(index) => Progression::one(index),
                    Subscript::All => {
                        let count = equivalence.of.nodes.shape()[dim] as i64;
                        Progression { first: 1, step: 1, count }
                    }
                    Subscript::Own => Progression::one(equivalence.of.coord(dim) as i64 + 1),
                };
                lower.add(dim).write(row.first as c_int);
                upper.add(dim).write(row.last() as c_int);
                let every = !matches!(subscript, Subscript::Own);
                step.add(dim).write(if every { row.step as c_int } else { 0 });
            }
            Ok(())
        });
        told(written, |()| ())
    }
}

/// The communicator of nodes: the address of an `MPI_Comm`, which is valid until the end.
///
/// # Safety
/// `nodes` describes some that this image is one of, the place is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_nodes_comm(nodes: Descriptor, place: *mut *const c_void) -> c_int {
    // SAFETY: the caller's guarantee.
    unsafe {
        let communicator = of_nodes(nodes, |nodes| {
            let instance = instance();
            let set = nodes.set(&instance.image)?;
            let set = set.ok_or_else(|| Wrong::because("this image is none of the nodes"))?;
            Ok(communicator_of_nodes(instance, &set)?.1.cast())
        });
        place.write(done("xmp_nodes_comm", || communicator));
    }
    0
}
