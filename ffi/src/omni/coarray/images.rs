//! Which images are meant. (XcalableMP 1.3, sections 4.2 and 5.1: images are nodes of the executing set, or of the nodes that a
//! COARRAY or IMAGE directive names.)

use super::descriptor::Coarray;
use crate::omni::error::{Outcome, Wrong};
use crate::omni::objects::{Descriptor, NodeSet, Object};
use crate::process::{Instance, instance};
use std::ffi::c_int;
use std::rc::Rc;
use xmp_core::image_set::{ImageSet, Members};
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
    if let Some(nodes) = &*instance.omni.coarray.image_nodes.borrow() {
        return named(nodes.nodes.members());
    }
    let stack = instance.image.stack();
    let (_, images) = stack.here();
    let out_of_range = Error::ImageIndex { index: index.into(), images: images as usize };
    stack.rank_of_index(index).ok_or(out_of_range)
}

/// Whether image indices of a coarray mean the executing set, without any directive.
#[inline(always)]
pub fn is_plain(instance: &Instance, coarray: &Coarray) -> bool {
    coarray.nodes.borrow().is_none() && instance.omni.coarray.image_nodes.borrow().is_none()
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
    match &*instance.omni.coarray.image_nodes.borrow() {
        Some(nodes) => among(instance, nodes),
        None => {
            let (index, images) = instance.image.stack().here();
            (images as usize, index.into())
        }
    }
}

fn among(instance: &Instance, nodes: &NodeSet) -> (usize, i64) {
    let members = nodes.nodes.members();
    let position = members.position(instance.image.rank());
    (members.len(), position.map_or(0, |position| position as i64 + 1))
}

/// The images of a statement that all of them execute: of the IMAGE directive before it, which is used up by it, or the
/// executing set.
///
/// # Errors
/// When this image is not one of the nodes of the directive.
pub fn of_statement(instance: &Instance) -> Outcome<Rc<ImageSet>> {
    let Some(nodes) = instance.omni.coarray.image_nodes.take() else {
        return Ok(instance.image.executing());
    };
    let set = instance.image.set(nodes.nodes.members().clone())?;
    match set.position() {
        Some(_) => Ok(set),
        None => Err(Wrong::because("this image is not one of the nodes of the IMAGE directive")),
    }
}

/// Translates image indices of some nodes, or of the executing set without any. An index that means no image becomes 0.
///
/// # Safety
/// There are so many indices, and room; the descriptor is null or points to one of nodes.
unsafe fn translate(
    (count, from, to): (*const c_int, *const c_int, *mut c_int),
    nodes: *const Descriptor,
    translated: impl Fn(Rank) -> Option<i64>,
) -> Outcome {
    let executing = instance().image.executing();
    // SAFETY: the caller's guarantee.
    let nodes = match unsafe { nodes.as_ref() } {
        // SAFETY: as above.
        Some(&nodes) => Some(unsafe { Object::<NodeSet>::of(nodes)? }),
        None => None,
    };
    let members = nodes.map_or(executing.members(), |nodes| nodes.nodes.members());
    // SAFETY: as above.
    for at in 0..usize::try_from(unsafe { *count }).unwrap_or(0) {
        // SAFETY: as above.
        unsafe {
            let position =
                usize::try_from(*from.add(at)).ok().and_then(|index| index.checked_sub(1));
            let rank = position.and_then(|position| members.rank(position));
            *to.add(at) = rank.and_then(&translated).map_or(0, |index| index as c_int);
        }
    }
    Ok(())
}

/// Image indices among all images, of those among the executing images or the images of some nodes.
///
/// # Safety
/// There are so many indices, and room; the descriptor is null or points to one of nodes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_get_primary_image_index_(
    count: *const c_int,
    indices: *const c_int,
    primary: *mut c_int,
    nodes: *const Descriptor,
) {
    crate::omni::error::done("xmp_get_primary_image_index", || {
        // SAFETY: the caller's guarantee.
        unsafe { translate((count, indices, primary), nodes, |rank| Some(rank.image().into())) }
    });
}

/// Image indices among the executing images, of those among the images of some nodes; 0 for images that do not execute.
///
/// # Safety
/// There are so many indices, and room; the descriptor is one of nodes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_get_image_index_(
    count: *const c_int,
    indices: *const c_int,
    current: *mut c_int,
    nodes: *const Descriptor,
) {
    crate::omni::error::done("xmp_get_image_index", || {
        let executing = instance().image.executing();
        let among = |rank| executing.position_of(rank).map(|position| position as i64 + 1);
        // SAFETY: the caller's guarantee.
        unsafe { translate((count, indices, current), nodes, among) }
    });
}

/// The IMAGE directive: what the next statement means by images.
///
/// # Safety
/// There is a descriptor of nodes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_coarray_set_image_nodes_(nodes: *const Descriptor) {
    crate::omni::error::done("image directive", || {
        // SAFETY: the caller's guarantee.
        let nodes = unsafe { Object::<NodeSet>::shared(*nodes)? };
        *instance().omni.coarray.image_nodes.borrow_mut() = Some(nodes);
        Ok(())
    });
}
