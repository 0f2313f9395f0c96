//! The images that an image index means: nodes of the executing set, or of the nodes that a COARRAY or IMAGE directive
//! names. (XcalableMP 1.3, sections 4.2 and 5.1)

use super::descriptor::Coarray;
use crate::objects::{NodeSet, Object};
use std::ffi::c_int;
use std::rc::Rc;
use xmp_core::image_set::Members;
use xmp_core::{Error, Rank, Result};
pub use xmp_ffi::global::images::{are_named, of_statement};
use xmp_ffi::global::images::{name, named_nodes};
use xmp_ffi::process::{Instance, instance};
use xmp_ffi::xmp::entry::for_fortran;

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

for_fortran! {
    /// The IMAGE directive: what the next statement means by images.
    "image directive" fn xmpf_coarray_set_image_nodes_(nodes: Rc<Object<NodeSet>>) {
        name(instance(), nodes);
        Ok(())
    }
}
