//! The fast path to an element, or to consecutive elements, where all that a chain leads through is memory of this host.
//!
//! It allocates nothing and plans nothing, because programs read components element by element, and exchange short blocks. Unusual
//! and wrong chains are left to [`super::walk`], which finds the same place or reports the error.

use super::coindexed::Coindexed;
use super::types::{Array, Component, DimensionSelection, Step, mode};
use crate::gfortran_abi::{Descriptor, Dim, MAX_RANK};
use crate::gnu::token::{Token, all_running};
use crate::process::current;
use std::ffi::c_int;

/// Memory of a coindexed object on this host.
pub struct Piece {
    pub start: *mut u8,
    /// Bytes.
    pub len: usize,
}

/// The memory of a coindexed object in one piece, if it has the type, kind, length and shape of the local object beside it, which
/// is in one piece, too: the bytes are copied as they are. `None` if the slow path has to find it.
pub fn beside(object: &Coindexed<'_>, local: &Descriptor, local_kind: c_int) -> Option<Piece> {
    let dtype = &local.dtype;
    let alike = object.kind == local_kind && object.basic == c_int::from(dtype.basic);
    if !alike || dtype.elem_len == 0 || local.base.is_null() || !all_running() {
        return None;
    }
    let way = find(object, dtype.elem_len)?;
    let len = match (dtype.rank, way.elements) {
        (0, Elements::One) => dtype.elem_len,
        (1, Elements::Many { number, unit }) => {
            let [dim] = local.dims() else { return None };
            let in_one_piece = dim.stride == 1 && local.unit() == unit;
            if !in_one_piece || dim.extent() != number || unit != dtype.elem_len as i64 {
                return None;
            }
            number.checked_mul(dtype.elem_len)?
        }
        _ => return None,
    };
    (len as u64 <= way.left).then_some(Piece { start: way.at, len })
}

/// The way to an object whose elements have this length.
#[inline(always)]
fn find<'a>(object: &Coindexed<'a>, elem_len: usize) -> Option<Walk<'a>> {
    let token = object.token?;
    // There is an instance where there is a token.
    let image = &current()?.image;
    let segment = image.stack().segment_of_index(object.image)?;
    let mut way = Walk {
        at: segment.wrapping_add(token.block.offset as usize),
        left: token.block.size,
        array: Bounds::Own(token),
        elements: Elements::One,
        segment,
        stride: image.job().geometry().stride,
    };
    let mut item_size = 0;
    let mut next = object.refs;
    while let Some(reference) = next {
        let Elements::One = way.elements else { return None };
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
    (item_size == elem_len).then_some(way)
}

/// The references that were followed so far.
struct Walk<'a> {
    at: *mut u8,
    /// Bytes of the coarray from there on; no limit where a pointer was followed.
    left: u64,
    array: Bounds<'a>,
    elements: Elements,
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

/// What the way has led to.
#[derive(Clone, Copy)]
enum Elements {
    One,
    /// Consecutive ones, at this distance in bytes; more than none.
    Many {
        number: usize,
        unit: i64,
    },
}

impl Walk<'_> {
    #[inline(always)]
    fn forward(&mut self, bytes: i64) -> Option<()> {
        let limited = self.left != u64::MAX;
        if limited {
            self.left = self.left.checked_sub(u64::try_from(bytes).ok()?)?;
        }
        self.at = self.at.wrapping_offset(bytes as isize);
        Some(())
    }

    #[inline(always)]
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

    #[inline(always)]
    fn array(&mut self, subscripts: &Array) -> Option<()> {
        let (dims, unit) = match std::mem::replace(&mut self.array, Bounds::None) {
            Bounds::Own(token) => {
                let rank = subscripts.mode.iter().position(|&how| how == mode::NONE)?;
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
        for number in 0..MAX_RANK {
            if subscripts.mode[number] == mode::NONE {
                break;
            }
            // SAFETY: the array has as many dimensions as there are subscripts.
            let dim: Dim = unsafe { *dims.add(number) };
            let first = match subscripts.subscript(number) {
                DimensionSelection::Range(mode::SINGLE, range) => range.start,
                // Elements of other dimensions are not consecutive.
                given if number == 0 => self.section(&given, &dim, unit)?,
                _ => return None,
            };
            if !(dim.lower..=dim.upper).contains(&first) {
                return None;
            }
            let distance = (first as i64).checked_sub(dim.lower as i64)?;
            strides = strides.checked_add(distance.checked_mul(dim.stride as i64)?)?;
        }
        self.forward(strides.checked_mul(unit)?)
    }

    /// To several elements of the first dimension. Returns the subscript of the first one.
    fn section(&mut self, subscript: &DimensionSelection, dim: &Dim, unit: i64) -> Option<isize> {
        let DimensionSelection::Range(how, range) = *subscript else { return None };
        let (first, last) = match how {
            mode::FULL => (dim.lower, dim.upper),
            mode::RANGE => (range.start, range.end),
            mode::OPEN_END => (range.start, dim.upper),
            mode::OPEN_START => (dim.lower, range.end),
            _ => return None,
        };
        let every = range.stride == 1 || how == mode::FULL && range.stride == 0;
        if !every || dim.stride != 1 || last < first || last > dim.upper {
            return None;
        }
        let number = last.abs_diff(first).checked_add(1)?;
        self.elements = Elements::Many { number, unit };
        Some(first)
    }

    fn static_array(&mut self, subscripts: &Array, item_size: usize) -> Option<()> {
        self.array = Bounds::None;
        let mut elements = 0i64;
        for number in 0..MAX_RANK {
            if subscripts.mode[number] == mode::NONE {
                break;
            }
            let DimensionSelection::Range(mode::SINGLE, range) = subscripts.subscript(number)
            else {
                return None;
            };
            elements = elements.checked_add(range.start as i64)?;
        }
        self.forward(elements.checked_mul(i64::try_from(item_size).ok()?)?)
    }
}
