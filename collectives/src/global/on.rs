//! The images of a reference to nodes: the `on` clause of barrier, bcast and reduction (XcalableMP 1.4, 4.5.4 to 4.5.6),
//! which are the collectives of this set. A reference with `*` names different sets on different images, which execute the
//! operation side by side.

use super::exchange::check_nodes;
use std::rc::Rc;
use xmp_core::global::{MappingError, Nodes};
use xmp_core::image_set::ImageSet;
use xmp_core::{Image, Rank, Result};

/// The set of the images of some nodes, if this image is one of them. The same images are the same set. Communicates
/// nothing.
///
/// # Errors
/// When one of them is not in the executing set.
pub fn set_of(image: &Image, nodes: &Nodes) -> Result<Option<Rc<ImageSet>>> {
    let executing = image.executing();
    if executing.len() < image.job().images() {
        check_nodes("on", &executing, nodes.members(), |_| true)?;
    }
    match nodes.members().position(image.rank()) {
        Some(_) => image.set(nodes.members().clone()).map(Some),
        None => Ok(None),
    }
}

/// The position in the set of the root of a broadcast: of the image `from`, or of the first one.
///
/// # Errors
/// When `from` is none of the images.
pub fn root_of(set: &ImageSet, from: Option<Rank>) -> Result<usize> {
    match from {
        None => Ok(0),
        Some(rank) => set
            .position_of(rank)
            .ok_or_else(|| MappingError::NotExecuting { image: rank }.of("bcast")),
    }
}
