//! Reflect and reduce_shadow (XcalableMP 1.4, 4.5.1).

use super::background::{Async, start};
use super::copy::Arrival;
use super::exchange::{Operation, check_nodes, named, run};
use super::plan::Shape;
use super::plans::Plan;
use super::{Plans, Storage};
use crate::reduction::Reduction;
use std::rc::Rc;
use xmp_core::image_set::ImageSet;
use xmp_core::{Image, Result};

/// Fills the shadow of an array, on all its nodes, with what the owners have. All images of the set call it, and all
/// nodes that have elements are in the set.
///
/// # Errors
/// [`xmp_core::global::MappingError`]s of [`super::plan::Reflect::new`], and elements on images outside the set; on all
/// images alike, nothing has happened then. When an image of the set has stopped or failed without taking part.
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
    // SAFETY: the storage has the elements and shadows of this node (contract above).
    unsafe { run(image, set, &prepare_reflect(image, set, plans, storage, shape)?) }
}

/// Prepares a [`reflect`], which [`run`] then carries out. Communicates nothing.
///
/// # Errors
/// Those of [`reflect`] that say what is wrong with its arguments.
pub fn prepare_reflect(
    image: &Image,
    set: &ImageSet,
    plans: &Plans,
    storage: &Storage,
    shape: Shape<'_>,
) -> Result<Operation<'static>> {
    let plan = planned(image, set, plans, storage, (shape, "reflect"))?;
    Ok(operation("reflect", storage, plan, Arrival::Replace))
}

/// Begins a [`reflect`], to be completed with [`Async::wait`] of `id`. What owners have is what it is now; the shadow
/// is filled in when it is waited for.
///
/// # Errors
/// As [`reflect`], what is known now.
///
/// # Safety
/// The storage is valid until the operation has been waited for or `pending` is dropped; until then nothing else
/// accesses the shadow.
///
/// # Panics
/// As [`reflect`].
pub unsafe fn reflect_async<'i>(
    image: &'i Image,
    set: &ImageSet,
    plans: &Plans,
    (storage, shape): (&Storage, Shape<'_>),
    (pending, id): (&Async<'i>, i64),
) -> Result<()> {
    let plan = planned(image, set, plans, storage, (shape, "reflect"))?;
    let memory = (plan, storage.base.cast_const(), storage.base);
    // SAFETY: the storage has the elements and shadows of this node (contract above).
    unsafe { start(image, set, pending, id, memory, Arrival::Replace) }
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
    (storage, shape): (&Storage, Shape<'_>),
    reduction: &Reduction<'_>,
) -> Result<()> {
    let operation = prepare_reduce_shadow(image, set, plans, (storage, shape), reduction)?;
    // SAFETY: the storage has the elements and shadows of this node (contract above).
    unsafe { run(image, set, &operation) }
}

/// Prepares a [`reduce_shadow`], which [`run`] then carries out. Communicates nothing.
///
/// # Errors
/// Those of [`reduce_shadow`] that say what is wrong with its arguments.
pub fn prepare_reduce_shadow<'a>(
    image: &Image,
    set: &ImageSet,
    plans: &Plans,
    (storage, shape): (&Storage, Shape<'_>),
    reduction: &Reduction<'a>,
) -> Result<Operation<'a>> {
    let plan = planned(image, set, plans, storage, (shape, "reduce_shadow"))?;
    Ok(operation("reduce_shadow", storage, plan, Arrival::Combine(*reduction)))
}

/// Begins a [`reduce_shadow`], to be completed with [`Async::wait`] of `id`. What shadows have is what it is now.
///
/// # Errors
/// As [`reflect_async`].
///
/// # Safety
/// As [`reflect_async`], of the elements of owners instead of the shadow; elements are those of the reduction.
///
/// # Panics
/// As [`reflect`].
pub unsafe fn reduce_shadow_async<'i>(
    image: &'i Image,
    set: &ImageSet,
    plans: &Plans,
    (storage, shape): (&Storage, Shape<'_>),
    reduction: Reduction<'static>,
    (pending, id): (&Async<'i>, i64),
) -> Result<()> {
    let plan = planned(image, set, plans, storage, (shape, "reduce_shadow"))?;
    let memory = (plan, storage.base.cast_const(), storage.base);
    // SAFETY: the storage has the elements and shadows of this node (contract above).
    unsafe { start(image, set, pending, id, memory, Arrival::Combine(reduction)) }
}

fn planned(
    image: &Image,
    set: &ImageSet,
    plans: &Plans,
    storage: &Storage,
    (shape, name): (Shape<'_>, &'static str),
) -> Result<Rc<Plan>> {
    let backwards = name == "reduce_shadow";
    let plan = plans.reflect(image.rank(), storage, shape, backwards).map_err(named(name))?;
    check_nodes(name, set, storage.array.nodes().members(), |rank| storage.is_on(rank))?;
    Ok(plan)
}

fn operation<'a>(
    name: &'static str,
    storage: &Storage,
    plan: Rc<Plan>,
    arrival: Arrival<'a>,
) -> Operation<'a> {
    let (from, to) = (storage.base.cast_const(), storage.base);
    // Of one array, but what is written and what is read are shadows and elements of owners, or the other way around.
    Operation { name, plan, from, to, arrival, overlaps: false }
}
