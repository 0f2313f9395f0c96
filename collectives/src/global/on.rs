//! Barrier, broadcast and reduction over the images of a reference to nodes: the `on` clause (XcalableMP 1.4, 4.5.4 to
//! 4.5.6). A reference with `*` names different sets on different images, which execute the operation side by side.

use super::background::AsyncId;
use super::exchange::check_nodes;
use super::operator::{Element, Operator};
use crate::nonblocking::{self, Combine};
use crate::{barrier, raw};
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

/// Returns when all images of these nodes have called it; at once on images that are none of them.
///
/// # Errors
/// Those of [`set_of`]; when an image of the nodes has stopped or failed before it called it.
pub fn barrier_on(image: &Image, nodes: &Nodes) -> Result<()> {
    match set_of(image, nodes)? {
        Some(set) => barrier(image, &set),
        None => Ok(()),
    }
}

/// Broadcasts the `len` bytes at `buffer` of the image `from`, or of the first node, to all nodes. Other images do
/// nothing.
///
/// # Errors
/// Those of [`set_of`]; when `from` is none of the nodes; when one of them has stopped or failed before it took part.
///
/// # Safety
/// `buffer` is valid for `len` bytes, which nothing else accesses meanwhile.
pub unsafe fn bcast(
    image: &Image,
    nodes: &Nodes,
    from: Option<Rank>,
    buffer: *mut u8,
    len: usize,
) -> Result<()> {
    let Some(set) = set_of(image, nodes)? else { return Ok(()) };
    // SAFETY: `buffer` is valid (contract above).
    unsafe { bcast_among(image, &set, from, buffer, len) }
}

/// Broadcasts the `len` bytes at `buffer` of the image `from`, or of the first one, to the images of a set.
///
/// # Errors
/// Those of [`bcast`].
///
/// # Safety
/// Those of [`bcast`].
///
/// # Panics
/// When this image is not in the set.
pub unsafe fn bcast_among(
    image: &Image,
    set: &ImageSet,
    from: Option<Rank>,
    buffer: *mut u8,
    len: usize,
) -> Result<()> {
    let root = root(set, from)?;
    // SAFETY: `buffer` is valid (contract above).
    unsafe { raw::broadcast(image, set, root, buffer, len) }
}

/// Begins a [`bcast`], which [`super::Async::wait`] of the id completes.
///
/// # Errors
/// Those of [`bcast`] that concern its arguments.
///
/// # Safety
/// `buffer` is valid, and nothing else accesses it, until a wait or a test has found the operation complete; until the
/// end of the image if the [`super::Async`] is dropped before.
pub unsafe fn bcast_async<'i>(
    image: &'i Image,
    nodes: &Nodes,
    from: Option<Rank>,
    buffer: *mut u8,
    len: usize,
    id: AsyncId<'_, 'i>,
) -> Result<()> {
    let Some(set) = set_of(image, nodes)? else { return Ok(()) };
    let root = root(&set, from)?;
    // SAFETY: `buffer` is valid (contract above).
    let handle = unsafe { nonblocking::raw::broadcast(image, &set, root, buffer, len)? };
    id.add(handle, |()| ());
    Ok(())
}

/// Combines the `count` elements at `buffer` of the nodes, element by element, and leaves the result on all of them.
/// Other images do nothing.
///
/// # Errors
/// Those of [`set_of`] and [`Operator::on`]; when one of the nodes has stopped or failed before it took part.
///
/// # Safety
/// `buffer` is valid for `count` elements, which nothing else accesses meanwhile.
pub unsafe fn reduction(
    image: &Image,
    nodes: &Nodes,
    operator: Operator,
    element: Element,
    buffer: *mut u8,
    count: usize,
) -> Result<()> {
    let reduction = operator.on(element)?;
    let Some(set) = set_of(image, nodes)? else { return Ok(()) };
    // SAFETY: `buffer` is valid (contract above).
    unsafe { raw::allreduce(image, &set, buffer, count, &reduction) }
}

/// Begins a [`reduction`], which [`super::Async::wait`] of the id completes.
///
/// # Errors
/// Those of [`reduction`] that concern its arguments.
///
/// # Safety
/// Those of [`bcast_async`].
pub unsafe fn reduction_async<'i>(
    image: &'i Image,
    nodes: &Nodes,
    operator: Operator,
    element: Element,
    buffer: *mut u8,
    count: usize,
    id: AsyncId<'_, 'i>,
) -> Result<()> {
    let combine = Combine::By(operator.on(element)?);
    let Some(set) = set_of(image, nodes)? else { return Ok(()) };
    // SAFETY: `buffer` is valid (contract above).
    let handle = unsafe { nonblocking::raw::allreduce(image, &set, buffer, count, combine) };
    id.add(handle, |()| ());
    Ok(())
}

/// The position of the root of a broadcast.
fn root(set: &ImageSet, from: Option<Rank>) -> Result<usize> {
    match from {
        None => Ok(0),
        Some(rank) => set
            .position_of(rank)
            .ok_or_else(|| MappingError::NotExecuting { image: rank }.of("bcast")),
    }
}
