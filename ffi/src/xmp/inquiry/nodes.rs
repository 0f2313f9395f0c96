//! Inquiries about nodes.

use super::dimension;
use crate::global::{Descriptor, NodeSet, Object};
use crate::process::{communicator_of_nodes, instance};
use crate::xmp::entry::{List, for_c};
use crate::xmp::error::{DirectiveError, Outcome};
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use xmp_core::global::{Kind, Progression, Subscript};

/// Codes of `xmp_nodes_attr`.
mod attribute {
    pub const ENTIRE: i64 = 2000;
    pub const EXECUTING: i64 = 2001;
    pub const PRIMARY: i64 = 2002;
    pub const EQUIVALENCE: i64 = 2003;
}

numbers! {
    /// Dimensions of nodes.
    xmp_nodes_ndims, xmp_nodes_ndims_(nodes: &Object<NodeSet>) = nodes.nodes.shape().len() as i64;
    /// The coordinate of this image, from 1.
    xmp_nodes_index, xmp_nodes_index_(nodes: &Object<NodeSet>, dim: c_int) = coord(nodes, dim)? + 1;
    /// The coordinate of this image, from 0.
    xmpc_nodes_index(nodes: &Object<NodeSet>, dim: c_int) = coord(nodes, dim)?;
    /// Nodes in a dimension.
    xmp_nodes_size, xmp_nodes_size_(nodes: &Object<NodeSet>, dim: c_int) = {
        let shape = nodes.nodes.shape();
        shape[dimension(dim, shape.len())?] as i64
    };
    /// What nodes were declared as.
    xmp_nodes_attr, xmp_nodes_attr_(nodes: &Object<NodeSet>) = match nodes.nodes.kind() {
        Kind::Entire => attribute::ENTIRE,
        Kind::Executing => attribute::EXECUTING,
        Kind::Primary => attribute::PRIMARY,
        Kind::Equivalenced => attribute::EQUIVALENCE,
    };
}

/// The coordinate of this image in a dimension, from 0.
fn coord(nodes: &NodeSet, dim: c_int) -> Outcome<i64> {
    Ok(nodes.coord(dimension(dim, nodes.nodes.shape().len())?) as i64)
}

answered! {
    /// The nodes that these were declared to be a part of, and which part; -1 if none. The step of a `*`, which is
    /// this image's own coordinate, is 0.
    xmp_nodes_equiv, xmp_nodes_equiv_(
        nodes: &Object<NodeSet>, place: &Cell<Descriptor>, lower: List<c_int>, upper: List<c_int>, step: List<c_int>,
    ) {
        let Some(equivalence) = &nodes.equivalence else {
            place.set(Descriptor::NULL);
            return Err(DirectiveError::because("the nodes are no part of others"));
        };
        place.set(equivalence.of.address());
        let dims = equivalence.subscripts.len();
        let (lower, upper, step) = (lower.of(dims)?, upper.of(dims)?, step.of(dims)?);
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
            lower[dim].set(row.first as c_int);
            upper[dim].set(row.last() as c_int);
            step[dim].set(if *subscript == Subscript::Own { 0 } else { row.step as c_int });
        }
        Ok(())
    }
}

for_c! {
    /// The communicator of nodes: the address of an `MPI_Comm`, which is valid until the end.
    "xmp_nodes_comm" fn xmp_nodes_comm(nodes: &Object<NodeSet>, place: &Cell<*const c_void>) -> c_int {
        let instance = instance();
        let set = nodes.set(&instance.image)?;
        let set = set.ok_or_else(|| DirectiveError::because("this image is none of the nodes"))?;
        place.set(communicator_of_nodes(instance, &set)?.1.cast());
        Ok(0)
    }
}
