//! Node arrays.

use super::range::{Range, subscripts};
use super::{Object, ObjectHandle, dimension, dimensions, give, list, nodes_of};
use crate::c::outcome::{inquired, not_null, outcome};
use crate::process::instance;
use std::ffi::c_int;
use std::rc::Rc;
use xmp_core::global::{Kind, Nodes, Order, Size};
use xmp_core::{Error, Result};

/// The first executing images in a grid.
///
/// # Safety
/// `sizes` is null or has `ndims` elements; `nodes` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_nodes_create(
    ndims: c_int,
    sizes: *const c_int,
    nodes: *mut ObjectHandle,
) -> c_int {
    let make = || -> Result<Object> {
        // SAFETY: the caller's guarantee.
        let sizes = unsafe { list((sizes, "sizes"), dimensions(ndims)?)? };
        let size = |&size: &c_int| match size {
            0 => Ok(Size::Star),
            1.. => Ok(Size::Nodes(size as usize)),
            _ => Err(Error::Invalid(format!("a dimension of {size} nodes"))),
        };
        let sizes = sizes.iter().map(size).collect::<Result<Vec<Size>>>()?;
        let executing = instance().image.executing();
        let nodes = Nodes::new(&sizes, Order::C, Kind::Executing, executing.members());
        Ok(Object::Nodes(Rc::new(nodes.map_err(|error| error.of("nodes"))?)))
    };
    // SAFETY: the caller's guarantee.
    outcome("xmprt_nodes_create", || unsafe { give((nodes, "nodes"), make) })
}

/// Some nodes of an array of nodes.
///
/// # Safety
/// `ranges` is null or has one for each dimension; `part` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_nodes_section(
    nodes: ObjectHandle,
    ranges: *const Range,
    part: *mut ObjectHandle,
) -> c_int {
    let make = || -> Result<Object> {
        let nodes = nodes_of(nodes)?;
        // SAFETY: the caller's guarantee.
        let subscripts = unsafe { subscripts(ranges, nodes.shape().len())? };
        let part = nodes.section(&subscripts, instance().image.rank());
        Ok(Object::Nodes(Rc::new(part.map_err(|error| error.of("nodes"))?)))
    };
    // SAFETY: the caller's guarantee.
    outcome("xmprt_nodes_section", || unsafe { give((part, "part"), make) })
}

/// Number of nodes along a dimension; of all with -1.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_nodes_size(nodes: ObjectHandle, dim: c_int) -> c_int {
    let size = || -> Result<c_int> {
        let nodes = nodes_of(nodes)?;
        match dim {
            -1 => Ok(nodes.len() as c_int),
            _ => Ok(nodes.shape()[dimension(dim, nodes.shape().len())?] as c_int),
        }
    };
    inquired("xmprt_nodes_size", size)
}

/// Where this image is among the nodes.
///
/// # Safety
/// `is_node` is null or valid; `coordinates` is null or has room for one for each dimension.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_nodes_coordinates(
    nodes: ObjectHandle,
    is_node: *mut c_int,
    coordinates: *mut c_int,
) -> c_int {
    let attempt = || -> Result<()> {
        let nodes = nodes_of(nodes)?;
        not_null(is_node, "is_node")?;
        let own = nodes.coords(instance().image.rank());
        // SAFETY: the caller's guarantee.
        unsafe {
            *is_node = c_int::from(own.is_some());
            for (dim, coord) in own.iter().flatten().enumerate() {
                if !coordinates.is_null() {
                    *coordinates.add(dim) = *coord as c_int;
                }
            }
        }
        Ok(())
    };
    outcome("xmprt_nodes_coordinates", attempt)
}
