//! Access to the elements of typed coarrays: everything becomes a block or a planned [`Transfer`].

use super::call_site::called_at;
use super::coarray::Coarray;
use super::index::Coindex;
use super::section::{Resolved, Section};
use crate::Location;
use crate::plan::{self, Axis};
use crate::races::{self, Place};
use crate::racing_transfer::{get_racing, put_racing};
use crate::transfer::{MemoryRef, Transfer};
use bytemuck::Pod;
use std::mem::MaybeUninit;
use xmp_core::counted::counted;
use xmp_core::races::Kind;
use xmp_core::{Error, Rank, Result};

impl<T: Pod> Coarray<'_, T> {
    /// Copies `values` to the section on image `index`: `a(section)[index] = values`.
    ///
    /// # Errors
    /// [`Error::ImageIndex`]; [`Error::OutOfBounds`], in bytes; when there are more or fewer values than the
    /// section has elements, or one of its steps is 0. Nothing has been written then. When the image cannot be
    /// reached.
    #[inline]
    #[track_caller]
    pub fn put(
        &self,
        index: impl Coindex,
        section: impl Into<Section>,
        values: &[T],
    ) -> Result<()> {
        called_at("put", self.image(), |place| {
            self.store(place, self.memory.rank(index)?, &section.into(), values)
        })
    }

    /// Copies the section on image `index` to `values`: `values = a(section)[index]`.
    #[inline]
    #[track_caller]
    pub fn get(
        &self,
        index: impl Coindex,
        section: impl Into<Section>,
        values: &mut [T],
    ) -> Result<()> {
        called_at("get", self.image(), |place| {
            // SAFETY: room for values of `T`, to which any are written.
            let values = unsafe { &mut *(values as *mut [T] as *mut [MaybeUninit<T>]) };
            self.load(place, self.memory.rank(index)?, &section.into(), values)
        })
    }

    /// The section on image `index`, as a new vector.
    #[track_caller]
    pub fn get_vec(&self, index: impl Coindex, section: impl Into<Section>) -> Result<Vec<T>> {
        called_at("get", self.image(), |place| {
            self.load_vec(place, self.memory.rank(index)?, &section.into())
        })
    }

    /// Copies `value` to element `k` on image `index`.
    #[inline]
    #[track_caller]
    pub fn put_one(&self, index: impl Coindex, k: usize, value: T) -> Result<()> {
        called_at("put", self.image(), |place| {
            self.store_block(place, self.memory.rank(index)?, k, std::slice::from_ref(&value))
        })
    }

    /// Element `k` on image `index`.
    #[inline]
    #[track_caller]
    pub fn get_one(&self, index: impl Coindex, k: usize) -> Result<T> {
        called_at("get", self.image(), |place| self.load_one(place, self.memory.rank(index)?, k))
    }

    /// Copies `values` to the section of this image's own elements.
    #[inline]
    #[track_caller]
    pub fn write(&self, section: impl Into<Section>, values: &[T]) -> Result<()> {
        called_at("write", self.image(), |place| {
            self.store(place, self.memory.own_rank()?, &section.into(), values)
        })
    }

    /// Copies the section of this image's own elements to `values`.
    #[inline]
    #[track_caller]
    pub fn read(&self, section: impl Into<Section>, values: &mut [T]) -> Result<()> {
        called_at("read", self.image(), |place| {
            // SAFETY: room for values of `T`, to which any are written.
            let values = unsafe { &mut *(values as *mut [T] as *mut [MaybeUninit<T>]) };
            self.load(place, self.memory.own_rank()?, &section.into(), values)
        })
    }

    /// The section of this image's own elements, as a new vector.
    #[track_caller]
    pub fn read_vec(&self, section: impl Into<Section>) -> Result<Vec<T>> {
        called_at("read", self.image(), |place| {
            self.load_vec(place, self.memory.own_rank()?, &section.into())
        })
    }

    /// Copies `value` to this image's own element `k`.
    #[inline]
    #[track_caller]
    pub fn write_one(&self, k: usize, value: T) -> Result<()> {
        called_at("write", self.image(), |place| {
            self.store_block(place, self.memory.own_rank()?, k, std::slice::from_ref(&value))
        })
    }

    /// This image's own element `k`.
    #[inline]
    #[track_caller]
    pub fn read_one(&self, k: usize) -> Result<T> {
        called_at("read", self.image(), |place| self.load_one(place, self.memory.own_rank()?, k))
    }

    /// Copies `value` to all elements of the section of this image's own elements.
    #[track_caller]
    pub fn fill(&self, section: impl Into<Section>, value: T) -> Result<()> {
        called_at("fill", self.image(), |place| {
            let section = section.into().resolve(self.len(), size_of::<T>())?;
            let transfer = Transfer::copy(size_of::<T>(), &section.axes, &[])?;
            let at = self.place(self.memory.own_rank()?, section.base, transfer.dst_bytes())?;
            let value = MemoryRef::Local(std::ptr::from_ref(&value).cast_mut().cast());
            self.enter(at, &section.axes, Kind::Write, place);
            // SAFETY: the section is within the coarray, the source is a value. All accesses of safe
            // programs to coarrays are atomic per byte.
            unsafe { transfer.execute_racing(self.image(), MemoryRef::of(self.image(), at), value) }
        })
    }

    #[inline(always)]
    fn store(&self, place: Place, rank: Rank, section: &Section, values: &[T]) -> Result<()> {
        match section.contiguous(self.len()) {
            Some((first, count)) if count == values.len() => {
                self.store_block(place, rank, first, values)
            }
            _ => self.store_section(place, rank, section, values),
        }
    }

    #[inline(always)]
    fn load(
        &self,
        place: Place,
        rank: Rank,
        section: &Section,
        values: &mut [MaybeUninit<T>],
    ) -> Result<()> {
        match section.contiguous(self.len()) {
            Some((first, count)) if count == values.len() => {
                self.load_block(place, rank, first, values)
            }
            _ => self.load_section(place, rank, section, values),
        }
    }

    #[inline(always)]
    fn store_block(&self, place: Place, rank: Rank, first: usize, values: &[T]) -> Result<()> {
        let at = self.block_at(rank, first, values.len())?;
        let (image, bytes) = (self.image(), size_of_val(values));
        let values = values.as_ptr().cast::<u8>();
        // SAFETY: the block is within the coarray, the values are readable. All accesses of safe programs to
        // coarrays are atomic per byte.
        unsafe { put_racing(image, at, values, bytes, place) }
    }

    #[inline(always)]
    fn load_block(
        &self,
        place: Place,
        rank: Rank,
        first: usize,
        values: &mut [MaybeUninit<T>],
    ) -> Result<()> {
        let at = self.block_at(rank, first, values.len())?;
        let (image, bytes) = (self.image(), size_of_val(values));
        let values = values.as_mut_ptr().cast::<u8>();
        // SAFETY: the block is within the coarray, `values` has room for it. All accesses of safe programs to
        // coarrays are atomic per byte.
        unsafe { get_racing(image, at, values, bytes, place) }
    }

    #[inline(always)]
    fn load_one(&self, place: Place, rank: Rank, k: usize) -> Result<T> {
        let mut value = MaybeUninit::uninit();
        self.load_block(place, rank, k, std::slice::from_mut(&mut value))?;
        // SAFETY: copied from an element.
        Ok(unsafe { value.assume_init() })
    }

    fn store_section(
        &self,
        place: Place,
        rank: Rank,
        section: &Section,
        values: &[T],
    ) -> Result<()> {
        let Resolved { base, axes, .. } = self.resolve(section, values.len())?;
        let buffer = plan::contiguous(size_of::<T>(), &axes)?;
        let transfer = Transfer::copy(size_of::<T>(), &axes, &buffer)?;
        let at = self.place(rank, base, transfer.dst_bytes())?;
        let values = MemoryRef::Local(values.as_ptr().cast_mut().cast());
        self.enter(at, &axes, Kind::Write, place);
        // SAFETY: the section is within the coarray and has as many elements as there are values, which are only
        // read. All accesses of safe programs to coarrays are atomic per byte.
        unsafe { transfer.execute_racing(self.image(), MemoryRef::of(self.image(), at), values) }
    }

    fn load_section(
        &self,
        place: Place,
        rank: Rank,
        section: &Section,
        values: &mut [MaybeUninit<T>],
    ) -> Result<()> {
        let Resolved { base, axes, .. } = self.resolve(section, values.len())?;
        let buffer = plan::contiguous(size_of::<T>(), &axes)?;
        let transfer = Transfer::copy(size_of::<T>(), &buffer, &axes)?;
        let at = self.place(rank, base, transfer.src_bytes())?;
        let values = MemoryRef::Local(values.as_mut_ptr().cast());
        self.enter(at, &axes, Kind::Read, place);
        // SAFETY: the section is within the coarray and has as many elements as `values` has room for. All
        // accesses of safe programs to coarrays are atomic per byte.
        unsafe { transfer.execute_racing(self.image(), values, MemoryRef::of(self.image(), at)) }
    }

    fn load_vec(&self, place: Place, rank: Rank, section: &Section) -> Result<Vec<T>> {
        if let Some((first, count)) = section.contiguous(self.len()) {
            // Before memory is taken for it.
            self.block_at(rank, first, count)?;
        }
        let elements = section.resolve(self.len(), size_of::<T>())?.elements;
        let mut values = Vec::new();
        values.try_reserve_exact(elements).map_err(|_| Error::OutOfMemory {
            heap: "process's memory for a vector",
            requested: (elements as u64).saturating_mul(size_of::<T>() as u64),
            available: 0,
            remedy: String::new(),
        })?;
        self.load(place, rank, section, &mut values.spare_capacity_mut()[..elements])?;
        // SAFETY: the capacity is there, and all elements were written.
        unsafe { values.set_len(elements) };
        Ok(values)
    }

    /// Enters the access of a statement to the elements of a section, where races are looked for.
    #[inline]
    fn enter(&self, at: Location, axes: &[Axis<'_>], kind: Kind, place: Place) {
        races::elements(self.image(), at, (size_of::<T>(), axes), kind, place);
    }

    /// The strides and the extent of a section, for which there are `given` values.
    fn resolve(&self, section: &Section, given: usize) -> Result<Resolved> {
        let resolved = section.resolve(self.len(), size_of::<T>())?;
        if resolved.elements != given {
            let (given, elements) =
                (counted(given, "value"), counted(resolved.elements, "element"));
            let text = format!("{given} for a section of {elements}");
            return Err(Error::Invalid(text));
        }
        Ok(resolved)
    }

    /// The place of `count` elements from `first`, which must be within the coarray.
    #[inline(always)]
    fn block_at(&self, rank: Rank, first: usize, count: usize) -> Result<Location> {
        if first.checked_add(count).is_none_or(|end| end > self.len()) {
            return Err(self.memory.outside(first, count, size_of::<T>()));
        }
        Ok(self.memory.at(rank, (first * size_of::<T>()) as u64))
    }

    /// The place of byte `base`, given that `touched` bytes relative to it are.
    fn place(&self, rank: Rank, base: i64, touched: std::ops::Range<i64>) -> Result<Location> {
        let from = base.saturating_add(touched.start);
        self.memory.block().check(from, base.saturating_add(touched.end))?;
        Ok(self.memory.at(rank, base as u64))
    }
}
