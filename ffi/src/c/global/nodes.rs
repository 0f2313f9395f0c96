//! Entry functions of node arrays.

use super::objects::{GlobalObject, ObjectHandle, dimension, dimensions, give, nodes_of};
use super::range::{Range, subscripts};
use crate::c::argument::{List, OutputList, only_flags, place};
use crate::c::outcome::{functions, inquiries};
use crate::global::{Equivalence, NodeSet, Object, sized};
use crate::process::instance;
use std::cell::Cell;
use std::ffi::c_int;
use xmp_core::counted::counted;
use xmp_core::global::{Kind, MappingError, Nodes, Order, Size, Subscript};
use xmp_core::image_set::Members;
use xmp_core::{Error, Result};

/// `XMPRT_ALL_IMAGES`: the nodes are all images instead of the executing ones.
const ALL_IMAGES: c_int = 1;
/// `XMPRT_FORTRAN`: nodes count from 1, and the first dimension runs fastest.
const FORTRAN: c_int = 2;
/// `XMPRT_SQUARE_BRACKETS` of `xmprt_translated.h`: the program is in C, and has declared the nodes in square brackets, where they count
/// from 0 and the last dimension runs fastest. The caller has turned both around; messages turn them back.
const SQUARE_BRACKETS: c_int = 4;

/// The sizes of all dimensions.
fn sizes<T: Copy + Into<i64>>(sizes: List<T>, ndims: c_int) -> Result<Vec<Size>> {
    let size = |&size: &T| match size.into() {
        0 => Ok(Size::Star),
        size @ 1.. => Ok(Size::Nodes(size as usize)),
        size => Err(Error::Invalid(format!("a dimension of {size} nodes"))),
    };
    sizes.of("sizes", dimensions(ndims)?)?.iter().map(size).collect()
}

/// All images as nodes, where the environment sets `*`, unless that is the last size. A program that names all sizes
/// has loops for this number of nodes, which further images would execute, too.
fn of_all(
    mut shape: Vec<Size>,
    order: Order,
    all: &Members,
    named: impl Fn(MappingError) -> Error,
) -> Result<Nodes> {
    let open = shape.contains(&Size::Star);
    sized(&mut shape, Kind::Entire, all.len(), instance().image.settings())?;
    let nodes = Nodes::new(&shape, order, Kind::Entire, all).map_err(named)?;
    if !open && nodes.len() < all.len() {
        let (size, images) = (nodes.len(), all.len());
        let images = counted(images, "image");
        let why = format!("a node array of all images is of {size}, but there are {images}");
        return Err(Error::Invalid(why));
    }
    Ok(nodes)
}

/// All images, or the first executing ones, in a grid.
fn create(flags: c_int, shape: Vec<Size>) -> Result<GlobalObject> {
    only_flags(flags, ALL_IMAGES | FORTRAN | SQUARE_BRACKETS)?;
    let is_in_c = flags & SQUARE_BRACKETS != 0;
    let image = &instance().image;
    let ndims = shape.len();
    let named = |error: MappingError| if is_in_c { error.in_c(ndims) } else { error }.of("nodes");
    let order = if flags & FORTRAN != 0 { Order::Fortran } else { Order::C };
    let nodes = if flags & ALL_IMAGES != 0 {
        of_all(shape, order, image.stack().initial().members(), named)?
    } else {
        let nodes = Nodes::new(&shape, order, Kind::Executing, image.executing().members());
        nodes.map_err(named)?
    };
    Ok(GlobalObject::Nodes(Object::new(NodeSet::new(image, nodes).in_c(is_in_c))))
}

/// Some nodes of an array of nodes, as they are or in another shape.
fn section(
    nodes: ObjectHandle,
    ranges: List<Range>,
    shape: Option<Vec<Size>>,
) -> Result<GlobalObject> {
    let (image, of) = (&instance().image, nodes_of(nodes)?);
    let subscripts = subscripts(ranges, of.nodes.shape().len())?;
    // An image outside has no part of its own; any other's has the right shape.
    let needs_own = subscripts.contains(&Subscript::Own) && of.coords.is_none() && shape.is_some();
    let rank = image.rank();
    let own = if needs_own { of.nodes.members().rank(0).unwrap_or(rank) } else { rank };
    let part = of.nodes.section(&subscripts, own).map_err(|error| of.wrong(error))?;
    let Some(shape) = shape else {
        let part = NodeSet::new(image, part).in_c(of.is_in_c());
        return Ok(GlobalObject::Nodes(Object::new(part)));
    };
    let order = of.nodes.order();
    let part = Nodes::new(&shape, order, Kind::Equivalenced, part.members());
    let part = part.map_err(|error| of.wrong(error))?;
    let is_in_c = of.is_in_c();
    let equivalence = Equivalence { of, subscripts };
    let family = equivalence.family(&part)?;
    let part = NodeSet::new(image, part).one_of(family).part_of(equivalence).in_c(is_in_c);
    Ok(GlobalObject::Nodes(Object::new(part)))
}

functions! {
    /// All images, or the first executing ones, in a grid.
    fn xmprt_nodes_create(flags: c_int, ndims: c_int, sizes: List<c_int>, nodes: Option<&Cell<ObjectHandle>>) {
        give(nodes, "nodes", || create(flags, self::sizes(sizes, ndims)?))
    }

    /// The same of sizes in a directive, which keep the values that the program gives them.
    fn xmprt_nodes_of_sizes(flags: c_int, ndims: c_int, sizes: List<i64>, nodes: Option<&Cell<ObjectHandle>>) {
        give(nodes, "nodes", || create(flags, self::sizes(sizes, ndims)?))
    }

    /// Some nodes of an array of nodes, as they are or in another shape.
    fn xmprt_nodes_section(
        nodes: ObjectHandle, ranges: List<Range>, ndims: c_int, sizes: List<c_int>, part: Option<&Cell<ObjectHandle>>,
    ) {
        give(part, "part", || {
            let shape = if sizes.is_null() { None } else { Some(self::sizes(sizes, ndims)?) };
            section(nodes, ranges, shape)
        })
    }

    /// The same in the shape of a directive.
    fn xmprt_nodes_part_of_sizes(
        nodes: ObjectHandle, ranges: List<Range>, ndims: c_int, sizes: List<i64>, part: Option<&Cell<ObjectHandle>>,
    ) {
        give(part, "part", || section(nodes, ranges, Some(self::sizes(sizes, ndims)?)))
    }

    /// The place of this image among the nodes. `coordinates` is null or has room for all dimensions.
    fn xmprt_nodes_coordinates(
        nodes: ObjectHandle, is_node: Option<&Cell<c_int>>, coordinates: OutputList<c_int>,
    ) {
        let nodes = nodes_of(nodes)?;
        let is_node = place(is_node, "is_node")?;
        is_node.set(nodes.coords.is_some().into());
        let places = coordinates.of(nodes.nodes.shape().len()).unwrap_or_default();
        for (place, &coord) in places.iter().zip(nodes.coords.iter().flatten()) {
            place.set(coord as c_int);
        }
        Ok(())
    }
}

inquiries! {
    /// Number of nodes along a dimension; of all with -1.
    fn xmprt_nodes_size(nodes: ObjectHandle, dim: c_int) -> c_int {
        let nodes = nodes_of(nodes)?;
        let shape = nodes.nodes.shape();
        match dim {
            -1 => Ok(nodes.nodes.len() as c_int),
            _ => Ok(shape[dimension(dim, shape.len())?] as c_int),
        }
    }
}
