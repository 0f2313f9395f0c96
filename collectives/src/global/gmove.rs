//! Gmove among the executing images (XcalableMP 1.4, 4.5.2).

use super::copy::Arrival;
use super::exchange::{Operation, check_nodes, named, run};
use super::plan::Side;
use super::{Plans, Storage};
use xmp_core::global::Section;
use xmp_core::image_set::ImageSet;
use xmp_core::{Error, Image, Result};

/// Assigns the elements of one section to another, whatever the mappings of both arrays; sections of one array may
/// overlap. All images of the set call it, and all nodes that have elements of either section are in the set. A local
/// array is one that all have wholly ([`Storage::local`]).
///
/// # Errors
/// [`Error::Invalid`] when the shapes are not the same, elements have different sizes or are on images outside the
/// set; on all images alike, and nothing has happened then. When an image of the set has stopped or failed without
/// taking part.
///
/// # Safety
/// Both storages are valid; no image accesses its parts of the sections meanwhile.
///
/// # Panics
/// When this image is not in the set.
pub unsafe fn gmove(
    image: &Image,
    set: &ImageSet,
    plans: &Plans,
    (left, to): (&Storage, &Section),
    (right, from): (&Storage, &Section),
) -> Result<()> {
    check_elements(left, right)?;
    let sides = ((&left.array, to), (&right.array, from));
    let plan = plans.gmove(image.rank(), sides.0, sides.1, left.element);
    let moves = plan.map_err(named("gmove"))?;
    for (storage, section) in [(left, to), (right, from)] {
        let side = Side { array: &storage.array, section };
        check_nodes("gmove", set, storage.array.nodes().members(), |rank| side.is_on(rank))?;
    }
    let operation = Operation {
        name: "gmove",
        moves: &moves,
        from: right.base,
        to: left.base,
        arrival: Arrival::Replace,
        overlaps: left.base == right.base,
    };
    // SAFETY: the caller's guarantee.
    unsafe { run(image, set, &operation) }
}

/// Checks that elements of both sides have the same size.
pub(super) fn check_elements(left: &Storage, right: &Storage) -> Result<()> {
    if left.element != right.element {
        return Err(Error::Invalid(format!(
            "gmove: elements of {} bytes are assigned from elements of {} bytes",
            left.element, right.element
        )));
    }
    Ok(())
}
