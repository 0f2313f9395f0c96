//! Barrier and reduction among the executing images, or among the nodes of a reference.

use super::asynchronous::async_id;
use super::objects::{NONE, ObjectHandle};
use super::on::{nodes_on, set_on};
use super::range::Range;
use crate::c::argument::{Data, List};
use crate::c::outcome::{OK, functions, outcome};
use crate::c::types::{element_of, op_of, reduction_of};
use crate::global::{fast_reduction, pending};
use crate::process::{Instance, any_thread, instance};
use std::ffi::{c_int, c_uint};
use xmp_coarray::front_end::{sync_memory, sync_stores};
use xmp_collectives::global::{self, Element, Extreme, Variable, reduce_with_locations};
use xmp_collectives::{BarrierStatement, Combine, barrier_of, nonblocking, raw};
use xmp_core::global::Order;
use xmp_core::image_set::ImageSet;
use xmp_core::{Error, Image, Result};

/// The error of an operation that this image cannot begin: in the background, images that wait for this one get it, too.
#[cold]
pub fn refused(
    instance: &Instance,
    on: ObjectHandle,
    at: List<Range>,
    error: Error,
    id: Option<i64>,
) -> Error {
    match set_on(instance, on, at) {
        Ok(Some(set)) if id.is_some() => global::refuse_background(&instance.image, &set, error),
        _ => error,
    }
}

/// The element type and operation of the fast path.
fn fast(code: c_uint, op: c_uint) -> Option<(Element, xmp_collectives::Op)> {
    let element = match code {
        3 => Element::Integer(4),
        4 => Element::Integer(8),
        9 => Element::Real(4),
        10 => Element::Real(8),
        _ => return None,
    };
    Some((element, op_of(op)?))
}

functions! {
    /// Waits for the executing images, or for nodes, whichever of them execute.
    fn xmprt_barrier(on: ObjectHandle, at: List<Range>) {
        let instance = instance();
        let image = &instance.image;
        if !sync_stores(image) {
            sync_memory(image)?;
        }
        let barrier = |set: &ImageSet| barrier_of(image, set, BarrierStatement::BARRIER);
        if on == NONE {
            // An image that executes alone waits for no other.
            return match image.stack().index_and_size() {
                (_, 1) => Ok(()),
                _ => barrier(&image.executing()),
            };
        }
        let nodes = nodes_on(instance, on, at)?.filter(|nodes| nodes.coords.is_some());
        let Some(nodes) = nodes else { return Ok(()) };
        match nodes.set(image) {
            Ok(Some(set)) if !at.is_null() => barrier(&set),
            _ => barrier(&*image.set(nodes.nodes.members().clone())?),
        }
    }

    /// Combines values of images to the extreme ones, and takes the location variables of the image that has it.
    fn xmprt_reduce_located(
        data: Data, count: usize, element: c_uint, op: c_uint, locations: usize, variables: List<Location>,
        on: ObjectHandle, at: List<Range>,
    ) {
        let instance = instance();
        let image = &instance.image;
        let value = Variable { start: data.start(), element: element_of(element)? };
        data.check("data", count, value.element.size())?;
        let variables = variables.of("locations", locations)?;
        let Some(set) = set_on(instance, on, at)? else { return Ok(()) };
        let extreme = match op {
            2 | 13 => Extreme::FirstMin,
            3 | 12 => Extreme::FirstMax,
            14 => Extreme::LastMax,
            15 => Extreme::LastMin,
            _ => return Err(Error::Invalid(format!("there is no operator {op} with locations"))),
        };
        // One value may have a location of several elements.
        let is_whole = |of: &Location| element_of(of.element).map_or(0, Element::size) != of.bytes;
        if op < 12 || count == 1 && variables.iter().any(is_whole) {
            return locate_whole(image, &set, extreme, value, variables);
        }
        let variable = |of: &Location| {
            Ok(Variable { start: of.start.start(), element: element_of(of.element)? })
        };
        let variables = variables.iter().map(variable).collect::<Result<Vec<Variable>>>()?;
        // SAFETY: the contract of entries: each variable has as many elements as there are values.
        unsafe { reduce_with_locations(image, &set, extreme, value, count, &variables, Order::C) }
    }
}

/// Fills data with the neutral element of an operator, except on the first of the images, which keeps its data. Does
/// nothing where the result is the same without it.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_neutral(
    data: Data,
    count: usize,
    element: c_uint,
    op: c_uint,
    on: ObjectHandle,
    at: List<Range>,
) -> c_int {
    if !needs_neutral(op, on) {
        return OK;
    }
    outcome("xmprt_neutral", || {
        let Some(set) = set_on(instance(), on, at)? else { return Ok(()) };
        // The reduction itself refuses other types.
        let Ok(element) = element_of(element) else { return Ok(()) };
        data.check("data", count, element.size())?;
        if set.position() == Some(0) {
            return Ok(());
        }
        let neutral = if [4, 10].contains(&op) { one(element) } else { [0; 16] };
        let size = element.size();
        for place in 0..count {
            // SAFETY: the contract of entries: `data` has `count` elements.
            unsafe { data.start().add(place * size).copy_from(neutral.as_ptr(), size) };
        }
        Ok(())
    })
}

/// Whether an operator needs its neutral element on this image, as far as that is known at once.
#[inline(always)]
pub fn needs_neutral(op: c_uint, on: ObjectHandle) -> bool {
    let is_first = || any_thread().image.stack().index_and_size().0 == 1;
    matches!(op, 1 | 4 | 7 | 10 | 11) && (on != NONE || !is_first())
}

/// The bytes of the number 1, of which an element has the first ones.
fn one(element: Element) -> [u8; 16] {
    let mut bytes = [0; 16];
    match element {
        Element::Real(4) | Element::Complex(4) => bytes[..4].copy_from_slice(&1f32.to_ne_bytes()),
        Element::Real(8) | Element::Complex(8) => bytes[..8].copy_from_slice(&1f64.to_ne_bytes()),
        // An integer bit, and the exponent after it.
        Element::Real(10) => bytes[7..10].copy_from_slice(&[0x80, 0xff, 0x3f]),
        Element::Real(_) => bytes[14..].copy_from_slice(&[0xff, 0x3f]),
        _ => bytes[0] = 1,
    }
    bytes
}

/// Combines data of images for all of them.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_reduce(
    data: Data,
    count: usize,
    element: c_uint,
    op: c_uint,
    on: ObjectHandle,
    at: List<Range>,
    id: List<i64>,
) -> c_int {
    outcome("xmprt_reduce", || {
        let instance = instance();
        if id.is_null()
            && let Some((element, op)) = fast(element, op)
        {
            data.check("data", count, element.size())?;
            let Some(set) = set_on(instance, on, at)? else { return Ok(()) };
            if set.len() == 1 {
                return Ok(());
            }
            // SAFETY: the contract of entries: `data` has `count` elements.
            let combined = unsafe {
                fast_reduction::allreduce(&instance.image, &set, data.start(), count, element, op)
            };
            if let Some(combined) = combined {
                return combined;
            }
        }
        reduce(instance, (data, count, element, op), (on, at), async_id(id)?)
    })
}

/// Combines data, of any type by any operator, at once or by an id.
#[inline(never)]
fn reduce(
    instance: &'static Instance,
    (data, count, element, op): (Data, usize, c_uint, c_uint),
    (on, at): (ObjectHandle, List<Range>),
    id: Option<i64>,
) -> Result<()> {
    let image = &instance.image;
    let execute = || -> Result<()> {
        let reduction = reduction_of(element, op)?;
        data.check("data", count, reduction.element())?;
        let Some(set) = set_on(instance, on, at)? else { return Ok(()) };
        // SAFETY: the contract of entries: `data` has `count` elements, with an id until it is waited for.
        unsafe {
            let Some(id) = id else {
                return raw::allreduce(image, &set, data.start(), count, &reduction);
            };
            let by = Combine::By(reduction);
            let handle = nonblocking::raw::allreduce(image, &set, data.start(), count, by);
            pending(instance).operations.add(id, handle, |()| ());
        }
        Ok(())
    };
    execute().map_err(|error| refused(instance, on, at, error, id))
}

/// `xmprt_location`: a variable that goes with an extreme value.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Location {
    start: Data,
    bytes: usize,
    element: c_uint,
}

/// First all images agree on the value and on the first image that has it, whose position is the only location. Then that image
/// broadcasts its variables.
fn locate_whole(
    image: &Image,
    set: &ImageSet,
    extreme: Extreme,
    value: Variable,
    variables: &[Location],
) -> Result<()> {
    let mut position = set.position().expect("an image of the set") as u32;
    let place = Variable { start: (&raw mut position).cast(), element: Element::Unsigned(4) };
    // SAFETY: the contract of entries: the variables have as many bytes as they say.
    unsafe {
        reduce_with_locations(image, set, extreme, value, 1, &[place], Order::C)?;
        for &Location { start, bytes, .. } in variables {
            start.check("the variable", bytes, 1)?;
            raw::broadcast(image, set, position as usize, start.start(), bytes)?;
        }
    }
    Ok(())
}
