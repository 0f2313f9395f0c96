//! Contiguous arrays that accessors read from and write to, and copies between them and arrays of any stride.

use crate::gfortran_abi::{Descriptor, Dim, FullDescriptor};
use crate::gnu::transfer::{Resolved, Section, assign, block_of_both};
use crate::process::Instance;
use xmp_coarray::plan::copy_block;
use xmp_coarray::transfer::MemoryRef;
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
///
/// # Safety
/// Both descriptors are those of arrays that are there.
pub unsafe fn copy(instance: &Instance, to: &Descriptor, from: &Descriptor) -> Result<()> {
    // SAFETY: both descriptors are those of arrays in memory.
    unsafe { copy_from(instance, to, from, MemoryRef::Local(from.base.cast())) }
}

/// `to = from`, of one type, with the elements of `from` at `place` instead of where its descriptor says.
///
/// # Errors
/// Shapes that do not conform; an image that cannot be reached.
///
/// # Safety
/// Both descriptors are those of arrays in memory, that of `from` at `place`.
pub unsafe fn copy_from(
    instance: &Instance,
    to: &Descriptor,
    from: &Descriptor,
    place: MemoryRef,
) -> Result<()> {
    let side = |descriptor: &Descriptor, place: MemoryRef| -> Result<Resolved> {
        let section = Section::of(descriptor)?;
        Ok(Resolved { place, section, dtype: to.dtype, kind: 0, limits: None })
    };
    if let MemoryRef::Local(from_start) = place
        && let Some(len) = block_of_both(to, from)
    {
        // SAFETY: both arrays are in memory, in one block of `len` bytes each.
        unsafe { copy_block(to.base.cast(), from_start, len as usize) };
        return Ok(());
    }
    // SAFETY: `to` is in memory, and `from` at `place`.
    unsafe { assign(instance, &side(to, MemoryRef::Local(to.base.cast()))?, &side(from, place)?) }
}

/// A copy of an array.
pub struct Copied {
    descriptor: FullDescriptor,
    _memory: Vec<u128>,
}

impl Copied {
    /// Copies an array.
    ///
    /// # Errors
    /// When there is no memory.
    ///
    /// # Safety
    /// The compiler made the descriptor.
    pub unsafe fn of(instance: &Instance, array: &Descriptor) -> Result<Copied> {
        // SAFETY: the compiler made the descriptor of an array in memory.
        unsafe {
            let (mut descriptor, _) = in_one_piece(array);
            let elements: usize = array.dims().iter().map(Dim::extent).product();
            let mut memory = zeroed(elements.saturating_mul(array.dtype.elem_len))?;
            descriptor.header.base = memory.as_mut_ptr().cast();
            copy(instance, &*descriptor.exposed(), array)?;
            Ok(Copied { descriptor, _memory: memory })
        }
    }

    /// Its descriptor.
    pub fn descriptor(&mut self) -> *const Descriptor {
        self.descriptor.exposed()
    }
}

/// Zeroed memory of at least `size` bytes, aligned for any type.
///
/// # Errors
/// [`Error::OutOfMemory`].
pub fn zeroed(size: usize) -> Result<Vec<u128>> {
    let words = size.div_ceil(size_of::<u128>());
    let mut memory = Vec::new();
    memory.try_reserve_exact(words).map_err(|_| Error::OutOfMemory {
        heap: "process's memory for a copy",
        requested: size as u64,
        available: 0,
    })?;
    memory.resize(words, 0);
    Ok(memory)
}
