//! Reflect and reduce_shadow (XcalableMP 1.4, 4.5.1).

use super::background::{AsyncId, start};
use super::copy::Arrival;
use super::exchange::{Operation, check_nodes, named, run};
use super::plan::Shape;
use super::{Plans, Storage};
use crate::reduction::Reduction;
use xmp_core::image_set::ImageSet;
use xmp_core::{Image, Result};

/// Fills the shadow of an array, on all its nodes, with the elements of the owners. All images of the set call it, and
/// all nodes that have elements are in the set.
///
/// # Errors
/// The [`xmp_core::global::MappingError`]s of [`super::plan::Reflect::new`], and elements on images outside the set: on
/// all images, which have written nothing then. When an image of the set has stopped or failed before it took part.
///
/// # Panics
/// When this image is not in the set.
pub fn reflect(
    image: &Image,
    set: &ImageSet,
    plans: &Plans,
    storage: &Storage,
    shape: Shape<'_>,
) -> Result<()> {
    run(image, set, &prepare_reflect(image, set, plans, storage, shape)?)
}

/// Prepares a [`reflect`], which [`run`] then executes. Communicates nothing.
///
/// # Errors
/// Those of [`reflect`] that concern its arguments.
pub fn prepare_reflect(
    image: &Image,
    set: &ImageSet,
    plans: &Plans,
    storage: &Storage,
    shape: Shape<'_>,
) -> Result<Operation<'static>> {
    prepare(image, set, plans, storage, shape, Arrival::Replace)
}

/// Begins a [`reflect`], which [`super::Async::wait`] of the id completes. It sends the elements that the owners have
/// now; the shadow is written by the wait, and nothing else may access it before.
///
/// # Errors
/// Those of [`reflect`] that concern its arguments.
///
/// # Panics
/// When this image is not in the set.
pub fn reflect_async<'i>(
    image: &'i Image,
    set: &ImageSet,
    plans: &Plans,
    storage: &Storage,
    shape: Shape<'_>,
    id: AsyncId<'_, 'i>,
) -> Result<()> {
    start(image, set, id, prepare_reflect(image, set, plans, storage, shape)?)
}

/// Combines the elements in the shadows of all nodes with those of the owners: a reflect backwards. An owner combines in
/// the order of the ranks of the images that have the shadows, beginning with its own element. The elements are those of
/// the reduction, which need not be a sum.
///
/// # Errors
/// Those of [`reflect`].
///
/// # Panics
/// When this image is not in the set.
pub fn reduce_shadow(
    image: &Image,
    set: &ImageSet,
    plans: &Plans,
    storage: &Storage,
    shape: Shape<'_>,
    reduction: &Reduction<'_>,
) -> Result<()> {
    let operation = prepare_reduce_shadow(image, set, plans, storage, shape, reduction)?;
    run(image, set, &operation)
}

/// Prepares a [`reduce_shadow`], which [`run`] then executes. Communicates nothing.
///
/// # Errors
/// Those of [`reduce_shadow`] that concern its arguments.
pub fn prepare_reduce_shadow<'a>(
    image: &Image,
    set: &ImageSet,
    plans: &Plans,
    storage: &Storage,
    shape: Shape<'_>,
    reduction: &Reduction<'a>,
) -> Result<Operation<'a>> {
    prepare(image, set, plans, storage, shape, Arrival::Combine(*reduction))
}

/// Begins a [`reduce_shadow`], which [`super::Async::wait`] of the id completes. It sends the elements that the shadows
/// have now; the elements of the owners are written by the wait, and nothing else may access them before.
///
/// # Errors
/// Those of [`reflect`] that concern its arguments.
///
/// # Panics
/// When this image is not in the set.
pub fn reduce_shadow_async<'i>(
    image: &'i Image,
    set: &ImageSet,
    plans: &Plans,
    storage: &Storage,
    shape: Shape<'_>,
    reduction: Reduction<'static>,
    id: AsyncId<'_, 'i>,
) -> Result<()> {
    let operation = prepare_reduce_shadow(image, set, plans, storage, shape, &reduction)?;
    start(image, set, id, operation)
}

fn prepare<'a>(
    image: &Image,
    set: &ImageSet,
    plans: &Plans,
    storage: &Storage,
    shape: Shape<'_>,
    arrival: Arrival<'a>,
) -> Result<Operation<'a>> {
    let backwards = matches!(arrival, Arrival::Combine(_));
    let name = if backwards { "reduce_shadow" } else { "reflect" };
    let plan = plans.reflect(image.rank(), storage, shape, backwards).map_err(named(name))?;
    check_nodes(name, set, storage.array.nodes().members(), |rank| storage.is_on(rank))?;
    // The sides are of one array, but one is its shadows and the other one the elements of the owners.
    Ok(Operation { name, plan, from: storage.base, to: storage.base, arrival, overlaps: false })
}
