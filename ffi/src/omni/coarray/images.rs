//! The images that an image index means: nodes of the executing set, or of the nodes that a COARRAY or IMAGE directive
//! names. (XcalableMP 1.3, sections 4.2 and 5.1)

use super::descriptor::Coarray;
pub use crate::global::images::{are_named, of_statement};
use crate::global::images::{name, named_nodes};
use crate::omni::entry::{List, for_fortran};
use crate::omni::objects::{Descriptor, NodeSet, Object};
use crate::process::{Instance, instance};
use std::cell::Cell;
use std::ffi::c_int;
use std::rc::Rc;
use xmp_core::image_set::Members;
use xmp_core::{Error, Rank, Result};

/// The image with this index of a coarray.
///
/// # Errors
/// [`Error::ImageIndex`].
pub fn rank_of(instance: &Instance, coarray: &Coarray, index: c_int) -> Result<Rank> {
    let named = |members: &Members| {
        let position = usize::try_from(index).ok().and_then(|index| index.checked_sub(1));
        let rank = position.and_then(|position| members.rank(position));
        rank.ok_or(Error::ImageIndex { index: index.into(), images: members.len() })
    };
    if let Some(nodes) = &*coarray.nodes.borrow() {
        return named(nodes.nodes.members());
    }
    if let Some(nodes) = named_nodes(instance) {
        return named(nodes.nodes.members());
    }
    let stack = instance.image.stack();
    let (_, images) = stack.index_and_size();
    let out_of_range = Error::ImageIndex { index: index.into(), images: images as usize };
    stack.rank_of_index(index).ok_or(out_of_range)
}

/// The images that a coarray's image indices mean, and the index of this one, 0 if it is not among them.
pub fn of_coarray(instance: &Instance, coarray: &Coarray) -> (usize, i64) {
    match &*coarray.nodes.borrow() {
        Some(nodes) => among(instance, nodes),
        None => current(instance),
    }
}

/// The number of current images and the index of this one, 0 if it is not among them.
pub fn current(instance: &Instance) -> (usize, i64) {
    match named_nodes(instance) {
        Some(nodes) => among(instance, &nodes),
        None => {
            let (index, images) = instance.image.stack().index_and_size();
            (images as usize, index.into())
        }
    }
}

fn among(instance: &Instance, nodes: &NodeSet) -> (usize, i64) {
    let members = nodes.nodes.members();
    let position = members.position(instance.image.rank());
    (members.len(), position.map_or(0, |position| position as i64 + 1))
}

/// Translates image indices of some nodes, or of the executing set without any. An index that means no image becomes 0.
fn translate(
    from: &[Cell<c_int>],
    to: &[Cell<c_int>],
    nodes: Option<&NodeSet>,
    translated: impl Fn(Rank) -> Option<i64>,
) {
    let executing = instance().image.executing();
    let members = nodes.map_or(executing.members(), |nodes| nodes.nodes.members());
    for (from, to) in from.iter().zip(to) {
        let position = usize::try_from(from.get()).ok().and_then(|index| index.checked_sub(1));
        let rank = position.and_then(|position| members.rank(position));
        to.set(rank.and_then(&translated).map_or(0, |index| index as c_int));
    }
}

for_fortran! {
    /// Image indices among all images, of those among the executing images or the images of some nodes.
    "xmp_get_primary_image_index" fn xmp_get_primary_image_index_(
        count: c_int, indices: List<c_int>, primary: List<c_int>, nodes: Option<&Cell<Descriptor>>,
    ) {
        let nodes = nodes.map(|nodes| nodes.get().object::<NodeSet>()).transpose()?;
        let count = usize::try_from(count).unwrap_or(0);
        let all = |rank: Rank| Some(rank.image().into());
        translate(indices.of(count)?, primary.of(count)?, nodes.map(|nodes| &**nodes), all);
        Ok(())
    }

    /// Image indices among the executing images, of those among the images of some nodes; 0 for images that do not
    /// execute.
    "xmp_get_image_index" fn xmp_get_image_index_(
        count: c_int, indices: List<c_int>, current: List<c_int>, nodes: &Object<NodeSet>,
    ) {
        let executing = instance().image.executing();
        let among = |rank| executing.position_of(rank).map(|position| position as i64 + 1);
        let count = usize::try_from(count).unwrap_or(0);
        translate(indices.of(count)?, current.of(count)?, Some(nodes), among);
        Ok(())
    }

    /// The IMAGE directive: what the next statement means by images.
    "image directive" fn xmpf_coarray_set_image_nodes_(nodes: Rc<Object<NodeSet>>) {
        name(instance(), nodes);
        Ok(())
    }
}
