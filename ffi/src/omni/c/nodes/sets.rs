//! Nodes of all images, of those that execute, and of some by their numbers.

use super::{Places, answer, dimensions, read_sizes};
use crate::omni::arguments::Arguments;
use crate::omni::error::{Outcome, Wrong, done};
use crate::omni::objects::{Descriptor, NodeSet, Object, hand_out, sized, subscripts};
use crate::process::{Instance, instance};
use std::ffi::c_int;
use xmp_core::global::{Kind, Nodes, Order};
use xmp_core::image_set::Members;

/// Nodes of a set of images.
///
/// # Safety
/// `place` is valid; the arguments are those of the declaration.
unsafe fn declare(
    place: *mut Descriptor,
    (dims, places): (c_int, Places),
    arguments: *mut Arguments,
    (kind, of): (Kind, impl FnOnce(&Instance) -> Outcome<Members>),
) {
    done("nodes", || {
        let instance = instance();
        // SAFETY: the caller's guarantee.
        let arguments = unsafe { &mut *arguments };
        // SAFETY: as above.
        let (mut sizes, wanted) = unsafe { read_sizes(arguments, dimensions(dims)?, places)? };
        let members = of(instance)?;
        sized(&mut sizes, kind, members.len(), instance.image.settings())?;
        let nodes = Nodes::new(&sizes, Order::Fortran, kind, &members)?;
        if (kind, places) == (Kind::Entire, Places::None) && nodes.len() < members.len() {
            return Err(too_few(&nodes, members.len()));
        }
        let nodes = Object::new(NodeSet::new(&instance.image, nodes));
        // SAFETY: as above.
        unsafe {
            answer(arguments, &wanted, &nodes);
            hand_out(place, nodes)
        }
    });
}

/// Node arrays of all images have them all: where sizes are constant, the translator has compiled loops for nodes only, which
/// other images would run, too.
fn too_few(nodes: &Nodes, images: usize) -> Wrong {
    let size = nodes.len();
    Wrong::because(format!(
        "a node array of all images is of {size}, but there are {images} images"
    ))
}

/// All images.
///
/// # Errors
/// None.
pub fn entire(instance: &Instance) -> Outcome<Members> {
    Ok(instance.image.stack().initial().members().clone())
}

/// Those that execute.
///
/// # Errors
/// None.
pub fn executing(instance: &Instance) -> Outcome<Members> {
    Ok(instance.image.executing().members().clone())
}

/// The images `lower` to `upper` in steps, counted from 1.
///
/// # Errors
/// For numbers that no image has.
pub fn numbered(
    lower: c_int,
    upper: c_int,
    step: c_int,
) -> impl FnOnce(&Instance) -> Outcome<Members> {
    move |instance| {
        let all = Nodes::row(&entire(instance)?, Order::Fortran, Kind::Entire);
        let triplet = [Some((lower.into(), upper.into(), step.into()))];
        let part = all.section(&subscripts(&triplet)?, instance.image.rank())?;
        Ok(part.members().clone())
    }
}

/// `nodes p(4,2)`.
///
/// # Safety
/// The pointers are valid, and the arguments those of the declaration.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_omni_init_nodes_static_global(
    place: *mut Descriptor,
    dims: c_int,
    arguments: *mut Arguments,
) {
    // SAFETY: the caller's guarantee.
    unsafe { declare(place, (dims, Places::None), arguments, (Kind::Entire, entire)) }
}

/// `nodes p(4,*)`.
///
/// # Safety
/// As [`xmprt_omni_init_nodes_static_global`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_omni_init_nodes_dynamic_global(
    place: *mut Descriptor,
    dims: c_int,
    arguments: *mut Arguments,
) {
    // SAFETY: the caller's guarantee.
    unsafe { declare(place, (dims, Places::EachStar), arguments, (Kind::Entire, entire)) }
}

/// `nodes p(4,2)=*`.
///
/// # Safety
/// As [`xmprt_omni_init_nodes_static_global`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_omni_init_nodes_static_exec(
    place: *mut Descriptor,
    dims: c_int,
    arguments: *mut Arguments,
) {
    // SAFETY: the caller's guarantee.
    unsafe { declare(place, (dims, Places::None), arguments, (Kind::Executing, executing)) }
}

/// `nodes p(4,*)=*`.
///
/// # Safety
/// As [`xmprt_omni_init_nodes_static_global`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_omni_init_nodes_dynamic_exec(
    place: *mut Descriptor,
    dims: c_int,
    arguments: *mut Arguments,
) {
    // SAFETY: the caller's guarantee.
    unsafe { declare(place, (dims, Places::Last), arguments, (Kind::Executing, executing)) }
}

/// Nodes of the images with some numbers.
///
/// # Safety
/// As [`xmprt_omni_init_nodes_static_global`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_omni_init_nodes_static_number(
    place: *mut Descriptor,
    dims: c_int,
    lower: c_int,
    upper: c_int,
    step: c_int,
    arguments: *mut Arguments,
) {
    let of = (Kind::Equivalenced, numbered(lower, upper, step));
    // SAFETY: the caller's guarantee.
    unsafe { declare(place, (dims, Places::None), arguments, of) }
}

/// As [`xmprt_omni_init_nodes_static_number`], the last size free.
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_omni_init_nodes_dynamic_number(
    place: *mut Descriptor,
    dims: c_int,
    lower: c_int,
    upper: c_int,
    step: c_int,
    arguments: *mut Arguments,
) {
    let of = (Kind::Equivalenced, numbered(lower, upper, step));
    // SAFETY: the caller's guarantee.
    unsafe { declare(place, (dims, Places::Last), arguments, of) }
}
