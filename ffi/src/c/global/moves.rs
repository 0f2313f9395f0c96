//! Reflect, reduce_shadow and gmove.

use super::array::Distributed;
use super::range::{Range, section};
use super::{ObjectHandle, array_of, list};
use crate::c::collective::{Type, op_of};
use crate::c::outcome::outcome;
use crate::process::{Instance, instance};
use smallvec::SmallVec;
use std::ffi::{c_int, c_uint};
use std::rc::Rc;
use xmp_collectives::global::{self, Operation, Shape, Width};
use xmp_core::global::Section;
use xmp_core::image_set::ImageSet;
use xmp_core::{Error, Image, Result};

/// `xmprt_halo`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Halo {
    before: i64,
    behind: i64,
    periodic: c_int,
}

/// # Safety
/// `halos` is null or has one for each dimension.
unsafe fn widths(array: &Distributed, halos: *const Halo) -> Result<SmallVec<[Width; 4]>> {
    let mapping = &array.storage.array;
    if halos.is_null() {
        return Ok(Width::whole(mapping));
    }
    let width = |halo: &Halo| {
        let &Halo { before: lower, behind: upper, periodic } = halo;
        Width { lower, upper, periodic: periodic != 0, carried: false }
    };
    // SAFETY: the caller's guarantee.
    Ok(unsafe { list((halos, "halos"), mapping.dims().len())? }.iter().map(width).collect())
}

/// Carries out what all executing images execute together, if it could be prepared; otherwise the others get to know why
/// not. What is prepared is kept as long as it is needed.
///
/// # Safety
/// As [`global::run`].
unsafe fn together<T>(
    name: &'static str,
    prepared: impl FnOnce(&Image, &ImageSet) -> Result<(T, Operation<'static>)>,
) -> Result<()> {
    let image = &instance().image;
    let set = image.executing();
    match prepared(image, &set) {
        // SAFETY: the caller's guarantee.
        Ok((_kept, operation)) => unsafe { global::run(image, &set, &operation) },
        Err(error) => Err(global::refuse(image, &set, name, error)),
    }
}

/// Fills the shadow, at once or by an id.
///
/// # Safety
/// As [`xmprt_reflect`]; until it is waited for if there is an id.
unsafe fn fill(
    array: ObjectHandle,
    (halos, orthogonal): (*const Halo, c_int),
    id: Option<i64>,
) -> Result<()> {
    let arguments = || {
        let array = array_of(array)?;
        // SAFETY: the caller's guarantee.
        let widths = unsafe { widths(&array, halos)? };
        Ok((array, widths))
    };
    let orthogonal = orthogonal != 0;
    let Some(id) = id else {
        let prepared = |image: &Image, set: &ImageSet| {
            let (array, widths) = arguments()?;
            let shape = Shape { widths: &widths, orthogonal };
            let (plans, storage) = (&array.plans, &array.storage);
            let operation = global::prepare_reflect(image, set, plans, storage, shape)?;
            Ok((array, operation))
        };
        // SAFETY: the storage is the array's own; the caller's guarantee.
        return unsafe { together("reflect", prepared) };
    };
    let (array, widths) = arguments()?;
    let Instance { image, c, .. } = instance();
    let (set, pending) = (image.executing(), &c.global.pending);
    let what = (&array.storage, Shape { widths: &widths, orthogonal });
    let entry = (&pending.operations, id);
    // SAFETY: the same; the array is kept as long as it is needed.
    unsafe { global::reflect_async(image, &set, &array.plans, what, entry)? };
    pending.keep(id, &array);
    Ok(())
}

/// Reflect.
///
/// # Safety
/// `halos` is null or has one for each dimension; nobody accesses the array meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_reflect(
    array: ObjectHandle,
    halos: *const Halo,
    orthogonal: c_int,
) -> c_int {
    // SAFETY: the caller's guarantee.
    outcome("xmprt_reflect", || unsafe { fill(array, (halos, orthogonal), None) })
}

/// Begins a reflect.
///
/// # Safety
/// As [`xmprt_reflect`]; nobody accesses the shadow until it is waited for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_reflect_async(
    array: ObjectHandle,
    halos: *const Halo,
    orthogonal: c_int,
    id: i64,
) -> c_int {
    // SAFETY: the caller's guarantee.
    outcome("xmprt_reflect_async", || unsafe { fill(array, (halos, orthogonal), Some(id)) })
}

/// Combines the shadow with its owners, at once or by an id.
///
/// # Safety
/// As [`fill`].
unsafe fn collect(
    array: ObjectHandle,
    halos: *const Halo,
    (element, op): (c_uint, c_uint),
    id: Option<i64>,
) -> Result<()> {
    let arguments = || {
        let array = array_of(array)?;
        // SAFETY: the caller's guarantee.
        let widths = unsafe { widths(&array, halos)? };
        let reduction = Type::of(element)?.reduction(op_of(op)?)?;
        let (size, stored) = (reduction.element(), array.storage.element);
        if stored % size != 0 {
            let text = format!("elements of {stored} bytes are not of a type of {size}");
            return Err(Error::Invalid(text));
        }
        Ok((array, widths, reduction))
    };
    let Some(id) = id else {
        let prepared = |image: &Image, set: &ImageSet| {
            let (array, widths, reduction) = arguments()?;
            let what = (&array.storage, Shape { widths: &widths, orthogonal: false });
            let plans = &array.plans;
            let operation = global::prepare_reduce_shadow(image, set, plans, what, &reduction)?;
            Ok((array, operation))
        };
        // SAFETY: as in `fill`; the elements are those of the reduction.
        return unsafe { together("reduce_shadow", prepared) };
    };
    let (array, widths, reduction) = arguments()?;
    let Instance { image, c, .. } = instance();
    let (set, pending) = (image.executing(), &c.global.pending);
    let what = (&array.storage, Shape { widths: &widths, orthogonal: false });
    let entry = (&pending.operations, id);
    // SAFETY: the same; the array is kept as long as it is needed.
    unsafe { global::reduce_shadow_async(image, &set, &array.plans, what, reduction, entry)? };
    pending.keep(id, &array);
    Ok(())
}

/// Reduce_shadow.
///
/// # Safety
/// As [`xmprt_reflect`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_reduce_shadow(
    array: ObjectHandle,
    halos: *const Halo,
    element: c_uint,
    op: c_uint,
) -> c_int {
    // SAFETY: the caller's guarantee.
    outcome("xmprt_reduce_shadow", || unsafe { collect(array, halos, (element, op), None) })
}

/// Begins a reduce_shadow.
///
/// # Safety
/// As [`xmprt_reduce_shadow`]; nobody accesses the elements that it changes until it is waited for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_reduce_shadow_async(
    array: ObjectHandle,
    halos: *const Halo,
    element: c_uint,
    op: c_uint,
    id: i64,
) -> c_int {
    // SAFETY: the caller's guarantee.
    outcome("xmprt_reduce_shadow_async", || unsafe {
        collect(array, halos, (element, op), Some(id))
    })
}

/// The two sides of a gmove: arrays, and their sections.
///
/// # Errors
/// When a handle is no array's, or a section not of its array.
///
/// # Safety
/// Ranges are null or have one for each dimension of their array.
pub unsafe fn sides(
    (to, to_ranges): (ObjectHandle, *const Range),
    (from, from_ranges): (ObjectHandle, *const Range),
) -> Result<[(Rc<Distributed>, Section); 2]> {
    let (to, from) = (array_of(to)?, array_of(from)?);
    // SAFETY: the caller's guarantee.
    let (left, right) = unsafe {
        (section(&to.storage.array, to_ranges)?, section(&from.storage.array, from_ranges)?)
    };
    Ok([(to, left), (from, right)])
}

/// Assigns a section to another, at once or by an id.
///
/// # Safety
/// As [`xmprt_gmove`]; until it is waited for if there is an id.
unsafe fn assign(
    (to, to_ranges): (ObjectHandle, *const Range),
    (from, from_ranges): (ObjectHandle, *const Range),
    id: Option<i64>,
) -> Result<()> {
    // SAFETY: the caller's guarantee.
    let arguments = || unsafe { sides((to, to_ranges), (from, from_ranges)) };
    let Some(id) = id else {
        let prepared = |image: &Image, set: &ImageSet| {
            let [(to, left), (from, right)] = arguments()?;
            let sides = ((&to.storage, &left), (&from.storage, &right));
            let operation = global::prepare_gmove(image, set, &to.plans, sides.0, sides.1)?;
            Ok(([to, from], operation))
        };
        // SAFETY: the storages are the arrays' own; the caller's guarantee.
        return unsafe { together("gmove", prepared) };
    };
    let [(to, left), (from, right)] = arguments()?;
    let Instance { image, c, .. } = instance();
    let (set, pending) = (image.executing(), &c.global.pending);
    let sides = ((&to.storage, &left), (&from.storage, &right));
    let entry = (&pending.operations, id);
    // SAFETY: the same; what is written is kept as long as it is needed.
    unsafe { global::gmove_async(image, &set, &to.plans, sides, entry)? };
    pending.keep(id, &to);
    Ok(())
}

/// Gmove.
///
/// # Safety
/// Ranges are null or have one for each dimension of their array; nobody accesses the arrays meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_gmove(
    to: ObjectHandle,
    to_ranges: *const Range,
    from: ObjectHandle,
    from_ranges: *const Range,
) -> c_int {
    // SAFETY: the caller's guarantee.
    outcome("xmprt_gmove", || unsafe { assign((to, to_ranges), (from, from_ranges), None) })
}

/// Begins a gmove.
///
/// # Safety
/// As [`xmprt_gmove`]; nobody accesses what it writes until it is waited for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_gmove_async(
    to: ObjectHandle,
    to_ranges: *const Range,
    from: ObjectHandle,
    from_ranges: *const Range,
    id: i64,
) -> c_int {
    // SAFETY: the caller's guarantee.
    outcome("xmprt_gmove_async", || unsafe {
        assign((to, to_ranges), (from, from_ranges), Some(id))
    })
}
