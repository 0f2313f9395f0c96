//! References to nodes and templates as the functions of `ffi/omni/` with variable arguments write them, and the nodes
//! that they mean. Four numbers for each dimension: 1 and zeros for `*`, else 0, first, last and step.

use crate::objects::{Described, Descriptor, NodeSet, Object, Triplets, subscripts};
use std::any::Any;
use std::rc::Rc;
use xmp_core::global::{Nodes, Subscript};
use xmp_ffi::global::References;
use xmp_ffi::process::{Instance, OfImage};
use xmp_ffi::xmp::entry::List;
use xmp_ffi::xmp::error::Outcome;

/// What references mean.
static MEANINGS: OfImage<References<Object<NodeSet>, i64>> = OfImage::new(References::new());

/// What a reference means that was not met before.
pub struct Meaning {
    /// What it refers to, which is kept as long as the meaning is remembered.
    pub of: Rc<dyn Any>,
    /// The nodes.
    pub nodes: Nodes,
}

/// The numbers of a reference to something with this many dimensions.
///
/// # Errors
/// When it has more dimensions than a reference of a program can have.
#[inline(always)]
pub fn numbers(reference: &List<i64>, dims: usize) -> Outcome<&[i64]> {
    reference.fixed(4 * dims)
}

/// The nodes of a reference to `of`; none where it means none on this image. `find` says so where the reference is not
/// remembered.
///
/// # Errors
/// Those of `find`; for a step of 0.
#[inline(always)]
pub fn nodes_of<T>(
    instance: &Instance,
    of: &T,
    reference: &[i64],
    find: impl FnOnce(&[Subscript]) -> Outcome<Option<Meaning>>,
) -> Outcome<Option<Rc<Object<NodeSet>>>> {
    match MEANINGS.of(instance).known(of, reference) {
        Some(nodes) => Ok(Some(nodes)),
        None => find_and_keep(instance, reference, find),
    }
}

#[cold]
#[inline(never)]
fn find_and_keep(
    instance: &Instance,
    reference: &[i64],
    find: impl FnOnce(&[Subscript]) -> Outcome<Option<Meaning>>,
) -> Outcome<Option<Rc<Object<NodeSet>>>> {
    let Some(Meaning { of, nodes }) = find(&subscripts(&triplets(reference))?)? else {
        return Ok(None);
    };
    let nodes = Object::new(NodeSet::new(&instance.image, nodes));
    MEANINGS.of(instance).keep(of, reference.into(), nodes.clone());
    Ok(Some(nodes))
}

/// The nodes of a reference to nodes.
///
/// # Errors
/// For no nodes; for subscripts outside of them, and a step of 0.
#[inline(always)]
pub fn part_of(
    instance: &Instance,
    descriptor: Descriptor,
    reference: &List<i64>,
) -> Outcome<Option<Rc<Object<NodeSet>>>> {
    let nodes = descriptor.object::<NodeSet>()?;
    let reference = numbers(reference, nodes.dimensions())?;
    nodes_of(instance, nodes, reference, |subscripts| {
        let of: Rc<dyn Any> = descriptor.shared::<NodeSet>()?;
        Ok(part(instance, nodes, subscripts)?.map(|nodes| Meaning { of, nodes }))
    })
}

/// The part of some nodes that a reference means here; none where a `*` has no meaning.
///
/// # Errors
/// For subscripts outside of the nodes.
pub fn part(
    instance: &Instance,
    nodes: &NodeSet,
    subscripts: &[Subscript],
) -> Outcome<Option<Nodes>> {
    if nodes.coords.is_none() && subscripts.contains(&Subscript::Own) {
        return Ok(None);
    }
    Ok(Some(nodes.nodes.section(subscripts, instance.image.rank())?))
}

fn triplets(reference: &[i64]) -> Triplets {
    let triplet = |dim: &[i64]| (dim[0] == 0).then_some((dim[1], dim[2], dim[3]));
    reference.chunks_exact(4).map(triplet).collect()
}
