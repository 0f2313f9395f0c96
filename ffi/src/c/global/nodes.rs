//! Entry functions of node arrays.

use super::objects::{Object, ObjectHandle, dimension, dimensions, give, nodes_of};
use super::range::{Range, subscripts};
use crate::c::argument::{List, Room, place};
use crate::c::outcome::{functions, inquiries};
use crate::process::instance;
use std::cell::Cell;
use std::ffi::c_int;
use std::rc::Rc;
use xmp_core::global::{Kind, Nodes, Order, Size};
use xmp_core::{Error, Result};

functions! {
    /// The first executing images in a grid.
    fn xmprt_nodes_create(ndims: c_int, sizes: List<c_int>, nodes: Option<&Cell<ObjectHandle>>) {
        give(nodes, "nodes", || {
            let size = |&size: &c_int| match size {
                0 => Ok(Size::Star),
                1.. => Ok(Size::Nodes(size as usize)),
                _ => Err(Error::Invalid(format!("a dimension of {size} nodes"))),
            };
            let sizes = sizes.of("sizes", dimensions(ndims)?)?;
            let sizes = sizes.iter().map(size).collect::<Result<Vec<Size>>>()?;
            let executing = instance().image.executing();
            let nodes = Nodes::new(&sizes, Order::C, Kind::Executing, executing.members());
            Ok(Object::Nodes(Rc::new(nodes.map_err(|error| error.of("nodes"))?)))
        })
    }

    /// Some nodes of an array of nodes.
    fn xmprt_nodes_section(nodes: ObjectHandle, ranges: List<Range>, part: Option<&Cell<ObjectHandle>>) {
        give(part, "part", || {
            let nodes = nodes_of(nodes)?;
            let subscripts = subscripts(ranges, nodes.shape().len())?;
            let part = nodes.section(&subscripts, instance().image.rank());
            Ok(Object::Nodes(Rc::new(part.map_err(|error| error.of("nodes"))?)))
        })
    }

    /// Where this image is among the nodes. `coordinates` is null or has room for all dimensions.
    fn xmprt_nodes_coordinates(
        nodes: ObjectHandle, is_node: Option<&Cell<c_int>>, coordinates: Room<c_int>,
    ) {
        let nodes = nodes_of(nodes)?;
        let is_node = place(is_node, "is_node")?;
        let own = nodes.coords(instance().image.rank());
        is_node.set(own.is_some().into());
        let places = coordinates.of(nodes.shape().len()).unwrap_or_default();
        for (place, &coord) in places.iter().zip(own.iter().flatten()) {
            place.set(coord as c_int);
        }
        Ok(())
    }
}

inquiries! {
    /// Number of nodes along a dimension; of all with -1.
    fn xmprt_nodes_size(nodes: ObjectHandle, dim: c_int) -> c_int {
        let nodes = nodes_of(nodes)?;
        match dim {
            -1 => Ok(nodes.len() as c_int),
            _ => Ok(nodes.shape()[dimension(dim, nodes.shape().len())?] as c_int),
        }
    }
}
