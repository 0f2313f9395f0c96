//! The argument of a collective subroutine as contiguous memory.

use crate::gfortran_abi::{Descriptor, Elements, Packed, basic};
use crate::gnu::component::lookup;
use crate::gnu::{debug, designator, variables};
use crate::process::{self, Instance};
use std::ptr;
use xmp_core::{Error, Image, Result};
use xmp_source::PlainType;

/// Bytes that memory of `malloc` may be longer than was asked for: the least that it gives is 24.
const ALLOCATED_MORE: usize = 24;

/// The elements of an argument that the collective reads, one after the other.
///
/// # Errors
/// Data that is not there, sizes that overflow, no memory to pack.
pub fn packed(descriptor: &Descriptor) -> Result<Packed> {
    // The bounds of what is not allocated are anything, also those of an array without elements, which has an address if it is allocated.
    if descriptor.base.is_null() {
        let place = process::place();
        let name = place.and_then(|place| designator::collective_argument(&place));
        let name = name.as_deref().unwrap_or("the argument");
        return Err(Error::Invalid(format!("{name} is not allocated on this image")));
    }
    Packed::new(Elements::array(descriptor, descriptor.dtype.elem_len)?)
}

/// Whether an argument of co_broadcast may be an allocatable component, of an object that is broadcast as a whole, which is not
/// allocated. The compiler describes one by a scalar or a vector from 1 on, whose length is anything, on the stack. It describes a
/// scalar variable in the same way, and a vector that was allocated before; these are known by debugging information alone. A character
/// variable is a scalar, and a character component a vector.
pub fn is_absent_component(descriptor: &Descriptor, instance: &Instance) -> bool {
    let (is_described, may_be_variable) = match *descriptor.dims() {
        [] => (descriptor.dtype.basic != basic::CHARACTER, true),
        [dim] => {
            let was_allocated = descriptor.offset as isize == -1
                && descriptor.span as usize == descriptor.dtype.elem_len;
            (dim.lower == 1 && dim.stride == 1, was_allocated)
        }
        _ => (false, false),
    };
    descriptor.base.is_null()
        && is_described
        && !variables::is_static(ptr::from_ref(descriptor).cast())
        && !(may_be_variable && is_variable(descriptor, instance))
}

/// Whether the argument is a variable, by debugging information. The compiler may have joined the calls of two statements to one, of which
/// debugging information has one line, so types are compared.
fn is_variable(descriptor: &Descriptor, instance: &Instance) -> bool {
    debug::broadcast_variable(instance).is_some_and(|PlainType { is_array, element }| {
        is_array != descriptor.dims().is_empty()
            && element.is_none_or(|element| element == descriptor.dtype.elem_len as u64)
    })
}

/// The number of elements of an argument that is a scalar or a vector without gaps, and is there; `None` for all
/// others.
#[inline(always)]
pub fn one_piece(descriptor: &Descriptor) -> Option<usize> {
    if descriptor.base.is_null() {
        return None;
    }
    match *descriptor.dims() {
        [] => Some(1),
        [dim] if dim.stride == 1 && descriptor.unit() == descriptor.dtype.elem_len as i64 => {
            Some(dim.extent())
        }
        _ => None,
    }
}

/// The number of elements of an argument that is an allocatable component of an object which is broadcast as a whole;
/// `None` for all others. The compiler gives the elements of such a component, of whatever shape, as a vector from 1
/// on, and says neither its span nor its offset: there is what was there before.
pub fn component(descriptor: &Descriptor, image: &Image) -> Option<usize> {
    let &[dim] = descriptor.dims() else { return None };
    if descriptor.base.is_null() || dim.lower != 1 || dim.stride != 1 {
        return None;
    }
    let (elements, size) = (dim.extent(), descriptor.dtype.elem_len);
    // Other vectors from 1 on, which have gaps if they are pointers, have this offset.
    if descriptor.offset as isize != -1 {
        return Some(elements);
    }
    // Another vector may have been there before. But then memory begins here that has room for the elements and not for
    // gaps; `malloc` gives a few bytes more.
    let memory = lookup::component(image, image.rank(), descriptor.base.addr()).ok()??.size;
    let room = elements.saturating_mul(size).saturating_add(ALLOCATED_MORE);
    (memory <= room).then_some(elements)
}
