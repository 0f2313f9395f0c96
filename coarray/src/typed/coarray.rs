//! Typed coarrays: how they are made and given back, and this image's own part.

use super::call_site::called;
use super::symmetric::Symmetric;
use crate::plan::fill_racing_block;
use crate::races;
use bytemuck::Pod;
use std::marker::PhantomData;
use std::panic::Location;
use xmp_core::counted::counted;
use xmp_core::machine::byte_atomic;
use xmp_core::races::Kind;
use xmp_core::{Error, Image, Result};

/// `len` elements on every image, which all images can access.
///
/// Images are counted from 1, as in Fortran, among those that execute; elements are counted from 0, as in Rust.
/// Remote accesses are [`put`](Coarray::put) and [`get`](Coarray::get), accesses to this image's own elements
/// [`write`](Coarray::write) and [`read`](Coarray::read); each also for one element, and with any [`Section`].
///
/// ```
/// use xmp_coarray::prelude::*;
///
/// run_on_threads(3, |image| {
///     let me = image.this_image();
///     let numbers = Coarray::new(image, 10)?;
///     // To the right neighbour, in a ring.
///     let right = me % image.num_images() + 1;
///     numbers.put(right, 4..7, &[me, 10 * me, 100 * me])?;
///     image.sync_all()?;
///     let left = if me == 1 { image.num_images() } else { me - 1 };
///     assert_eq!(numbers.read_vec(3..8)?, [0, left, 10 * left, 100 * left, 0]);
///     numbers.free()
/// })?;
/// # Ok::<(), Error>(())
/// ```
///
/// # Types of elements
/// Elements are [`Pod`]: they have no padding and no pointer, and any bytes are a value. All numbers and arrays of them are
/// such types; a structure of them derives it. (`bool` and `char` are not: another image could write a byte that is
/// neither `true` nor `false`. A program stores `u8` and `u32`, and converts: [`char::from_u32`].)
///
/// ```
/// use xmp_coarray::prelude::*;
///
/// #[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
/// #[bytemuck(crate = "xmp_coarray::bytemuck")] // Not needed by a program that depends on `bytemuck` itself.
/// #[repr(C)]
/// struct Particle {
///     position: [f64; 3],
///     charge: i64,
/// }
///
/// run_on_threads(2, |image| {
///     let particles = Coarray::<Particle>::new(image, 10)?;
///     assert_eq!(particles.get_one(2, 9)?, Particle { position: [0.0; 3], charge: 0 });
///     particles.free()
/// })?;
/// # Ok::<(), Error>(())
/// ```
///
/// # The order of accesses
/// What one image writes and another accesses must be ordered by an image control statement of both - `sync_all`,
/// `sync_images`, an event, a lock - (Fortran's *segment* rules). Accesses that are not are an error of the
/// program: what they read, and what is in the elements afterwards, is any mixture of the bytes written, which
/// [`Pod`] types can be; nothing else suffers. `XMP_CHECK=races` reports them. Elements that images are to change at the same time
/// belong in an [`AtomicCoarray`](crate::AtomicCoarray).
///
/// # Making and freeing
/// All executing images make a coarray together, in the same order as their other ones, and free it together by
/// [`free`](Coarray::free); both synchronise them. A coarray that is only dropped keeps its memory until
/// the team or task region ends in which it was made, else until the image ends, because an image that returns early
/// must neither wait for the others, who may never drop it, nor reuse memory that others still access.
///
/// A coarray that was made in a team or task region exists on its images only, and until it ends. It cannot be
/// returned from there; one that was made with the image of an outer region and outlives the inner one can only be
/// dropped: accesses are errors.
///
/// All accesses return the errors that [`put`](Coarray::put) lists.
///
/// [`Section`]: crate::Section
#[derive(Debug)]
pub struct Coarray<'i, T> {
    pub(super) memory: Symmetric<'i>,
    len: usize,
    elements: PhantomData<T>,
}

impl<'i, T: Pod> Coarray<'i, T> {
    /// Makes a coarray of `len` elements on each image, all zeros.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] and [`Error::SizeOverflow`], on all executing images; when they give different lengths;
    /// when one of them has stopped or failed.
    #[track_caller]
    pub fn new(image: &'i Image, len: usize) -> Result<Coarray<'i, T>> {
        called("Coarray::new", image, || {
            let memory = Symmetric::zeroed::<T>(image, Self::size(len)?, align_of::<T>())?;
            let memory = memory.with_elements(size_of::<T>());
            Ok(Coarray { memory, len, elements: PhantomData })
        })
    }

    /// Makes a coarray whose elements are all `value`, which may differ between images.
    #[track_caller]
    pub fn filled(image: &'i Image, len: usize, value: T) -> Result<Coarray<'i, T>> {
        let initialise = |start: *mut u8| {
            // SAFETY: this image's part has `len` elements, and the value is read. Other accesses: as in `from_fn`.
            unsafe { fill_racing_block(start, (&raw const value).cast(), size_of::<T>(), len) };
        };
        called("Coarray::filled", image, || Coarray::initialised(image, len, initialise))
    }

    /// Makes a coarray whose element k is `value(k)` on this image.
    #[track_caller]
    pub fn from_fn(
        image: &'i Image,
        len: usize,
        mut value: impl FnMut(usize) -> T,
    ) -> Result<Coarray<'i, T>> {
        let initialise = |start: *mut u8| {
            for k in 0..len {
                let value = value(k);
                let (at, from) =
                    (start.wrapping_add(k * size_of::<T>()), (&raw const value).cast());
                // SAFETY: within this image's part. Another image may still write what was there before, in a task region
                // that this image has left; all accesses of safe programs to coarrays are atomic per byte.
                unsafe { byte_atomic::copy(at, from, size_of::<T>()) };
            }
        };
        called("Coarray::from_fn", image, || Coarray::initialised(image, len, initialise))
    }

    /// Makes a coarray whose elements `initialise` writes, from this image's first one on.
    fn initialised(
        image: &'i Image,
        len: usize,
        initialise: impl FnOnce(*mut u8),
    ) -> Result<Coarray<'i, T>> {
        let size = Self::size(len)? as u64;
        let memory = Symmetric::make::<T>(image, size, align_of::<T>(), initialise)?;
        let memory = memory.with_elements(size_of::<T>());
        Ok(Coarray { memory, len, elements: PhantomData })
    }

    /// Bytes of `len` elements.
    fn size(len: usize) -> Result<usize> {
        // Segments are aligned to pages only; and elements without bytes have no place.
        const { assert!(size_of::<T>() > 0 && align_of::<T>() <= 4096) };
        len.checked_mul(size_of::<T>()).ok_or_else(|| {
            Error::SizeOverflow(format!("{len} elements of {}", counted(size_of::<T>(), "byte")))
        })
    }

    /// Waits for all executing images, which are those that made it, then gives the memory back (DEALLOCATE).
    ///
    /// # Errors
    /// When an image has stopped or failed, or the images free different coarrays; in a team or task region that was
    /// entered after the coarray was made, or when the one that made it has been left.
    #[track_caller]
    pub fn free(self) -> Result<()> {
        called("free", self.image(), || self.memory.free())
    }

    /// Number of elements on each image.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The image that this is a handle of.
    #[inline(always)]
    pub fn image(&self) -> &'i Image {
        self.memory.image()
    }

    /// This image's own elements, in place. [`Coarray::read`] copies them and needs no promise.
    ///
    /// ```
    /// use xmp_coarray::prelude::*;
    ///
    /// run_on_threads(2, |image| {
    ///     let x = Coarray::filled(image, 100, 0.5)?;
    ///     // SAFETY: no image writes `x` after it was made.
    ///     let norm = unsafe { x.local() }.iter().map(|x| x * x).sum::<f64>().sqrt();
    ///     assert_eq!(norm, 5.0);
    ///     x.free()
    /// })?;
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Safety
    /// As long as the slice lives, no image - nor this one by [`write`](Coarray::write) and the like - writes these
    /// elements: all writes of others are ordered, by image control statements, before it is made or after
    /// its last use. The team or task region that made the coarray is not left before.
    ///
    /// `XMP_CHECK=races` sees this call as a read of all elements, and nothing of what is done with the slice.
    #[inline]
    #[track_caller]
    pub unsafe fn local(&self) -> &[T] {
        self.hand_out(Kind::Read);
        // SAFETY: the block has room for `len` elements, aligned (see `size`), is mapped as long as the image
        // lives, and holds values of `T` whatever its bytes are. The caller promises that no image writes.
        unsafe { std::slice::from_raw_parts(self.memory.local().cast(), self.len) }
    }

    /// This image's own elements, in place, to be changed.
    ///
    /// # Safety
    /// As long as the slice lives, no other image accesses these elements: all their accesses are ordered, by image
    /// control statements, before it is made or after its last use. The team or task region that made the coarray is
    /// not left before.
    ///
    /// `XMP_CHECK=races` sees this call as a write of all elements, and nothing of what is done with the slice.
    #[inline]
    #[track_caller]
    pub unsafe fn local_mut(&mut self) -> &mut [T] {
        self.hand_out(Kind::Write);
        // SAFETY: as in `local`; this image has no other reference, as `self` is borrowed exclusively.
        unsafe { std::slice::from_raw_parts_mut(self.memory.local().cast(), self.len) }
    }

    /// Enters an access to all elements of this image, where races are looked for: a slice of them is made.
    #[inline(always)]
    #[track_caller]
    fn hand_out(&self, kind: Kind) {
        if self.image().races().is_some() {
            let at = self.memory.at(self.image().rank(), 0);
            races::block(self.image(), at, self.len * size_of::<T>(), kind, Location::caller());
        }
    }
}
