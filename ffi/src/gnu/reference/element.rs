//! The fast path to one element, where all that a chain leads through is memory of this host.
//!
//! It allocates nothing and copies nothing, because programs read components element by element. Unusual and wrong
//! chains are left to [`super::walk`], which finds the same place or reports the error.

use super::coindexed::Coindexed;
use super::types::{Array, Component, Given, Step, mode};
use crate::gfortran_abi::{Descriptor, Dim};
use crate::gnu::token::{Token, all_running};
use crate::process::current;

/// The address of a coindexed object, if it is a scalar of the type, kind and length of the local scalar beside it, so
/// that the bytes are copied as they are; `None` if the slow path has to find it.
pub fn beside(object: &Coindexed<'_>, local: &Descriptor, local_kind: i32) -> Option<*mut u8> {
    let dtype = &local.dtype;
    let alike = object.kind == local_kind && object.basic == i32::from(dtype.basic);
    if !alike || dtype.rank != 0 || local.base.is_null() || !all_running() {
        return None;
    }
    find(object, dtype.elem_len)
}

fn find(object: &Coindexed<'_>, len: usize) -> Option<*mut u8> {
    let token = object.token?;
    // There is an instance where there is a token.
    let image = &current()?.image;
    let segment = image.stack().segment_of_index(object.image)?;
    let mut way = Way {
        at: segment.wrapping_add(token.block.offset as usize),
        left: token.block.size,
        array: Bounds::Own(token),
        segment,
        stride: image.job().geometry().stride,
    };
    let mut item_size = 0;
    let mut next = object.refs;
    while let Some(reference) = next {
        let item = reference.item_size;
        match reference.step() {
            Step::Component(component) => {
                way.component(component)?;
                item_size = item;
            }
            Step::Array(subscripts) => way.array(subscripts)?,
            Step::StaticArray(subscripts) => way.static_array(subscripts, item)?,
            Step::Other(_) => return None,
        }
        if item != 0 {
            item_size = item;
        }
        next = reference.next;
    }
    (item_size == len && len as u64 <= way.left).then_some(way.at)
}

/// The way so far.
struct Way<'a> {
    at: *mut u8,
    /// Bytes of the coarray from there on; no limit where a pointer was followed.
    left: u64,
    array: Bounds<'a>,
    /// The image's segment, and its length.
    segment: *mut u8,
    stride: u64,
}

/// Where the bounds of the array are that begins here.
enum Bounds<'a> {
    Own(&'a Token),
    Descriptor(*const Descriptor),
    None,
}

impl Way<'_> {
    fn forward(&mut self, bytes: i64) -> Option<()> {
        let limited = self.left != u64::MAX;
        if limited {
            self.left = self.left.checked_sub(u64::try_from(bytes).ok()?)?;
        }
        self.at = self.at.wrapping_offset(bytes as isize);
        Some(())
    }

    fn component(&mut self, component: Component) -> Option<()> {
        self.forward(component.offset as i64)?;
        self.array = Bounds::None;
        if component.token_offset == 0 {
            return Some(());
        }
        if self.left < size_of::<usize>() as u64 {
            return None;
        }
        // SAFETY: in the coarray, or in memory that its image has allocated, and not changed meanwhile (Fortran's
        // segment rules). An address comes first.
        let address = unsafe { self.at.cast::<usize>().read() };
        let offset = address.wrapping_sub(self.segment.addr());
        if offset as u64 >= self.stride {
            return None;
        }
        self.array = Bounds::Descriptor(self.at.cast());
        self.at = self.segment.wrapping_add(offset);
        self.left = u64::MAX;
        Some(())
    }

    fn array(&mut self, subscripts: &Array) -> Option<()> {
        let rank = rank(subscripts)?;
        let (dims, unit) = match std::mem::replace(&mut self.array, Bounds::None) {
            Bounds::Own(token) => {
                let shape = token.shape.get().filter(|shape| shape.dims.len() == rank)?;
                (shape.dims.as_ptr(), shape.unit)
            }
            // SAFETY: the compiler has made a descriptor in front of the component's array.
            Bounds::Descriptor(descriptor) => unsafe {
                (Descriptor::dims_of(descriptor.cast_mut()).cast_const(), (*descriptor).unit())
            },
            Bounds::None => return None,
        };
        let mut strides = 0i64;
        for number in 0..rank {
            let subscript = start(subscripts, number)?;
            // SAFETY: the array has `rank` dimensions.
            let dim: Dim = unsafe { *dims.add(number) };
            if !(dim.lower..=dim.upper).contains(&subscript) {
                return None;
            }
            let distance = (subscript as i64).checked_sub(dim.lower as i64)?;
            strides = strides.checked_add(distance.checked_mul(dim.stride as i64)?)?;
        }
        self.forward(strides.checked_mul(unit)?)
    }

    fn static_array(&mut self, subscripts: &Array, item_size: usize) -> Option<()> {
        self.array = Bounds::None;
        let mut elements = 0i64;
        for number in 0..rank(subscripts)? {
            elements = elements.checked_add(start(subscripts, number)? as i64)?;
        }
        self.forward(elements.checked_mul(i64::try_from(item_size).ok()?)?)
    }
}

/// Number of subscripts, if each is a single one.
#[inline]
fn rank(subscripts: &Array) -> Option<usize> {
    let rank = subscripts.mode.iter().position(|&how| how != mode::SINGLE)?;
    (subscripts.mode[rank] == mode::NONE).then_some(rank)
}

/// The subscript of a dimension that has a single one.
#[inline(always)]
fn start(subscripts: &Array, number: usize) -> Option<isize> {
    match subscripts.subscript(number) {
        Given::Range(_, range) => Some(range.start),
        Given::Vector(_) => None,
    }
}
