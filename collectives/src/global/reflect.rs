//! Reflect and reduce_shadow (XcalableMP 1.4, 4.5.1).

use super::copy::Arrival;
use super::exchange::{Operation, check_nodes, named, run};
use super::plan::Width;
use super::{Plans, Storage};
use crate::reduction::Reduction;
use xmp_core::image_set::ImageSet;
use xmp_core::{Image, Result};

/// Which part of the shadow.
#[derive(Clone, Copy, Debug)]
pub struct Shape<'a> {
    /// Widths of each dimension ([`Width::whole`]).
    pub widths: &'a [Width],
    /// Without corners: only what neighbours along one dimension have.
    pub orthogonal: bool,
}

/// Fills the shadow of an array, on all its nodes, with what the owners have. All images of the set call it, and all nodes
/// of the array are in the set.
///
/// # Errors
/// [`xmp_core::global::MappingError`]s of [`super::plan::Reflect::new`], on all images alike, nothing has happened then;
/// when an image of the set has stopped or failed without taking part.
///
/// # Safety
/// The storage is valid; no image accesses its part meanwhile.
///
/// # Panics
/// When this image is not in the set.
pub unsafe fn reflect(
    image: &Image,
    set: &ImageSet,
    plans: &Plans,
    storage: &Storage,
    shape: Shape<'_>,
) -> Result<()> {
    let key = (shape.widths, shape.orthogonal);
    let plan = plans.reflect(image.rank(), &storage.array, storage.element, key);
    let moves = plan.map_err(named("reflect"))?;
    check_nodes("reflect", set, storage.array.nodes().members(), |rank| storage.is_on(rank))?;
    let operation = Operation {
        name: "reflect",
        moves: &moves,
        from: storage.base,
        to: storage.base,
        arrival: Arrival::Replace,
        // Shadows are written, and what is owned is read.
        overlaps: false,
    };
    // SAFETY: the caller's guarantee.
    unsafe { run(image, set, &operation) }
}

/// The way back: combines what nodes have in their shadows with the elements of the owners; of a reduction other than a
/// sum, too. An owner combines in the order of the ranks of those who had shadows, beginning with its own element.
///
/// # Errors
/// As [`reflect`].
///
/// # Safety
/// As [`reflect`]; elements are those of the reduction.
///
/// # Panics
/// As [`reflect`].
pub unsafe fn reduce_shadow(
    image: &Image,
    set: &ImageSet,
    plans: &Plans,
    storage: &Storage,
    shape: Shape<'_>,
    reduction: &Reduction<'_>,
) -> Result<()> {
    let key = (shape.widths, shape.orthogonal);
    let plan = plans.reflect(image.rank(), &storage.array, storage.element, key);
    let moves = plan.map_err(named("reduce_shadow"))?.reversed();
    check_nodes("reduce_shadow", set, storage.array.nodes().members(), |rank| storage.is_on(rank))?;
    let operation = Operation {
        name: "reduce_shadow",
        moves: &moves,
        from: storage.base,
        to: storage.base,
        arrival: Arrival::Combine(reduction),
        overlaps: false,
    };
    // SAFETY: the caller's guarantee.
    unsafe { run(image, set, &operation) }
}
