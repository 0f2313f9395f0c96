//! `on`: barrier, broadcast and reduction over the images of a reference to nodes (XcalableMP 1.4, 4.5.4 to 4.5.6).
//!
//! A reference with `*` means another set on each image: several sets do the same at once.

use super::background::Async;
use super::exchange::check_nodes;
use super::operator::{Element, Operator};
use crate::nonblocking::{self, Combine};
use crate::{barrier, raw};
use std::rc::Rc;
use xmp_core::global::{MappingError, Nodes};
use xmp_core::image_set::ImageSet;
use xmp_core::{Image, Rank, Result};

/// The images of some nodes as a set, if this image is one of them. Communicates nothing; the same set for the same
/// images.
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

/// Returns when all these nodes have called it; at once on images that are none of them.
///
/// # Errors
/// As [`set_of`]; when an image of the set has stopped or failed without calling it.
pub fn barrier_on(image: &Image, nodes: &Nodes) -> Result<()> {
    match set_of(image, nodes)? {
        Some(set) => barrier(image, &set),
        None => Ok(()),
    }
}

/// The nodes get the `len` bytes at `buffer` that `from`, or the first of them, has there. Nothing happens on other
/// images.
///
/// # Errors
/// As [`set_of`]; when `from` is none of them; when an image of the set has stopped or failed without taking part.
///
/// # Safety
/// `buffer` is valid for `len` bytes, which no other image accesses meanwhile.
pub unsafe fn bcast(
    image: &Image,
    nodes: &Nodes,
    from: Option<Rank>,
    (buffer, len): (*mut u8, usize),
) -> Result<()> {
    let Some(set) = set_of(image, nodes)? else { return Ok(()) };
    // SAFETY: `buffer` has all elements (contract above).
    unsafe { bcast_among(image, &set, from, (buffer, len)) }
}

/// As [`bcast`], to the images of a set.
///
/// # Errors
/// As [`bcast`].
///
/// # Safety
/// As [`bcast`].
///
/// # Panics
/// When this image is not in the set.
pub unsafe fn bcast_among(
    image: &Image,
    set: &ImageSet,
    from: Option<Rank>,
    (buffer, len): (*mut u8, usize),
) -> Result<()> {
    let root = root(set, from)?;
    // SAFETY: `buffer` has all elements (contract above).
    unsafe { raw::broadcast(image, set, root, buffer, len) }
}

/// Begins a [`bcast`], to be completed with [`Async::wait`] of `id`.
///
/// # Errors
/// As [`bcast`], what is known now.
///
/// # Safety
/// `buffer` is valid, and not accessed, until the operation has been waited for or has been found complete; until
/// the end of the image if `pending` is dropped before.
pub unsafe fn bcast_async<'i>(
    image: &'i Image,
    nodes: &Nodes,
    from: Option<Rank>,
    (buffer, len): (*mut u8, usize),
    (pending, id): (&Async<'i>, i64),
) -> Result<()> {
    let Some(set) = set_of(image, nodes)? else { return Ok(()) };
    let root = root(&set, from)?;
    // SAFETY: `buffer` has all elements (contract above).
    let handle = unsafe { nonblocking::raw::broadcast(image, &set, root, buffer, len)? };
    pending.add(id, handle, |()| ());
    Ok(())
}

/// Combines the `count` elements at `buffer` of the nodes, element by element, and leaves the result on all of them.
/// Nothing happens on other images.
///
/// # Errors
/// As [`set_of`] and [`Operator::on`]; when an image of the set has stopped or failed without taking part.
///
/// # Safety
/// `buffer` is valid for `count` elements, which no other image accesses meanwhile.
pub unsafe fn reduction(
    image: &Image,
    nodes: &Nodes,
    (operator, element): (Operator, Element),
    (buffer, count): (*mut u8, usize),
) -> Result<()> {
    let reduction = operator.on(element)?;
    let Some(set) = set_of(image, nodes)? else { return Ok(()) };
    // SAFETY: `buffer` has all elements (contract above).
    unsafe { raw::allreduce(image, &set, buffer, count, &reduction) }
}

/// Begins a [`reduction`], to be completed with [`Async::wait`] of `id`.
///
/// # Errors
/// As [`reduction`], what is known now.
///
/// # Safety
/// As [`bcast_async`].
pub unsafe fn reduction_async<'i>(
    image: &'i Image,
    nodes: &Nodes,
    (operator, element): (Operator, Element),
    (buffer, count): (*mut u8, usize),
    (pending, id): (&Async<'i>, i64),
) -> Result<()> {
    let combine = Combine::By(operator.on(element)?);
    let Some(set) = set_of(image, nodes)? else { return Ok(()) };
    // SAFETY: `buffer` has all elements (contract above).
    let handle = unsafe { nonblocking::raw::allreduce(image, &set, buffer, count, combine) };
    pending.add(id, handle, |()| ());
    Ok(())
}

/// The position of who gives.
fn root(set: &ImageSet, from: Option<Rank>) -> Result<usize> {
    match from {
        None => Ok(0),
        Some(rank) => set
            .position_of(rank)
            .ok_or_else(|| MappingError::NotExecuting { image: rank }.of("bcast")),
    }
}
