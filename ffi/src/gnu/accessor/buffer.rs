//! Contiguous arrays that accessors read from and write to, and copies between them and arrays of any stride.

use crate::gfortran_abi::{Descriptor, Dim, FullDescriptor, StackDescriptor};
use crate::gnu::transfer::{Resolved, Section, assign, block_of_both};
use crate::process::Instance;
use std::ffi::c_void;
use std::slice;
use xmp_coarray::front_end::plan::copy_block;
use xmp_coarray::front_end::races::{self, AccessedElements};
use xmp_coarray::front_end::transfer::MemoryRef;
use xmp_core::{Error, Result};

/// A descriptor without memory for an array of the same type and shape, in one piece and with lower bounds of 1; and
/// whether the array itself is in one piece.
pub fn in_one_piece(array: &Descriptor) -> (FullDescriptor, bool) {
    let mut is_so = array.unit() == array.dtype.elem_len as i64;
    let mut stride = 1isize;
    let mut like = FullDescriptor::empty();
    like.header.dtype = array.dtype;
    like.header.span = array.dtype.elem_len as isize;
    like.set_dims(array.dims().iter().map(|dim| {
        let (extent, its) = (dim.extent() as isize, stride);
        is_so &= dim.stride == its || extent <= 1;
        stride = its.saturating_mul(extent);
        Dim { stride: its, lower: 1, upper: extent }
    }));
    (like, is_so)
}

/// The descriptor of [`in_one_piece`] for an array that is, with its memory, in `room`. `None` if it is in several pieces. In
/// few instructions for one dimension.
#[inline(always)]
pub fn as_it_lies(array: &Descriptor, room: &mut StackDescriptor) -> Option<*mut Descriptor> {
    let element = array.dtype.elem_len;
    let mut next = 1isize;
    let dims = array.dims();
    let is_so = array.unit() == element as i64
        && dims.iter().all(|dim| {
            let (extent, its) = (dim.extent() as isize, next);
            next = its.saturating_mul(extent);
            dim.stride == its || extent <= 1
        });
    if !is_so {
        return None;
    }
    let like = dims.iter().scan(1isize, |next, dim| {
        let (stride, upper) = (*next, dim.extent() as isize);
        *next = stride.saturating_mul(upper);
        Some(Dim { stride, lower: 1, upper })
    });
    Some(room.fill(array.base, array.dtype, element as isize, like))
}

/// Whether the elements of the source of a put follow one another as its accessor believes, which looks at no stride of
/// the first dimension.
///
/// The compilers pack what does not - but for sections of constant bounds with one element: there the offset is that of
/// the stride that they would have, and the accessor reads before the array.
#[inline(always)]
pub fn is_packed(array: &Descriptor) -> bool {
    array.dims().first().is_none_or(|first| first.stride == 1)
}

/// `to = from`, of one type.
///
/// # Errors
/// Shapes that do not conform.
pub fn copy(instance: &Instance, to: &Descriptor, from: &Descriptor) -> Result<()> {
    copy_from(instance, to, from, MemoryRef::Local(from.base.cast()))
}

/// `to = from`, of one type, with the elements of `from` at `place` instead of where its descriptor says.
///
/// # Errors
/// Shapes that do not conform; an image that cannot be reached.
pub fn copy_from(
    instance: &Instance,
    to: &Descriptor,
    from: &Descriptor,
    place: MemoryRef,
) -> Result<()> {
    if let MemoryRef::Local(from_start) = place
        && let Some(len) = block_of_both(to, from)
    {
        let block = |start| AccessedElements::block(MemoryRef::Local(start), len);
        races::transfer(&instance.image, block(to.base.cast()), block(from_start));
        // SAFETY: the invariant of descriptors: the elements are there, and each array is one block of `len` bytes.
        unsafe { copy_block(to.base.cast(), from_start, len) };
        return Ok(());
    }
    let side = |descriptor: &Descriptor, place: MemoryRef| -> Result<Resolved> {
        let section = Section::of(descriptor)?;
        Ok(Resolved { place, section, dtype: to.dtype, kind: 0, limits: None })
    };
    assign(instance, &side(to, MemoryRef::Local(to.base.cast()))?, &side(from, place)?)
}

/// A copy of an array.
pub struct Copied {
    descriptor: FullDescriptor,
    memory: Memory,
}

impl Copied {
    /// Copies an array.
    pub fn of(instance: &Instance, array: &Descriptor) -> Result<Copied> {
        let (mut descriptor, _) = in_one_piece(array);
        let mut memory = Memory::zeroed(descriptor.size())?;
        descriptor.header.base = memory.start();
        copy(instance, descriptor.descriptor(), array)?;
        Ok(Copied { descriptor, memory })
    }

    /// Its elements, one after the other.
    pub fn bytes(&self) -> &[u8] {
        self.memory.bytes()
    }

    /// Its descriptor.
    pub fn descriptor(&mut self) -> &Descriptor {
        self.descriptor.descriptor()
    }
}

/// Memory of this process, aligned for any type.
#[derive(Debug, Default)]
pub struct Memory {
    words: Vec<u128>,
    len: usize,
}

impl Memory {
    /// `len` bytes, all zero.
    pub fn zeroed(len: usize) -> Result<Memory> {
        let count = len.div_ceil(size_of::<u128>());
        let mut words = Vec::new();
        words.try_reserve_exact(count).map_err(|_| Error::OutOfMemory {
            heap: "process's memory for a copy",
            requested: len as u64,
            available: 0,
            remedy: String::new(),
        })?;
        words.resize(count, 0);
        Ok(Memory { words, len })
    }

    /// A copy of these bytes.
    pub fn of(bytes: &[u8]) -> Result<Memory> {
        let mut memory = Memory::zeroed(bytes.len())?;
        memory.bytes_mut().copy_from_slice(bytes);
        Ok(memory)
    }

    /// The address of the first byte.
    pub fn start(&mut self) -> *mut c_void {
        self.words.as_mut_ptr().cast()
    }

    /// The same, to compare it with others.
    pub fn address(&self) -> usize {
        self.words.as_ptr().addr()
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: `words` has at least `len` bytes.
        unsafe { slice::from_raw_parts(self.words.as_ptr().cast(), self.len) }
    }

    /// The bytes, to be changed.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: `words` has at least `len` bytes, of which any are a value.
        unsafe { slice::from_raw_parts_mut(self.words.as_mut_ptr().cast(), self.len) }
    }

    /// Whether an address is in the memory.
    pub fn has(&self, address: *const c_void) -> bool {
        self.words.as_ptr_range().contains(&address.cast())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gfortran_abi::{DType, basic};

    fn dim(stride: isize, lower: isize, upper: isize) -> Dim {
        Dim { stride, lower, upper }
    }

    /// What both functions say of an array of 8-byte elements with these dimensions.
    fn both(span: isize, dims: &[Dim]) -> (bool, bool) {
        let rank = dims.len() as i8;
        let dtype = DType { elem_len: 8, version: 0, rank, basic: basic::REAL, attribute: 0 };
        let (mut array, mut room) = (StackDescriptor::new(), StackDescriptor::new());
        let base = std::ptr::without_provenance_mut(64);
        // SAFETY: made just now, in room that is still there.
        let array = unsafe { &*array.fill(base, dtype, span, dims.iter().copied()) };
        let (like, is_so) = in_one_piece(array);
        let Some(made) = as_it_lies(array, &mut room) else { return (is_so, false) };
        // SAFETY: as above.
        let made = unsafe { &*made };
        assert_eq!((made.base, made.offset), (base, like.header.offset));
        assert_eq!((made.span, made.dtype.rank), (like.header.span, rank));
        let numbers = |dim: &Dim| (dim.stride, dim.lower, dim.upper);
        let [its, expected] = [made.dims(), like.dims()].map(|dims| dims.iter().map(numbers));
        assert!(its.eq(expected));
        (is_so, true)
    }

    #[test]
    fn a_descriptor_is_made_of_what_lies_in_one_piece() {
        assert_eq!(both(8, &[]), (true, true));
        assert_eq!(both(8, &[dim(1, 0, 3)]), (true, true));
        assert_eq!(both(0, &[dim(1, -5, 5)]), (true, true));
        assert_eq!(both(8, &[dim(1, 0, 3), dim(4, 2, 3), dim(8, 1, 9)]), (true, true));
        assert_eq!(both(8, &[dim(7, 4, 4)]), (true, true));
        assert_eq!(both(8, &[dim(1, 1, 0)]), (true, true));
    }

    #[test]
    fn none_is_made_of_what_lies_in_several_pieces() {
        assert_eq!(both(8, &[dim(2, 0, 3)]), (false, false));
        assert_eq!(both(16, &[dim(1, 0, 3)]), (false, false));
        assert_eq!(both(8, &[dim(1, 0, 3), dim(5, 1, 2)]), (false, false));
    }
}
