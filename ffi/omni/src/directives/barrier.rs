//! `barrier` (XcalableMP 1.4, 4.5.6).
//!
//! A barrier on some nodes synchronises these nodes, whatever set executes: nodes of several concurrent tasks may take
//! part.
//!
//! In C the last call of a program is a barrier, too ([`_XMP_barrier_EXEC`]), so these barriers have no number of their own
//! ([`BarrierStatement::BARRIER`]).

use crate::fortran::{Reference, nodes_on};
use crate::objects::{NodeSet, Object};
use std::ffi::c_int;
use xmp_collectives::{BarrierStatement, barrier, barrier_of};
use xmp_ffi::process::{Instance, instance};
use xmp_ffi::xmp::entry::{Optional, for_c, for_fortran};
use xmp_ffi::xmp::error::Outcome;

/// Waits for the executing nodes.
fn of_executing() -> Outcome {
    let Instance { image, .. } = instance();
    Ok(barrier(image, &image.executing())?)
}

/// Waits for these nodes, if this image is one of them.
fn of_nodes(nodes: &NodeSet, statement: BarrierStatement) -> Outcome {
    let Instance { image, .. } = instance();
    match nodes.coords {
        Some(_) => Ok(barrier_of(image, &*image.set(nodes.nodes.members().clone())?, statement)?),
        None => Ok(()),
    }
}

for_c! {
    /// `barrier` of the executing nodes.
    ///
    /// It is the last call of a translated `main`, which is a function of another name there. Where the program has no
    /// `return`, what this function returns becomes the exit status. So that is 0.
    "barrier" fn _XMP_barrier_EXEC() -> c_int {
        of_executing()?;
        Ok(0)
    }

    /// `barrier on p`.
    "barrier" fn _XMP_barrier_NODES_ENTIRE(nodes: &Object<NodeSet>) {
        of_nodes(nodes, BarrierStatement::plain("barrier"))
    }
}

for_fortran! {
    /// `barrier [on ...]`.
    "barrier" fn xmpf_barrier__(on: Optional<Reference>) {
        nodes_on(on.0)?.map_or(Ok(()), |nodes| of_nodes(&nodes, BarrierStatement::BARRIER))
    }
}
