//! The fast paths to one element of an array component, `a[i]%x(j)`, in a segment: programs read and write components element by
//! element, so they execute nothing but what this chain needs. All others are left to [`super::piece`] and [`super::walk`].

use super::coindexed::Coindexed;
use super::types::{DimensionSelection, Step, mode};
use crate::gfortran_abi::{Descriptor, Dim};
use crate::gnu::token::Token;
use crate::process::{Instance, current};
use std::ffi::c_int;
use std::mem::MaybeUninit;
use xmp_coarray::front_end::Location;
use xmp_core::Image;

/// What a chain to an element says.
struct Chain<'a> {
    token: &'a Token,
    /// Bytes from the start of the coarray to the component.
    component: isize,
    subscript: isize,
}

impl<'a> Chain<'a> {
    /// The chain of an object, if it is that of an element that has the type, kind and length of the local scalar beside it, so that
    /// the bytes are copied as they are.
    #[inline(always)]
    fn of(object: &Coindexed<'a>, local: &Descriptor, local_kind: c_int) -> Option<Chain<'a>> {
        let dtype = &local.dtype;
        let is_alike = object.kind == local_kind && object.basic == c_int::from(dtype.basic);
        let first = object.refs?;
        let last = first.next?;
        let (Step::Component(component), Step::Array(subscripts)) = (first.step(), last.step())
        else {
            return None;
        };
        let has_one_subscript =
            subscripts.mode[0] == mode::SINGLE && subscripts.mode[1] == mode::NONE;
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
        Some(Chain { token, component: component.offset, subscript: range.start })
    }

    /// Whether `len` bytes of the component are in the coarray, and every image is running.
    #[inline(always)]
    fn is_usual(&self, image: &Image, len: usize) -> bool {
        let end = (self.component as u64).checked_add(len as u64);
        image.all_running() && end.is_some_and(|end| end <= self.token.block.size)
    }

    /// Bytes from the first element of an array to the element, if it has such an element. A stride of 1 means `unit` bytes.
    #[inline(always)]
    fn distance(&self, unit: i64, dim: &Dim) -> Option<isize> {
        if self.subscript < dim.lower || self.subscript > dim.upper {
            return None;
        }
        // An array has less than 2^63 bytes.
        let elements = self.subscript.wrapping_sub(dim.lower).wrapping_mul(dim.stride);
        Some(elements.wrapping_mul(unit as isize))
    }
}

/// The address of the element in memory of this host, if it is like the local scalar beside it; `None` if another path has to find
/// it.
#[inline(always)]
pub fn beside(object: &Coindexed<'_>, local: &Descriptor, local_kind: c_int) -> Option<*mut u8> {
    let chain = Chain::of(object, local, local_kind)?;
    // There is an instance where there is a token.
    let image = &current()?.image;
    if !chain.is_usual(image, size_of::<usize>()) {
        return None;
    }
    let segment = image.stack().segment_of_index(object.image)?;
    let block = chain.token.block.offset as usize;
    let place = segment.wrapping_add(block).wrapping_offset(chain.component);
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
    Some(segment.wrapping_add(offset).wrapping_offset(chain.distance(unit, &dim)?))
}

/// The descriptor of an array of one dimension.
#[repr(C)]
struct Vector {
    header: Descriptor,
    dim: Dim,
}

/// The place of the element in the segment of an image of another host, if it is like the local scalar beside it; `None` if another
/// path has to find it, or to report an error. The descriptor is that of a line, mostly ([`xmp_core::line_cache`]).
#[inline(never)]
pub fn elsewhere(
    instance: &Instance,
    object: &Coindexed<'_>,
    local: &Descriptor,
    local_kind: c_int,
) -> Option<Location> {
    let image = &instance.image;
    let chain = Chain::of(object, local, local_kind)?;
    if !chain.is_usual(image, size_of::<Vector>()) {
        return None;
    }
    let rank = image.stack().rank_of_index(object.image)?;
    if image.local_address(rank, 0).is_some() {
        return None;
    }
    let at = chain.token.block.offset.wrapping_add_signed(chain.component as i64);
    let mut descriptor = MaybeUninit::<Vector>::zeroed();
    let into = descriptor.as_mut_ptr().cast();
    // SAFETY: the compiler has made a descriptor of one dimension there, in the coarray as checked, and its image does not change it
    // meanwhile (Fortran's segment rules). Any bytes are one.
    let Vector { header, dim } = unsafe {
        image.transport().get_descriptor(rank, at, into, size_of::<Vector>()).ok()?;
        descriptor.assume_init()
    };
    let offset = image.locate_of(rank, header.base.cast())?;
    let distance = chain.distance(header.unit(), &dim)?;
    Some(Location { rank, offset: offset.wrapping_add_signed(distance as i64) })
}
