//! Distributed arrays.

use super::indices::Indices;
use super::{Pick, SectionMut, SectionRef};
use crate::typed::called;
use bytemuck::Pod;
#[cfg(feature = "ndarray")]
use ndarray::{ArrayView, ArrayViewMut, IntoDimension};
use std::marker::PhantomData;
use std::ops::{Index, IndexMut, Range};
use std::rc::Rc;
use xmp_collectives::global::{self, Plans, Shape, Storage, Width};
use xmp_core::counted::counted;
use xmp_core::global::{Align, Array, Coords, Order, Section, Shadow, Template};
use xmp_core::{Error, Image, Result, heap};

/// An array of `N` dimensions that is spread over images. Each stores its part, with a shadow around it if it has one.
///
/// It lives in the segment of its image, so neighbours copy from there without a detour. Elements are [`Pod`] and start as
/// zeros: there is no array of a type that has no value of zero bytes.
///
/// ```compile_fail
/// use std::num::NonZeroU32;
/// use xmp_coarray::global::{DistArray, GlobalView, Template};
/// use xmp_coarray::prelude::*;
///
/// fn identities<'i>(image: &'i Image, ids: &Template) -> Result<DistArray<'i, NonZeroU32, 1>> {
///     image.array(ids)
/// }
/// ```
#[derive(Debug)]
pub struct DistArray<'i, T, const N: usize> {
    image: &'i Image,
    storage: Storage,
    plans: Plans,
    /// Its block of the segment.
    offset: u64,
    /// This image's coordinates among the nodes, if it has elements.
    coords: Option<Coords>,
    /// Elements stored in each dimension.
    stored: [usize; N],
    /// Index of the first place that is stored, of dimensions of which this image has one block.
    origin: [Option<i64>; N],
    elements: PhantomData<T>,
}

impl<'i, T: Pod, const N: usize> DistArray<'i, T, N> {
    pub(super) fn new(
        image: &'i Image,
        template: &Template,
        widths: [usize; N],
    ) -> Result<DistArray<'i, T, N>> {
        // Parts start at multiples of the heap's grain; and elements without bytes have no place.
        const { assert!(size_of::<T>() > 0 && align_of::<T>() <= heap::GRAIN as usize && N > 0) };
        let named = |error: xmp_core::global::MappingError| error.of("array");
        let distribution = template.distribution().map_err(named)?.clone();
        let dims = distribution.axes().len();
        if dims != N {
            let text = format!("an array of {} on a template of {dims}", counted(N, "dimension"));
            return Err(Error::Invalid(text));
        }
        let aligned: Vec<Align> = distribution
            .axes()
            .iter()
            .zip(widths)
            .enumerate()
            .map(|(dim, (axis, width))| {
                let width = i64::try_from(width).unwrap_or(i64::MAX / 4).min(i64::MAX / 4);
                let shadow = Shadow::Widths { lower: width, upper: width };
                Align::with(axis.lower(), axis.upper(), dim, 0).shadow(shadow)
            })
            .collect();
        let array = Array::new(distribution, &aligned, &[], Order::C).map_err(named)?;
        let element = size_of::<T>();
        let bytes = Storage::bytes(&array, element, image).map_err(named)?;
        let coords = array.coords(image.rank()).filter(|coords| array.has_elements(coords));
        let stored = match &coords {
            Some(coords) => std::array::from_fn(|dim| array.extents(coords)[dim] as usize),
            None => [0; N],
        };
        let origin = std::array::from_fn(|dim| {
            let part = array.part(dim, coords.as_ref()?);
            array.block(dim, part).map(|(first, _)| first - array.dims()[dim].shadow.widths().0)
        });
        let offset = image.memory().allocate_part(bytes as u64)?;
        let base = image.own_segment().wrapping_add(offset as usize);
        // SAFETY: the block that was just allocated, which no other code has a pointer to.
        unsafe { base.write_bytes(0, bytes) };
        // SAFETY: the block has as many bytes and lives as long as the array. Operations borrow the array.
        let storage = unsafe { Storage::new(Rc::new(array), element, base) };
        let (plans, elements) = (Plans::default(), PhantomData);
        Ok(DistArray { image, storage, plans, offset, coords, stored, origin, elements })
    }

    /// The mapping.
    pub fn mapping(&self) -> &Rc<Array> {
        self.storage.array()
    }

    /// Number of elements in each dimension.
    pub fn extents(&self) -> [usize; N] {
        std::array::from_fn(|dim| self.mapping().dims()[dim].extent() as usize)
    }

    /// Number of elements that this image stores in each dimension, shadow included.
    pub fn stored_extents(&self) -> [usize; N] {
        self.stored
    }

    /// The elements that this image stores, shadow included, in the order of memory.
    pub fn stored(&self) -> &[T] {
        let len = self.stored.iter().product();
        // SAFETY: the block has room for all stored elements and is aligned to the heap's grain, no less than a `T`; any bytes are a `T`, which is `Pod`. Others
        // write it in operations only that borrow this exclusively.
        unsafe { std::slice::from_raw_parts(self.storage.base().cast(), len) }
    }

    /// Mutable access to the elements that this image stores ([`DistArray::stored`]).
    pub fn stored_mut(&mut self) -> &mut [T] {
        let len = self.stored.iter().product();
        // SAFETY: as in `stored`; others read it in operations only that borrow this.
        unsafe { std::slice::from_raw_parts_mut(self.storage.base().cast(), len) }
    }

    /// The elements that this image stores, shadow included, as an array view. With the feature `ndarray` of the crate.
    #[cfg(feature = "ndarray")]
    pub fn local(&self) -> ArrayView<'_, T, <[usize; N] as IntoDimension>::Dim>
    where
        [usize; N]: IntoDimension,
    {
        let shape = self.stored.into_dimension();
        ArrayView::from_shape(shape, self.stored()).expect("as many as are stored")
    }

    /// The elements that this image stores, shadow included, as a mutable array view. With the feature `ndarray` of the
    /// crate.
    #[cfg(feature = "ndarray")]
    pub fn local_mut(&mut self) -> ArrayViewMut<'_, T, <[usize; N] as IntoDimension>::Dim>
    where
        [usize; N]: IntoDimension,
    {
        let shape = self.stored.into_dimension();
        ArrayViewMut::from_shape(shape, self.stored_mut()).expect("as many as are stored")
    }

    /// Sets every element of this image to `value` of its index.
    pub fn fill(&mut self, value: impl Fn([usize; N]) -> T) {
        for index in self.loop_on(self.extents().map(|extent| 0..extent)) {
            self[index] = value(index);
        }
    }

    /// The indices in these ranges that this image has, in order; without those in its shadow.
    pub fn loop_on(&self, ranges: [Range<usize>; N]) -> Indices<N> {
        let mut mine = std::array::from_fn(|_| Vec::new());
        if let Some(coords) = &self.coords {
            for (dim, range) in ranges.into_iter().enumerate() {
                let owned = self.mapping().owned(dim, self.mapping().part(dim, coords));
                let indices = owned.iter().flat_map(|runs| runs.iter()).map(|index| index as usize);
                mine[dim] = indices.filter(|index| range.contains(index)).collect();
            }
        }
        Indices::new(mine)
    }

    /// The element with an index, if this image stores it: its own, or of the shadow.
    pub fn get(&self, index: [usize; N]) -> Option<&T> {
        Some(&self.stored()[self.place(index)?])
    }

    /// Mutable access to the element with an index, if this image stores it: its own, or of the shadow.
    pub fn get_mut(&mut self, index: [usize; N]) -> Option<&mut T> {
        let place = self.place(index)?;
        Some(&mut self.stored_mut()[place])
    }

    #[inline]
    fn place(&self, index: [usize; N]) -> Option<usize> {
        let coords = self.coords.as_ref()?;
        let mut place = 0;
        for dim in 0..N {
            let index = i64::try_from(index[dim]).ok()?;
            let local = match self.origin[dim] {
                Some(origin) => usize::try_from(index - origin).ok()?,
                None => {
                    let array = self.mapping();
                    array.local(dim, array.part(dim, coords), index)? as usize
                }
            };
            if local >= self.stored[dim] {
                return None;
            }
            place = place * self.stored[dim] + local;
        }
        Some(place)
    }

    /// Fills the shadow with what its owners have, corners included. All executing images call it, and all nodes are
    /// among them.
    ///
    /// # Errors
    /// When a node is not; when an image has stopped or failed.
    #[track_caller]
    pub fn reflect(&mut self) -> Result<()> {
        self.reflect_with(&Width::whole(self.mapping()), false)
    }

    /// Fills a part of the shadow: these widths of it, periodic in the dimensions that ask for it, and without corners
    /// if `orthogonal`. All executing images call it.
    ///
    /// # Errors
    /// The errors of [`DistArray::reflect`]; when a width is more than the shadow.
    #[track_caller]
    pub fn reflect_with(&mut self, widths: &[Width], orthogonal: bool) -> Result<()> {
        let shape = Shape { widths, orthogonal };
        let set = self.image.executing();
        called("reflect", self.image, || {
            let operation =
                global::prepare_reflect(self.image, &set, &self.plans, &self.storage, shape)?;
            global::run(self.image, &set, &operation)
        })
    }

    /// Some elements, by their indices.
    #[track_caller]
    pub fn section(&self, picks: [Pick; N]) -> Result<SectionRef<'_>> {
        Ok(SectionRef { storage: &self.storage, section: self.picked(picks)? })
    }

    /// Some elements, by their indices, to be assigned to.
    #[track_caller]
    pub fn section_mut(&mut self, picks: [Pick; N]) -> Result<SectionMut<'_>> {
        let section = self.picked(picks)?;
        Ok(SectionMut { image: self.image, plans: &self.plans, storage: &self.storage, section })
    }

    /// Assigns some elements of this array to others of it; they may overlap.
    ///
    /// # Errors
    /// The errors of [`super::gmove`].
    #[track_caller]
    pub fn gmove_within(&mut self, to: [Pick; N], from: [Pick; N]) -> Result<()> {
        let [to, from] = [self.picked(to)?, self.picked(from)?];
        let to = SectionMut {
            image: self.image,
            plans: &self.plans,
            storage: &self.storage,
            section: to,
        };
        super::gmove(to, SectionRef { storage: &self.storage, section: from })
    }

    #[track_caller]
    fn picked(&self, picks: [Pick; N]) -> Result<Section> {
        called("section", self.image, || {
            Section::new(self.mapping(), &picks).map_err(|error| error.of("section"))
        })
    }
}

impl<T: Pod, const N: usize> Index<[usize; N]> for DistArray<'_, T, N> {
    type Output = T;

    /// # Panics
    /// When this image does not store the element.
    fn index(&self, index: [usize; N]) -> &T {
        self.get(index)
            .unwrap_or_else(|| panic!("element {index:?} is not stored on {}", self.image.rank()))
    }
}

impl<T: Pod, const N: usize> IndexMut<[usize; N]> for DistArray<'_, T, N> {
    /// # Panics
    /// When this image does not store the element.
    fn index_mut(&mut self, index: [usize; N]) -> &mut T {
        let rank = self.image.rank();
        self.get_mut(index).unwrap_or_else(|| panic!("element {index:?} is not stored on {rank}"))
    }
}

impl<T, const N: usize> Drop for DistArray<'_, T, N> {
    fn drop(&mut self) {
        // Operations end when no image reads this array any more.
        // SAFETY: this image's part; the operations in which others read it are over.
        let _ = unsafe { self.image.memory().free_local(self.offset) };
    }
}
