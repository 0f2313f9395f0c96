//! The fast path to one element of an array component, `a[i]%x(j)`, in memory of this host: programs read and write components
//! element by element, so it executes nothing but what this chain needs. All others are left to [`super::piece`].

use super::coindexed::Coindexed;
use super::types::{DimensionSelection, Step, mode};
use crate::gfortran_abi::Descriptor;
use crate::process::current;
use std::ffi::c_int;

/// The address of the element, if it has the type, kind and length of the local scalar beside it, so that the bytes are copied as
/// they are; `None` if another path has to find it.
#[inline(always)]
pub fn beside(object: &Coindexed<'_>, local: &Descriptor, local_kind: c_int) -> Option<*mut u8> {
    let dtype = &local.dtype;
    let is_alike = object.kind == local_kind && object.basic == c_int::from(dtype.basic);
    let first = object.refs?;
    let last = first.next?;
    let (Step::Component(component), Step::Array(subscripts)) = (first.step(), last.step()) else {
        return None;
    };
    let has_one_subscript = subscripts.mode[0] == mode::SINGLE && subscripts.mode[1] == mode::NONE;
    let is_element = is_alike
        && dtype.rank == 0
        && last.item_size == dtype.elem_len
        && dtype.elem_len != 0
        && last.next.is_none()
        && has_one_subscript
        && component.token_offset != 0
        && !local.base.is_null();
    if !is_element {
        return None;
    }
    let DimensionSelection::Range(_, range) = subscripts.subscript(0) else { return None };
    let token = object.token?;
    // There is an instance where there is a token.
    let image = &current()?.image;
    let end = (component.offset as u64).checked_add(size_of::<usize>() as u64)?;
    if !image.all_running() || end > token.block.size {
        return None;
    }
    let segment = image.stack().segment_of_index(object.image)?;
    let place = segment.wrapping_add(token.block.offset as usize).wrapping_offset(component.offset);
    let descriptor = place.cast::<Descriptor>();
    // SAFETY: the address of a component's array comes first. It is in the coarray, as checked, and does not change meanwhile
    // (Fortran's segment rules).
    let address = unsafe { place.cast::<usize>().read() };
    let offset = address.wrapping_sub(segment.addr());
    if offset as u64 >= image.job().geometry().stride {
        return None;
    }
    // SAFETY: the compiler has made a descriptor in front of the component's array, which is allocated or associated.
    let (unit, dim) = unsafe { ((*descriptor).unit(), *Descriptor::dims_of(descriptor)) };
    let subscript = range.start;
    if subscript < dim.lower || subscript > dim.upper {
        return None;
    }
    // An array has less than 2^63 bytes.
    let elements = subscript.wrapping_sub(dim.lower).wrapping_mul(dim.stride);
    Some(segment.wrapping_add(offset).wrapping_offset(elements.wrapping_mul(unit as isize)))
}
