//! Gmove between the executing images (XcalableMP 1.4, 4.5.2).

use super::copy::Arrival;
use super::exchange::{Operation, check_nodes, named};
use super::plan::ArraySection;
use super::{Plans, StoredSection};
use xmp_core::counted::counted;
use xmp_core::image_set::ImageSet;
use xmp_core::{Error, Image, Result};

/// Prepares to assign the section `right` to the section `left`, whatever the mappings of both arrays. [`super::run`] or
/// [`super::begin`] executes it. Sections of one array may overlap. All images of the set prepare it, and all nodes that
/// have elements of either section are in the set. A local array is one that all images have as a whole
/// ([`super::Storage::local`]). Communicates nothing.
///
/// # Errors
/// [`Error::Invalid`] when the shapes or the sizes of elements differ, or elements are on images outside the set: on all
/// images.
pub fn prepare_gmove(
    image: &Image,
    set: &ImageSet,
    plans: &Plans,
    left: StoredSection<'_>,
    right: StoredSection<'_>,
) -> Result<Operation<'static>> {
    prepare(image, set, plans, left, right, Kind { name: "gmove", transposed: false })
}

/// The name of an assignment, and whether it transposes the right side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kind {
    pub name: &'static str,
    pub transposed: bool,
}

/// Prepares an assignment of this kind.
pub(super) fn prepare(
    image: &Image,
    set: &ImageSet,
    plans: &Plans,
    left: StoredSection<'_>,
    right: StoredSection<'_>,
    Kind { name, transposed }: Kind,
) -> Result<Operation<'static>> {
    let (to, from) = (left.storage, right.storage);
    check_elements(name, to.element, from.element)?;
    let (left, right) = (left.side(), right.side());
    let plan = plans.gmove(image.rank(), left, right, to.element, transposed);
    let plan = plan.map_err(named(name))?;
    [left, right].into_iter().try_for_each(|side| check_side(name, set, side))?;
    let overlaps = to.base == from.base;
    Ok(Operation { name, plan, from: from.base, to: to.base, arrival: Arrival::Replace, overlaps })
}

/// Checks that all images that have elements of a section are in the set.
pub(super) fn check_side(name: &str, set: &ImageSet, side: ArraySection<'_>) -> Result<()> {
    check_nodes(name, set, side.array.nodes().members(), |rank| side.is_on(rank))
}

/// Checks that elements of both sides have the same size.
pub(super) fn check_elements(name: &str, left: usize, right: usize) -> Result<()> {
    if left == right {
        return Ok(());
    }
    Err(Error::Invalid(format!(
        "{name}: elements of {} are assigned from elements of {}",
        counted(left, "byte"),
        counted(right, "byte")
    )))
}
