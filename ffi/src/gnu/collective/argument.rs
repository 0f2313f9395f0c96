//! The argument of a collective subroutine as contiguous memory.

use crate::gfortran_abi::Descriptor;
use crate::gnu::component::found;
use smallvec::SmallVec;
use xmp_coarray::plan::{Axis, Plan};
use xmp_coarray::transfer::buffer;
use xmp_core::{Error, Image, Result};

/// Bytes that memory of `malloc` may be longer than was asked for: the least that it gives is 24.
const ALLOCATED_MORE: usize = 24;

/// A descriptor's elements, packed if they do not lie together.
pub struct Argument<'a> {
    descriptor: &'a Descriptor,
    axes: SmallVec<[Axis<'static>; 4]>,
    packed: Option<Vec<u8>>,
    elements: usize,
}

impl<'a> Argument<'a> {
    /// The elements of an argument that the collective reads.
    ///
    /// # Errors
    /// Data that is not there, sizes that overflow, no memory to pack.
    pub fn new(descriptor: &'a Descriptor) -> Result<Argument<'a>> {
        let (size, unit) = (descriptor.dtype.elem_len, descriptor.unit());
        let dims = descriptor.dims();
        let mut contiguous = true;
        let mut distance = size as i64;
        let mut axes = SmallVec::new();
        let mut elements = 1usize;
        for dim in dims {
            let stride = (dim.stride as i64).checked_mul(unit).ok_or_else(|| too_large(size))?;
            let extent = dim.extent();
            contiguous &= stride == distance || extent <= 1;
            elements = elements.checked_mul(extent).ok_or_else(|| too_large(size))?;
            distance = distance.saturating_mul(extent as i64);
            axes.push(Axis::Stride { extent, stride });
        }
        let bytes = elements.checked_mul(size).ok_or_else(|| too_large(size))?;
        if bytes > 0 && descriptor.base.is_null() {
            return Err(Error::Invalid(
                "the argument, or an allocatable component of it, is not allocated on this image"
                    .into(),
            ));
        }
        let mut argument = Argument { descriptor, axes, packed: None, elements };
        if !contiguous && bytes > 0 {
            let mut packed = buffer(bytes)?;
            let plan = Plan::pack(size, &argument.axes)?;
            // SAFETY: the plan reads the argument, by the contract of entries, and writes `bytes` bytes.
            unsafe { plan.execute(packed.as_mut_ptr(), descriptor.base.cast())? };
            argument.packed = Some(packed);
        }
        Ok(argument)
    }

    /// The elements, one after the other.
    pub fn data(&mut self) -> *mut u8 {
        match &mut self.packed {
            Some(packed) => packed.as_mut_ptr(),
            None => self.descriptor.base.cast(),
        }
    }

    /// The bytes of the elements.
    pub fn as_bytes(&mut self) -> &[u8] {
        let (data, bytes) = (self.data(), self.bytes());
        if bytes == 0 {
            return &[];
        }
        // SAFETY: so many bytes, packed or of the argument, by the contract of entries.
        unsafe { std::slice::from_raw_parts(data, bytes) }
    }

    /// Makes the elements a copy, so that the collective leaves the argument itself alone.
    ///
    /// # Errors
    /// No memory.
    pub fn set_aside(&mut self) -> Result<()> {
        let bytes = self.bytes();
        if self.packed.is_none() && bytes > 0 {
            let mut copy = buffer(bytes)?;
            // SAFETY: elements that are not packed lie together; the copy has as many bytes.
            unsafe {
                copy.as_mut_ptr().copy_from_nonoverlapping(self.descriptor.base.cast(), bytes);
            }
            self.packed = Some(copy);
        }
        Ok(())
    }

    /// Number of elements.
    pub fn elements(&self) -> usize {
        self.elements
    }

    /// Bytes of all elements.
    pub fn bytes(&self) -> usize {
        self.elements * self.descriptor.dtype.elem_len
    }

    /// Writes packed elements back to the argument.
    ///
    /// # Errors
    /// No memory.
    pub fn store(self) -> Result<()> {
        let Some(packed) = self.packed else { return Ok(()) };
        let plan = Plan::unpack(self.descriptor.dtype.elem_len, &self.axes)?;
        // SAFETY: the plan writes the argument, by the contract of entries, and reads the packed bytes.
        unsafe { plan.execute(self.descriptor.base.cast(), packed.as_ptr()) }
    }
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
    let memory = found::component(image, image.rank(), descriptor.base.addr()).ok()??.size;
    let room = elements.saturating_mul(size).saturating_add(ALLOCATED_MORE);
    (memory <= room).then_some(elements)
}

fn too_large(size: usize) -> Error {
    Error::SizeOverflow(format!("an array of elements of {size} bytes"))
}
