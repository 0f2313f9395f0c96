//! `nodes` (XcalableMP 1.4, 4.3.1): calls that give the number of dimensions and their sizes come first.

use super::count;
use super::reference::Reference;
use crate::c::{entire, executing, numbered, size};
use crate::objects::{Descriptor, Equivalence, NodeSet, Object, hand_out, sized};
use std::cell::{Cell, RefCell};
use std::ffi::c_int;
use xmp_core::global::{Kind, Nodes, Order};
use xmp_core::image_set::Members;
use xmp_ffi::process::{OfImage, instance};
use xmp_ffi::xmp::entry::{Dimension, Released, for_fortran};
use xmp_ffi::xmp::error::{DirectiveError, Outcome};

/// The sizes of the nodes that are being declared.
static SIZES: OfImage<RefCell<Vec<c_int>>> = OfImage::new(RefCell::new(Vec::new()));

/// Declares nodes of these images, of the sizes that were given; part of others perhaps.
fn declare(
    place: Option<&Cell<Descriptor>>,
    kind: Kind,
    members: &Members,
    part: Option<Equivalence>,
) -> Outcome {
    let instance = instance();
    let sizes = SIZES.of(instance).borrow();
    let mut sizes = sizes.iter().map(|&it| size(it)).collect::<Outcome<Vec<_>>>()?;
    sized(&mut sizes, kind, members.len(), instance.image.settings())?;
    let nodes = Nodes::new(&sizes, Order::Fortran, kind, members)?;
    let family = part.as_ref().map(|part| part.family(&nodes)).transpose()?.flatten();
    let nodes = NodeSet::new(&instance.image, nodes).one_of(family);
    let nodes = match part {
        Some(part) => nodes.part_of(part),
        None => nodes,
    };
    hand_out(place, Object::new(nodes))
}

for_fortran! {
    /// Begins a declaration.
    "nodes" fn xmpf_nodes_alloc__(_nodes: Option<&Cell<Descriptor>>, dims: c_int) {
        *SIZES.of(instance()).borrow_mut() = vec![0; count(dims, "dimensions")?];
        Ok(())
    }

    /// The size of a dimension, -1 for `*`.
    "nodes" fn xmpf_nodes_dim_size__(_nodes: Option<&Cell<Descriptor>>, dim: Dimension, size: c_int) {
        match SIZES.of(instance()).borrow_mut().get_mut(dim.0) {
            Some(place) => *place = size,
            None => return Err(no_dimension(dim)),
        }
        Ok(())
    }

    /// `nodes p(4,*)`.
    "nodes" fn xmpf_nodes_init_global__(nodes: Option<&Cell<Descriptor>>) {
        declare(nodes, Kind::Entire, &entire(instance())?, None)
    }

    /// `nodes p(4,*)=*`.
    "nodes" fn xmpf_nodes_init_exec__(nodes: Option<&Cell<Descriptor>>) {
        declare(nodes, Kind::Executing, &executing(instance())?, None)
    }

    /// `nodes q(2,*)=p(..)`.
    "nodes" fn xmpf_nodes_init_nodes__(nodes: Option<&Cell<Descriptor>>, reference: &Object<Reference>) {
        let (equivalence, part) = reference.equivalence(instance())?;
        declare(nodes, Kind::Equivalenced, part.members(), Some(equivalence))
    }

    /// Nodes of the images `lower` to `upper` in steps.
    "nodes" fn xmpf_nodes_init_number__(nodes: Option<&Cell<Descriptor>>, lower: c_int, upper: c_int, step: c_int) {
        declare(nodes, Kind::Equivalenced, &numbered(instance(), lower, upper, step)?, None)
    }

    /// The size of a dimension, and the coordinate of this image from 0.
    "nodes" fn xmpf_nodes_get_dim_info__(
        nodes: &Object<NodeSet>, dim: Dimension, size: &Cell<c_int>, rank: &Cell<c_int>,
    ) {
        let Some(&nodes_along) = nodes.nodes.shape().get(dim.0) else { return Err(no_dimension(dim)) };
        size.set(nodes_along as c_int);
        rank.set(nodes.coord(dim.0) as c_int);
        Ok(())
    }

    /// The end of a declaration.
    "nodes" fn xmpf_nodes_dealloc__(_nodes: Released<NodeSet>) {
        Ok(())
    }

    /// The end of a declaration.
    "nodes" fn xmpf_nodes_free__(_nodes: Released<NodeSet>) {
        Ok(())
    }
}

fn no_dimension(dim: Dimension) -> DirectiveError {
    DirectiveError::because(format!("the nodes have no dimension {}", dim.0 + 1))
}
