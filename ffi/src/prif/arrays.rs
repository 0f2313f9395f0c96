//! Dummy arguments that come by a C descriptor: vectors, and texts of assumed or deferred length.

use crate::entry::cfi::{Descriptor, Dim};
use smallvec::SmallVec;
use std::marker::PhantomData;
use xmp_core::counted::counted;
use xmp_core::{Error, Result};

/// An assumed-shape dummy argument of rank 1.
#[repr(transparent)]
#[derive(Debug)]
pub struct Vector<T>(Descriptor, PhantomData<T>);

/// An assumed-shape dummy argument of rank 1 that is a result.
#[repr(transparent)]
#[derive(Debug)]
pub struct Results<T>(Vector<T>);

impl<T: Copy> Vector<T> {
    /// Number of elements.
    pub fn len(&self) -> usize {
        self.0.dims().first().map_or(0, |dim| dim.get().extent())
    }

    /// The elements.
    pub fn values(&self) -> SmallVec<[T; 8]> {
        // SAFETY: the contract of entries: this many elements of this type, with this distance.
        (0..self.len()).map(|at| unsafe { self.place(at).read_unaligned() }).collect()
    }

    fn place(&self, at: usize) -> *mut T {
        let stride = self.0.dims()[0].get().stride;
        self.0.base.get().wrapping_offset(at as isize * stride as isize).cast()
    }
}

impl<T: Copy> Results<T> {
    /// Gives the elements these values.
    ///
    /// # Errors
    /// When there are not as many elements.
    pub fn set(&self, argument: &str, values: &[T]) -> Result<()> {
        let Results(vector) = self;
        if vector.len() != values.len() {
            return Err(Error::Invalid(format!(
                "{argument} has {}, and not {}",
                counted(vector.len(), "element"),
                values.len()
            )));
        }
        for (at, &value) in values.iter().enumerate() {
            // SAFETY: the contract of entries: this many elements of this type, with this distance.
            unsafe { vector.place(at).write_unaligned(value) };
        }
        Ok(())
    }
}

/// An allocatable dummy argument of rank 1 that is not allocated.
#[repr(transparent)]
#[derive(Debug)]
pub struct Allocatable<T>(Descriptor, PhantomData<T>);

impl<T: Copy> Allocatable<T> {
    /// Allocates it with these values.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn allocate(&self, values: &[T]) -> Result<()> {
        let memory = allocated(size_of_val(values))?;
        // SAFETY: this many bytes were allocated, aligned for any type.
        unsafe { memory.cast::<T>().copy_from_nonoverlapping(values.as_ptr(), values.len()) };
        self.0.base.set(memory);
        self.0.elem_len.set(size_of::<T>());
        let dim = Dim { lower: 1, extent: values.len() as i64, stride: size_of::<T>() as i64 };
        self.0.dims().iter().for_each(|place| place.set(dim));
        Ok(())
    }
}

/// A character dummy argument of assumed length.
#[repr(transparent)]
#[derive(Debug)]
pub struct Text(Descriptor);

impl Text {
    /// The characters.
    pub fn characters(&self) -> &[u8] {
        match (self.0.base.get(), self.0.elem_len.get()) {
            (base, len) if base.is_null() || len == 0 => &[],
            // SAFETY: the contract of entries: this many characters.
            (base, len) => unsafe { std::slice::from_raw_parts(base, len) },
        }
    }

    /// Gives it this text, cut or padded with blanks.
    pub fn set(&self, text: &str) {
        let padded = text.bytes().chain(std::iter::repeat(b' '));
        for (at, byte) in (0..self.0.elem_len.get()).zip(padded) {
            // SAFETY: the contract of entries: this many characters.
            unsafe { self.0.base.get().add(at).write(byte) };
        }
    }
}

/// An allocatable character dummy argument of deferred length.
#[repr(transparent)]
#[derive(Debug)]
pub struct AllocatableText(Descriptor);

impl AllocatableText {
    /// Gives it this text and its length. Without memory it stays as it is.
    pub fn set(&self, text: &str) {
        let Ok(memory) = allocated(text.len()) else { return };
        let AllocatableText(descriptor) = self;
        // SAFETY: this many bytes were allocated; what was there before is memory of `malloc`, in which compilers
        // allocate.
        unsafe {
            memory.copy_from_nonoverlapping(text.as_ptr(), text.len());
            libc::free(descriptor.base.get().cast());
        }
        descriptor.base.set(memory);
        descriptor.elem_len.set(text.len());
    }
}

/// Memory of `malloc`, where compilers allocate: they free it.
///
/// # Errors
/// [`Error::OutOfMemory`].
pub fn allocated(bytes: usize) -> Result<*mut u8> {
    // SAFETY: asks for memory.
    let memory = unsafe { libc::malloc(bytes.max(1)) };
    if memory.is_null() {
        let heap = "process's memory";
        return Err(Error::OutOfMemory {
            heap,
            requested: bytes as u64,
            available: 0,
            remedy: String::new(),
        });
    }
    Ok(memory.cast())
}
