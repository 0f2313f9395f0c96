//! Reflect and reduce_shadow (XcalableMP 1.4, 4.5.1).

use super::copy::Arrival;
use super::exchange::{Operation, check_nodes, named};
use super::plan::Shape;
use super::{Plans, Storage};
use crate::reduction::Reduction;
use xmp_core::image_set::ImageSet;
use xmp_core::{Image, Result};

/// Prepares to fill the shadow of an array, on all its nodes, with the elements of the owners. [`super::run`] or
/// [`super::begin`] executes it. All images of the set prepare it, and all nodes that have elements are in the set.
/// Communicates nothing.
///
/// # Errors
/// The [`xmp_core::global::MappingError`]s of [`super::plan::Reflect::new`], and elements on images outside the set: on
/// all images.
pub fn prepare_reflect(
    image: &Image,
    set: &ImageSet,
    plans: &Plans,
    storage: &Storage,
    shape: Shape<'_>,
) -> Result<Operation<'static>> {
    prepare(image, set, plans, storage, shape, Arrival::Replace)
}

/// Prepares to combine the elements in the shadows of all nodes with those of the owners: a reflect backwards. An owner
/// combines in the order of the ranks of the images that have the shadows, beginning with its own element. The elements
/// are those of the reduction, which need not be a sum.
///
/// # Errors
/// Those of [`prepare_reflect`].
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
