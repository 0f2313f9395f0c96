//! `nodes` (XcalableMP 1.4, 4.3.1).
//!
//! The variable arguments are sizes, where `*` is -1, and places that the program reads: sizes that it could not know,
//! and its own coordinates from 0.

use crate::omni::arguments::Arguments;
use crate::omni::error::{Outcome, Wrong, done};
use crate::omni::executing;
use crate::omni::objects::{
    Descriptor, Equivalence, NodeSet, Object, Triplets, hand_out, sized, subscripts,
};
use crate::process::{Instance, instance};
use smallvec::SmallVec;
use std::ffi::c_int;
use std::rc::Rc;
use xmp_core::global::{Kind, Nodes, Order, Size};
use xmp_core::image_set::Members;

/// A size as the program writes it.
///
/// # Errors
/// When it is neither -1 nor positive.
pub fn size(size: c_int) -> Outcome<Size> {
    match size {
        -1 => Ok(Size::Star),
        size => match usize::try_from(size) {
            Ok(size) if size > 0 => Ok(Size::Nodes(size)),
            _ => Err(Wrong::because(format!("a dimension of {size} nodes"))),
        },
    }
}

/// Number of dimensions of a declaration.
pub(super) fn dimensions(dims: c_int) -> Outcome<usize> {
    match usize::try_from(dims) {
        Ok(dims) if dims > 0 => Ok(dims),
        _ => Err(Wrong::because(format!("{dims} dimensions"))),
    }
}

/// Dimensions whose sizes the program wants to know, and where.
type Wanted = SmallVec<[(usize, *mut c_int); 2]>;

/// Reads sizes; after each `*` comes a place for the size if `places`.
///
/// # Safety
/// The arguments are those of `dims` dimensions.
unsafe fn read_sizes(
    arguments: &mut Arguments,
    dims: usize,
    places: bool,
) -> Outcome<(Vec<Size>, Wanted)> {
    let mut sizes = Vec::with_capacity(dims);
    let mut wanted = SmallVec::new();
    for dim in 0..dims {
        // SAFETY: the caller's guarantee.
        let next = size(unsafe { arguments.integer() })?;
        if places && next == Size::Star {
            // SAFETY: as above.
            wanted.push((dim, unsafe { arguments.pointer() }));
        }
        sizes.push(next);
    }
    Ok((sizes, wanted))
}

/// Writes the sizes that are wanted and, from the arguments that are left, all coordinates.
///
/// # Safety
/// The places are valid; the arguments are places for all coordinates.
unsafe fn answer(arguments: &mut Arguments, wanted: &[(usize, *mut c_int)], nodes: &NodeSet) {
    for &(dim, place) in wanted {
        // SAFETY: the caller's guarantee.
        unsafe { place.write(nodes.nodes.shape()[dim] as c_int) };
    }
    for dim in 0..nodes.nodes.shape().len() {
        // SAFETY: as above.
        unsafe { arguments.pointer::<c_int>().write(nodes.coord(dim) as c_int) };
    }
}

/// Nodes of a set of images.
///
/// # Safety
/// `place` is valid; the arguments are those of the declaration.
unsafe fn declare(
    operation: &str,
    place: *mut Descriptor,
    (dims, places): (c_int, bool),
    arguments: *mut Arguments,
    (kind, of): (Kind, impl FnOnce(&Instance) -> Outcome<Members>),
) {
    done(operation, || {
        let instance = instance();
        // SAFETY: the caller's guarantee.
        let arguments = unsafe { &mut *arguments };
        // SAFETY: as above.
        let (mut sizes, wanted) = unsafe { read_sizes(arguments, dimensions(dims)?, places)? };
        let members = of(instance)?;
        sized(&mut sizes, kind, members.len())?;
        let nodes = Nodes::new(&sizes, Order::Fortran, kind, &members)?;
        let nodes = Object::new(NodeSet::new(&instance.image, nodes));
        // SAFETY: as above.
        unsafe {
            answer(arguments, &wanted, &nodes);
            hand_out(place, nodes)
        }
    });
}

/// As [`declare`], of sizes where the last one is free and has a place behind them all.
///
/// # Safety
/// As there.
unsafe fn declare_dynamic(
    operation: &str,
    place: *mut Descriptor,
    dims: c_int,
    arguments: *mut Arguments,
    (kind, of): (Kind, impl FnOnce(&Instance) -> Outcome<Members>),
) {
    done(operation, || {
        let instance = instance();
        // SAFETY: the caller's guarantee.
        let arguments = unsafe { &mut *arguments };
        let last = dimensions(dims)? - 1;
        // SAFETY: as above.
        let (mut sizes, _) = unsafe { read_sizes(arguments, last, false)? };
        sizes.push(Size::Star);
        let members = of(instance)?;
        sized(&mut sizes, kind, members.len())?;
        let nodes = Nodes::new(&sizes, Order::Fortran, kind, &members)?;
        let nodes = Object::new(NodeSet::new(&instance.image, nodes));
        // SAFETY: as above.
        unsafe {
            let wanted = arguments.pointer();
            answer(arguments, &[(last, wanted)], &nodes);
            hand_out(place, nodes)
        }
    });
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
    unsafe { declare("nodes", place, (dims, false), arguments, (Kind::Entire, entire)) }
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
    unsafe { declare("nodes", place, (dims, true), arguments, (Kind::Entire, entire)) }
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
    unsafe { declare("nodes", place, (dims, false), arguments, (Kind::Executing, executing)) }
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
    unsafe { declare_dynamic("nodes", place, dims, arguments, (Kind::Executing, executing)) }
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
    unsafe { declare("nodes", place, (dims, false), arguments, of) }
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
    unsafe { declare_dynamic("nodes", place, dims, arguments, of) }
}

/// Reads a reference to nodes: for each dimension whether it is `*`, else first, last and step.
///
/// # Safety
/// The arguments are those of so many dimensions.
pub(super) unsafe fn read_reference(arguments: &mut Arguments, dims: usize) -> Triplets {
    let mut read = || {
        // SAFETY: the caller's guarantee.
        unsafe {
            if arguments.integer() != 0 {
                return None;
            }
            let mut next = || i64::from(arguments.integer());
            Some((next(), next(), next()))
        }
    };
    (0..dims).map(|_| read()).collect()
}

/// `nodes q(..)=p(..)`.
///
/// # Safety
/// As [`xmprt_omni_init_nodes_static_global`]; `of` describes nodes.
unsafe fn declare_part(
    place: *mut Descriptor,
    (dims, dynamic): (c_int, bool),
    of: Descriptor,
    arguments: *mut Arguments,
) {
    let operation = "nodes";
    done(operation, || {
        // SAFETY: the caller's guarantee.
        let (of, reference) = unsafe {
            let of = Object::<NodeSet>::shared(of)?;
            let reference = read_reference(&mut *arguments, of.nodes.shape().len());
            (of, reference)
        };
        let subscripts = subscripts(&reference)?;
        let own = instance().image.rank();
        let needs_own = reference.contains(&None) && of.coords.is_none();
        // An image outside has no part of its own; any other's has the right shape.
        let own = if needs_own { of.nodes.members().rank(0).unwrap_or(own) } else { own };
        let part = of.nodes.section(&subscripts, own)?;
        let equivalence = Equivalence { of, subscripts: subscripts.into_vec() };
        // SAFETY: as above.
        unsafe { declare_members(place, (dims, dynamic), arguments, &part, equivalence) }
    });
}

/// # Safety
/// As [`declare_part`].
unsafe fn declare_members(
    place: *mut Descriptor,
    (dims, dynamic): (c_int, bool),
    arguments: *mut Arguments,
    part: &Nodes,
    equivalence: Equivalence,
) -> Outcome {
    let image = &instance().image;
    // SAFETY: the caller's guarantee.
    let arguments = unsafe { &mut *arguments };
    let dims = dimensions(dims)?;
    // SAFETY: as above.
    let (mut sizes, _) = unsafe { read_sizes(arguments, dims - usize::from(dynamic), false)? };
    if dynamic {
        sizes.push(Size::Star);
    }
    let nodes = Nodes::new(&sizes, Order::Fortran, Kind::Equivalenced, part.members())?;
    let family = equivalence.family(&nodes)?;
    let nodes = NodeSet::new(image, nodes).one_of(family).part_of(equivalence);
    let nodes: Rc<Object<NodeSet>> = Object::new(nodes);
    // SAFETY: as above.
    unsafe {
        let mut wanted = SmallVec::<[(usize, *mut c_int); 1]>::new();
        if dynamic {
            wanted.push((dims - 1, arguments.pointer()));
        }
        answer(arguments, &wanted, &nodes);
        hand_out(place, nodes)
    }
}

/// `nodes q(2,2)=p(..)`.
///
/// # Safety
/// As [`xmprt_omni_init_nodes_static_global`]; `of` describes nodes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_omni_init_nodes_static_named(
    place: *mut Descriptor,
    dims: c_int,
    of: Descriptor,
    arguments: *mut Arguments,
) {
    // SAFETY: the caller's guarantee.
    unsafe { declare_part(place, (dims, false), of, arguments) }
}

/// `nodes q(2,*)=p(..)`.
///
/// # Safety
/// As [`xmprt_omni_init_nodes_static_named`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_omni_init_nodes_dynamic_named(
    place: *mut Descriptor,
    dims: c_int,
    of: Descriptor,
    arguments: *mut Arguments,
) {
    // SAFETY: the caller's guarantee.
    unsafe { declare_part(place, (dims, true), of, arguments) }
}

/// The end of a declaration.
///
/// # Safety
/// `nodes` is null or describes nodes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _XMP_finalize_nodes(nodes: Descriptor) {
    if !nodes.is_null() {
        // SAFETY: the caller's guarantee.
        done("nodes", || unsafe { Object::<NodeSet>::release(nodes) });
    }
}

/// The executing nodes.
#[unsafe(no_mangle)]
pub extern "C" fn _XMP_get_execution_nodes() -> Descriptor {
    executing::nodes(instance()).address()
}

/// The number of this image among the executing nodes, from 0.
#[unsafe(no_mangle)]
pub extern "C" fn _XMP_get_execution_nodes_rank() -> c_int {
    instance().image.stack().here().0 as c_int - 1
}
