//! Inquiry functions (XcalableMP 1.4, 4.8.2), as Omni has them: dimensions count from 1, and those of templates and nodes
//! from the one that runs fastest. They return 0, or -1 where there is no answer, and then nothing is written.

use crate::omni::error::{Outcome, Wrong};
use crate::omni::objects::{ArrayObject, Descriptor, Dim, NodeSet, Object, TemplateObject};
use crate::process::instance;
use std::ffi::c_int;
use std::rc::Rc;
use xmp_core::global::{Array, Axis, Coords, Distribution, Format};

/// Defines inquiries whose answer is written to a place.
macro_rules! written {
    ($($(#[$doc:meta])* $name:ident($($dim:ident)?) $of:ident |$($arg:ident),*| $answer:expr;)*) => { $(
        $(#[$doc])*
        ///
        /// # Safety
        /// The descriptor is one of the right kind, the place is valid.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            descriptor: Descriptor,
            $($dim: c_int,)?
            place: *mut c_int,
        ) -> c_int {
            let _entered = crate::process::enter();
            // SAFETY: the caller's guarantee.
            unsafe {
                let value: Outcome<i64> = $of(descriptor, $($dim,)? |$($arg),*| $answer);
                told(value, |value| place.write(value as c_int))
            }
        }
    )* };
}

/// Defines inquiries that return their answer.
macro_rules! returned {
    ($($(#[$doc:meta])* $name:ident $of:ident |$($arg:ident),*| $answer:expr;)*) => { $(
        $(#[$doc])*
        ///
        /// # Safety
        /// The descriptor is one of the right kind.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(descriptor: Descriptor, dim: c_int) -> c_int {
            // SAFETY: the caller's guarantee.
            unsafe {
                let answer = || $of(descriptor, dim, |$($arg),*| $answer);
                let value: i64 = done(stringify!($name), answer);
                value as c_int
            }
        }
    )* };
}

mod align;
mod array;
mod nodes;
mod template;

pub use align::*;
pub use array::*;
pub use nodes::*;
pub use template::*;

/// What an inquiry returns: 0 after its answer was written, else -1.
fn told<T>(answer: Outcome<T>, write: impl FnOnce(T)) -> c_int {
    match answer {
        Ok(answer) => {
            write(answer);
            0
        }
        Err(_) => -1,
    }
}

/// A dimension counted from 1, of so many.
fn dimension(dim: c_int, dims: usize) -> Outcome<usize> {
    match usize::try_from(i64::from(dim) - 1) {
        Ok(index) if index < dims => Ok(index),
        _ => Err(Wrong::because(format!("there is no dimension {dim}, but {dims} of them"))),
    }
}

/// An array, and what is asked of it.
///
/// # Safety
/// `descriptor` describes one.
unsafe fn of_array<T>(
    descriptor: Descriptor,
    answer: impl FnOnce(&ArrayObject) -> Outcome<T>,
) -> Outcome<T> {
    // SAFETY: the caller's guarantee.
    answer(unsafe { Object::<ArrayObject>::of(descriptor)? })
}

/// The same of one of its dimensions.
///
/// # Safety
/// As [`of_array`].
unsafe fn of_dim<T>(
    descriptor: Descriptor,
    dim: c_int,
    answer: impl FnOnce(&ArrayObject, usize, Dim) -> Outcome<T>,
) -> Outcome<T> {
    // SAFETY: the caller's guarantee.
    unsafe {
        of_array(descriptor, |array| {
            let index = dimension(dim, array.ndims())?;
            answer(array, index, array.dim(index)?)
        })
    }
}

/// A template, and what is asked of it.
///
/// # Safety
/// `descriptor` describes one.
unsafe fn of_template<T>(
    descriptor: Descriptor,
    answer: impl FnOnce(&TemplateObject) -> Outcome<T>,
) -> Outcome<T> {
    // SAFETY: the caller's guarantee.
    answer(unsafe { Object::<TemplateObject>::of(descriptor)? })
}

/// The same of one of its dimensions.
///
/// # Safety
/// As [`of_template`].
unsafe fn of_axis<T>(
    descriptor: Descriptor,
    dim: c_int,
    answer: impl FnOnce(&TemplateObject, usize, &Axis) -> Outcome<T>,
) -> Outcome<T> {
    // SAFETY: the caller's guarantee.
    unsafe {
        of_template(descriptor, |template| {
            let distribution = template.distribution()?;
            let index = dimension(dim, template.ndims())?;
            answer(template, index, &distribution.axes()[index])
        })
    }
}

/// Nodes, and what is asked of them.
///
/// # Safety
/// `descriptor` describes some.
unsafe fn of_nodes<T>(
    descriptor: Descriptor,
    answer: impl FnOnce(&NodeSet) -> Outcome<T>,
) -> Outcome<T> {
    // SAFETY: the caller's guarantee.
    answer(unsafe { Object::<NodeSet>::of(descriptor)? })
}

/// What this image stores of an array.
fn here(array: &ArrayObject) -> Outcome<(Rc<Array>, Option<Coords>)> {
    let mapping = array.mapping()?;
    let coords = mapping.coords(instance().image.rank());
    Ok((mapping, coords))
}

/// Width of a block of a dimension that is distributed as `format` says; of `*` all, of gblock what this image has.
fn block_size(
    distribution: &Distribution,
    format: Option<Format>,
    index: usize,
    axis: &Axis,
) -> i64 {
    let width = match format {
        // One node has all blocks, but they are as wide as before.
        Some(Format::Cyclic) => Some(1),
        Some(Format::BlockOf(width) | Format::CyclicOf(width)) => Some(width),
        _ => axis.width(),
    };
    width.unwrap_or_else(|| match distribution.coords(instance().image.rank()) {
        Some(coords) => axis.count(distribution.coord(index, &coords)),
        None => 0,
    })
}

/// What a descriptor describes.
///
/// # Safety
/// It is null or one, the place is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_desc_kind(descriptor: Descriptor, kind: *mut c_int) -> c_int {
    if descriptor.is_null() {
        return -1;
    }
    // SAFETY: the caller's guarantee.
    unsafe { kind.write(descriptor.cast::<c_int>().read()) };
    0
}
