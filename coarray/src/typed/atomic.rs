//! Coarrays of atomic integers.

use super::call_site::{called, called_at};
use super::index::Coindex;
use super::symmetric::Symmetric;
use crate::{Location, atomic, races};
use std::marker::PhantomData;
use xmp_core::races::Kind;
use xmp_core::transport::{AtomicOp, Width};
use xmp_core::{Error, Image, Result};

/// The numbers that atomic operations exist for: integers and floating-point numbers of 4 and 8 bytes.
pub trait AtomicNumber: Copy + PartialEq + sealed::Bits {}

/// The integers among them, which have bits to combine.
pub trait AtomicInteger: AtomicNumber {}

mod sealed {
    use crate::{Location, atomic};
    use xmp_core::transport::{AtomicOp, Width};
    use xmp_core::{Image, Result};

    pub trait Bits: Copy {
        const WIDTH: Width;
        const LEN: usize;
        fn into_bits(self) -> u64;
        fn of_bits(bits: u64) -> Self;

        /// Adds the number to the one at a place; the bits of the former one.
        ///
        /// # Safety
        /// Those of [`atomic::fetch`].
        unsafe fn add_to(self, image: &Image, at: Location) -> Result<u64> {
            // SAFETY: the contract of this function.
            unsafe { atomic::fetch(image, AtomicOp::Add, at, Self::WIDTH, self.into_bits()) }
        }
    }
}

macro_rules! integers {
    ($($t:ty: $width:ident),*) => {$(
        impl AtomicNumber for $t {}
        impl AtomicInteger for $t {}

        impl sealed::Bits for $t {
            const WIDTH: Width = Width::$width;
            const LEN: usize = size_of::<$t>();
            #[inline(always)]
            fn into_bits(self) -> u64 {
                self as u64
            }
            #[inline(always)]
            fn of_bits(bits: u64) -> Self {
                bits as $t
            }
        }
    )*};
}

macro_rules! floats {
    ($($t:ty: $width:ident $bits:ty),*) => {$(
        impl AtomicNumber for $t {}

        impl sealed::Bits for $t {
            const WIDTH: Width = Width::$width;
            const LEN: usize = size_of::<$t>();
            #[inline(always)]
            fn into_bits(self) -> u64 {
                self.to_bits().into()
            }
            #[inline(always)]
            fn of_bits(bits: u64) -> Self {
                <$t>::from_bits(bits as $bits)
            }
            unsafe fn add_to(self, image: &Image, at: Location) -> Result<u64> {
                let sum = |bits| (Self::of_bits(bits) + self).into_bits();
                // SAFETY: the contract of this function.
                unsafe { atomic::update(image, at, Self::WIDTH, sum) }
            }
        }
    )*};
}

integers!(i32: W4, u32: W4, i64: W8, u64: W8);
floats!(f32: W4 u32, f64: W8 u64);

/// `len` numbers on every image that all images can change at the same time, each operation whole.
///
/// Images are counted from 1 among those that execute, elements from 0. The operations on one element happen in one
/// order that all images agree on; nothing else is ordered by them (use events, locks or `sync` for that). All return the
/// errors that [`load`](AtomicCoarray::load) lists.
///
/// ```
/// use xmp_coarray::prelude::*;
///
/// run_on_threads(4, |image| {
///     // A counter on image 1 gives out tickets.
///     let tickets = AtomicCoarray::<i64>::new(image, 1)?;
///     let mine = tickets.fetch_add(1, 0, 1)?;
///     assert!((0..4).contains(&mine));
///     image.sync_all()?;
///     assert_eq!(tickets.load(1, 0)?, 4);
///     tickets.free()
/// })?;
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug)]
pub struct AtomicCoarray<'i, T> {
    memory: Symmetric<'i>,
    len: usize,
    numbers: PhantomData<T>,
}

impl<'i, T: AtomicNumber> AtomicCoarray<'i, T> {
    /// Makes a coarray of `len` zeros on every image. All images do so together, as for [`Coarray::new`].
    ///
    /// [`Coarray::new`]: crate::Coarray::new
    #[track_caller]
    pub fn new(image: &'i Image, len: usize) -> Result<AtomicCoarray<'i, T>> {
        called("AtomicCoarray::new", image, || {
            let size = len.checked_mul(T::LEN).ok_or_else(|| {
                Error::SizeOverflow(format!("{len} atomic numbers of {} bytes", T::LEN))
            })?;
            let memory = Symmetric::zeroed::<Self>(image, size, T::LEN)?.with_elements(T::LEN);
            Ok(AtomicCoarray { memory, len, numbers: PhantomData })
        })
    }

    /// Number of elements on each image.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Number `k` on image `index` (ATOMIC_REF).
    ///
    /// # Errors
    /// [`Error::ImageIndex`]; [`Error::OutOfBounds`], in bytes; when the image cannot be reached.
    #[inline]
    #[track_caller]
    pub fn load(&self, index: impl Coindex, k: usize) -> Result<T> {
        self.fetch("atomic load", AtomicOp::Load, index, k, T::of_bits(0))
    }

    /// Makes number `k` on image `index` the `value` (ATOMIC_DEFINE).
    #[inline]
    #[track_caller]
    pub fn store(&self, index: impl Coindex, k: usize, value: T) -> Result<()> {
        self.fetch("atomic store", AtomicOp::Swap, index, k, value).map(drop)
    }

    /// Makes number `k` on image `index` the `value`, and returns the former value.
    #[inline]
    #[track_caller]
    pub fn swap(&self, index: impl Coindex, k: usize, value: T) -> Result<T> {
        self.fetch("atomic swap", AtomicOp::Swap, index, k, value)
    }

    /// Adds `value`, integers wrapping; the former value (ATOMIC_FETCH_ADD). An addition to a floating-point number on another
    /// host repeats itself when other images have changed the number meanwhile.
    ///
    /// ```
    /// use xmp_coarray::prelude::*;
    ///
    /// run_on_threads(4, |image| {
    ///     let total = AtomicCoarray::<f64>::new(image, 1)?;
    ///     total.fetch_add(1, 0, 0.5 * image.this_image() as f64)?;
    ///     image.sync_all()?;
    ///     assert_eq!(total.load(1, 0)?, 5.0);
    ///     total.free()
    /// })?;
    /// # Ok::<(), Error>(())
    /// ```
    #[inline]
    #[track_caller]
    pub fn fetch_add(&self, index: impl Coindex, k: usize, value: T) -> Result<T> {
        self.execute(("atomic fetch_add", Kind::AtomicWrite), index, k, |image, at| {
            // SAFETY: an aligned word of the coarray, which only atomic operations access.
            unsafe { value.add_to(image, at) }
        })
    }

    /// Stores `desired` if the number has the bits of `expected` (ATOMIC_CAS). Returns the former value: as `Ok` if `desired` was
    /// stored, otherwise as `Err`, like [`compare_exchange`](std::sync::atomic::AtomicU64::compare_exchange).
    ///
    /// ```
    /// use xmp_coarray::prelude::*;
    ///
    /// run_on_threads(1, |image| {
    ///     let owner = AtomicCoarray::<u32>::new(image, 1)?;
    ///     assert_eq!(owner.compare_exchange(1, 0, 0, 7)?, Ok(0));
    ///     assert_eq!(owner.compare_exchange(1, 0, 0, 8)?, Err(7));
    ///     owner.free()
    /// })?;
    /// # Ok::<(), Error>(())
    /// ```
    #[inline]
    #[track_caller]
    pub fn compare_exchange(
        &self,
        index: impl Coindex,
        k: usize,
        expected: T,
        desired: T,
    ) -> Result<std::result::Result<T, T>> {
        let operation = ("atomic compare_exchange", Kind::AtomicWrite);
        let former = self.execute(operation, index, k, |image, at| {
            let (old, new) = (expected.into_bits(), desired.into_bits());
            // SAFETY: an aligned word of the coarray, which only atomic operations access.
            unsafe { atomic::compare_swap(image, at, T::WIDTH, old, new) }
        })?;
        Ok(if former.into_bits() == expected.into_bits() { Ok(former) } else { Err(former) })
    }

    /// Waits for all images, then gives the memory back; as [`Coarray::free`](crate::Coarray::free).
    #[track_caller]
    pub fn free(self) -> Result<()> {
        called("free", self.memory.image(), || self.memory.free())
    }

    /// Executes `op`, which messages call `name`; the former value.
    #[inline(always)]
    #[track_caller]
    fn fetch(
        &self,
        name: &'static str,
        op: AtomicOp,
        index: impl Coindex,
        k: usize,
        value: T,
    ) -> Result<T> {
        let kind = if op == AtomicOp::Load { Kind::AtomicRead } else { Kind::AtomicWrite };
        self.execute((name, kind), index, k, |image, at| {
            // SAFETY: an aligned word of the coarray, which only atomic operations access.
            unsafe { atomic::fetch(image, op, at, T::WIDTH, value.into_bits()) }
        })
    }

    /// Executes an operation, with the name in messages, on number `k`; the former value.
    #[inline(always)]
    #[track_caller]
    fn execute(
        &self,
        (name, kind): (&'static str, Kind),
        index: impl Coindex,
        k: usize,
        operation: impl FnOnce(&Image, Location) -> Result<u64>,
    ) -> Result<T> {
        let image = self.memory.image();
        if image.races().is_some() {
            return self.execute_entered((name, kind), index, k, operation);
        }
        called_at(name, image, |_| {
            let at = self.place(index, k)?;
            Ok(T::of_bits(operation(image, at)?))
        })
    }

    /// The same where races are looked for.
    #[cold]
    #[inline(never)]
    #[track_caller]
    fn execute_entered(
        &self,
        (name, kind): (&'static str, Kind),
        index: impl Coindex,
        k: usize,
        operation: impl FnOnce(&Image, Location) -> Result<u64>,
    ) -> Result<T> {
        let image = self.memory.image();
        called_at(name, image, |place| {
            let at = self.place(index, k)?;
            let execute = || operation(image, at);
            races::atomic_at(image, at, (T::WIDTH, kind), place, execute).map(T::of_bits)
        })
    }

    #[inline(always)]
    fn place(&self, index: impl Coindex, k: usize) -> Result<Location> {
        if k >= self.len {
            return Err(self.memory.outside(k, 1, T::LEN));
        }
        self.memory.on(index, (k * T::LEN) as u64)
    }
}

impl<T: AtomicInteger> AtomicCoarray<'_, T> {
    /// Bitwise and; the former value (ATOMIC_FETCH_AND).
    #[inline]
    #[track_caller]
    pub fn fetch_and(&self, index: impl Coindex, k: usize, value: T) -> Result<T> {
        self.fetch("atomic fetch_and", AtomicOp::And, index, k, value)
    }

    /// Bitwise or; the former value (ATOMIC_FETCH_OR).
    #[inline]
    #[track_caller]
    pub fn fetch_or(&self, index: impl Coindex, k: usize, value: T) -> Result<T> {
        self.fetch("atomic fetch_or", AtomicOp::Or, index, k, value)
    }

    /// Bitwise exclusive or; the former value (ATOMIC_FETCH_XOR).
    #[inline]
    #[track_caller]
    pub fn fetch_xor(&self, index: impl Coindex, k: usize, value: T) -> Result<T> {
        self.fetch("atomic fetch_xor", AtomicOp::Xor, index, k, value)
    }
}
