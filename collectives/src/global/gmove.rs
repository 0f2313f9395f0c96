//! Gmove among the executing images (XcalableMP 1.4, 4.5.2).

use super::background::{Async, start};
use super::copy::Arrival;
use super::exchange::{Operation, check_nodes, named, run};
use super::plan::Side;
use super::plans::Plan;
use super::{Plans, Storage};
use std::rc::Rc;
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
    left: (&Storage, &Section),
    right: (&Storage, &Section),
) -> Result<()> {
    // SAFETY: both storages are valid for their sections (contract above).
    unsafe { run(image, set, &prepare_gmove(image, set, plans, left, right)?) }
}

/// Prepares a [`gmove`], which [`run`] then carries out. Communicates nothing.
///
/// # Errors
/// Those of [`gmove`] that say what is wrong with its arguments.
pub fn prepare_gmove(
    image: &Image,
    set: &ImageSet,
    plans: &Plans,
    left: (&Storage, &Section),
    right: (&Storage, &Section),
) -> Result<Operation<'static>> {
    prepare(image, set, plans, (left, right), GMOVE)
}

const GMOVE: Kind = Kind { name: "gmove", transposed: false };

/// What an assignment is called, and whether the right side is transposed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kind {
    pub name: &'static str,
    pub transposed: bool,
}

/// As [`gmove`], of this kind.
///
/// # Errors
/// As [`gmove`].
///
/// # Safety
/// As [`gmove`].
pub(super) unsafe fn assign(
    image: &Image,
    set: &ImageSet,
    plans: &Plans,
    (left, right): ((&Storage, &Section), (&Storage, &Section)),
    kind: Kind,
) -> Result<()> {
    // SAFETY: both storages are valid for their sections (contract above).
    unsafe { run(image, set, &prepare(image, set, plans, (left, right), kind)?) }
}

fn prepare(
    image: &Image,
    set: &ImageSet,
    plans: &Plans,
    (left, right): ((&Storage, &Section), (&Storage, &Section)),
    kind: Kind,
) -> Result<Operation<'static>> {
    let plan = planned(image, set, plans, (left, right), kind)?;
    let (from, to) = (right.0.base.cast_const(), left.0.base);
    let (arrival, overlaps) = (Arrival::Replace, from == to);
    Ok(Operation { name: kind.name, plan, from, to, arrival, overlaps })
}

/// Begins a [`gmove`], to be completed with [`Async::wait`] of `id`. What the right side has is what it is now; the
/// left side is written when it is waited for.
///
/// # Errors
/// As [`gmove`], what is known now.
///
/// # Safety
/// The left storage is valid until the operation has been waited for or `pending` is dropped; until then nothing else
/// accesses the section.
///
/// # Panics
/// As [`gmove`].
pub unsafe fn gmove_async<'i>(
    image: &'i Image,
    set: &ImageSet,
    plans: &Plans,
    (left, right): ((&Storage, &Section), (&Storage, &Section)),
    (pending, id): (&Async<'i>, i64),
) -> Result<()> {
    let plan = planned(image, set, plans, (left, right), GMOVE)?;
    let memory = (plan, right.0.base.cast_const(), left.0.base);
    // SAFETY: both storages are valid for their sections (contract above).
    unsafe { start(image, set, pending, id, memory, Arrival::Replace) }
}

fn planned(
    image: &Image,
    set: &ImageSet,
    plans: &Plans,
    (left, right): ((&Storage, &Section), (&Storage, &Section)),
    Kind { name, transposed }: Kind,
) -> Result<Rc<Plan>> {
    check_elements(name, left.0.element, right.0.element)?;
    let sides = [left, right].map(|(storage, section)| (&storage.array, section));
    let plan = plans.gmove(image.rank(), sides[0], sides[1], (left.0.element, transposed));
    let plan = plan.map_err(named(name))?;
    sides.into_iter().try_for_each(|side| check_side(name, set, side))?;
    Ok(plan)
}

/// Checks that all images that have elements of a section are in the set.
pub(super) fn check_side(
    name: &str,
    set: &ImageSet,
    (array, section): (&Rc<xmp_core::global::Array>, &Section),
) -> Result<()> {
    let side = Side { array, section };
    check_nodes(name, set, array.nodes().members(), |rank| side.is_on(rank))
}

/// Checks that elements of both sides have the same size.
pub(super) fn check_elements(name: &str, left: usize, right: usize) -> Result<()> {
    if left == right {
        Ok(())
    } else {
        Err(Error::Invalid(format!(
            "{name}: elements of {left} bytes are assigned from elements of {right} bytes"
        )))
    }
}
