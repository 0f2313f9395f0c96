//! Strided and indexed puts and gets.

use super::argument::{Data, List, Shared};
use super::outcome::functions;
use super::refused_place::Touched;
use super::shared::{place_in, place_of_any};
use super::team::{TeamHandle, set_of};
use crate::process::instance;
use smallvec::SmallVec;
use std::ffi::c_int;
use std::ops::Range;
use xmp_coarray::front_end::Location;
use xmp_coarray::front_end::plan::Axis;
use xmp_coarray::front_end::races::{self, AccessedElements};
use xmp_coarray::front_end::transfer::{MemoryRef, Transfer};
use xmp_core::counted::counted;
use xmp_core::{Error, Result};

/// Most dimensions of a section.
const MAX_DIMENSIONS: usize = 15;

/// The axes of one side, the innermost first.
type Axes<'a> = SmallVec<[Axis<'a>; 4]>;

/// A section of elements: those on the other image, and those here.
struct Section<'a> {
    element: usize,
    shared: Shared,
    shared_axes: Axes<'a>,
    own: Data,
    own_axes: Axes<'a>,
}

/// The lists of a strided transfer.
struct Strides<'a> {
    shared: List<i64>,
    shared_name: &'a str,
    own: List<i64>,
    own_name: &'a str,
    extents: List<usize>,
    ndims: c_int,
}

impl<'a> Section<'a> {
    /// Elements a stride apart in each dimension.
    fn strided(
        shared: Shared,
        own: Data,
        strides: Strides<'_>,
        element: usize,
    ) -> Result<Section<'a>> {
        let Strides { shared_name, own_name, ndims, .. } = strides;
        let most = usize::try_from(ndims).ok().filter(|ndims| *ndims <= MAX_DIMENSIONS);
        let ndims = most.ok_or_else(|| {
            Error::Invalid(format!(
                "ndims is {ndims}, and a section has 0 to {MAX_DIMENSIONS} dimensions"
            ))
        })?;
        let axes = |list: List<i64>, name: &str| -> Result<Axes<'a>> {
            if ndims == 0 {
                return Ok(Axes::new());
            }
            let extents = strides.extents.of("extents", ndims)?;
            let axis = |(&stride, &extent)| Axis::Stride { extent, stride };
            // The last dimension of C is the innermost one.
            Ok(list.of(name, ndims)?.iter().zip(extents).rev().map(axis).collect())
        };
        let shared_axes = axes(strides.shared, shared_name)?;
        let own_axes = axes(strides.own, own_name)?;
        Ok(Section { element, shared, shared_axes, own, own_axes })
    }

    /// `count` elements at these distances of the other image's memory, which are one after the other here.
    fn indexed(
        shared: Shared,
        offsets: List<i64>,
        own: Data,
        count: usize,
        element: usize,
    ) -> Result<Section<'a>> {
        let offsets = if count == 0 { &[] } else { offsets.of("offsets", count)? };
        let stride = i64::try_from(element)
            .map_err(|_| Error::SizeOverflow(format!("an element of {element} bytes")))?;
        let shared_axes = Axes::from_iter([Axis::Index(offsets)]);
        let own_axes = Axes::from_iter([Axis::Stride { extent: count, stride }]);
        Ok(Section { element, shared, shared_axes, own, own_axes })
    }

    fn is_empty(&self) -> bool {
        self.element == 0 || self.own_axes.iter().any(|axis| axis.extent() == 0)
    }

    /// With XMP_CHECK=1, checks that no two elements of a list of places there have bytes in common.
    fn check_disjoint(&self) -> Result<()> {
        let [Axis::Index(offsets)] = self.shared_axes[..] else { return Ok(()) };
        if !instance().image.settings().check.calls {
            return Ok(());
        }
        let mut sorted = offsets.to_vec();
        sorted.sort_unstable();
        let twice = sorted.windows(2).find(|pair| pair[0].abs_diff(pair[1]) < self.element as u64);
        twice.map_or(Ok(()), |pair| {
            let (first, second, size) = (pair[0], pair[1], counted(self.element, "byte"));
            Err(Error::Invalid(format!(
                "two elements of {size} are put to offsets {first} and {second}, where they overlap"
            )))
        })
    }

    fn sides(&self, there: MemoryRef) -> [AccessedElements<'_>; 2] {
        let side = |base, axes| AccessedElements { base, size: self.element, axes };
        let here = MemoryRef::Local(self.own.start());
        [side(there, &self.shared_axes), side(here, &self.own_axes)]
    }

    /// The place there, around which this range of bytes is accessed.
    fn place(&self, team: TeamHandle, index: c_int, bytes: Range<i64>) -> Result<Location> {
        let touched = |block: Range<i64>| self.first_outside(block);
        place_in(set_of(team), index, self.shared, bytes, Touched::Elements(&touched))
    }

    /// The first element there that is not within a range of bytes, in the words of messages.
    #[cold]
    fn first_outside(&self, block: Range<i64>) -> String {
        let size = self.element as i64;
        let is_outside = |at: i64| at < block.start || at.saturating_add(size) > block.end;
        if let [Axis::Index(offsets)] = self.shared_axes[..] {
            let outside = offsets.iter().enumerate().find(|(_, at)| is_outside(**at));
            let (number, &at) = outside.expect("an element is not within the block");
            return format!("element {number} (offset {at})");
        }
        // The element at one of two corners: the one with the least offset, or the one with the greatest.
        let corner = |last: fn(i64) -> bool| {
            let (mut at, mut subscripts) = (0_i64, Vec::new());
            for axis in self.shared_axes.iter().rev() {
                let Axis::Stride { extent, stride } = *axis else { continue };
                let subscript = if last(stride) { extent as i64 - 1 } else { 0 };
                at = at.saturating_add(stride.saturating_mul(subscript));
                subscripts.push(format!("[{subscript}]"));
            }
            (at, subscripts.concat())
        };
        let lowest = corner(|stride| stride < 0);
        let (at, subscripts) =
            if is_outside(lowest.0) { lowest } else { corner(|stride| stride > 0) };
        let element = if subscripts.is_empty() {
            "the element".into()
        } else {
            format!("element {subscripts}")
        };
        format!("{element} (offset {at})")
    }

    /// Puts the elements to an image.
    fn put(&self, team: TeamHandle, index: c_int) -> Result<()> {
        if self.is_empty() {
            return place_of_any(set_of(team), index, self.shared, 0).map(drop);
        }
        self.own.not_null("from")?;
        self.check_disjoint()?;
        let image = &instance().image;
        let transfer = Transfer::copy(self.element, &self.shared_axes, &self.own_axes)?;
        let at = self.place(team, index, transfer.dst_bytes())?;
        let there = MemoryRef::of(image, at);
        let [remote, local] = self.sides(there);
        races::transfer(image, remote, local);
        // SAFETY: the destination is within a block, as checked; the contract of entries: the source has the elements.
        unsafe { transfer.execute(image, there, MemoryRef::Local(self.own.start())) }
    }

    /// Gets the elements of an image.
    fn get(&self, team: TeamHandle, index: c_int) -> Result<()> {
        if self.is_empty() {
            return place_of_any(set_of(team), index, self.shared, 0).map(drop);
        }
        self.own.not_null("to")?;
        let image = &instance().image;
        let transfer = Transfer::copy(self.element, &self.own_axes, &self.shared_axes)?;
        let at = self.place(team, index, transfer.src_bytes())?;
        let there = MemoryRef::of(image, at);
        let [remote, local] = self.sides(there);
        races::transfer(image, local, remote);
        // SAFETY: the source is within a block, as checked; the contract of entries: the destination has the elements.
        unsafe { transfer.execute(image, MemoryRef::Local(self.own.start()), there) }
    }
}

functions! {
    /// Puts elements that are strides of bytes apart.
    fn xmprt_put_strided(
        team: TeamHandle, image: c_int, to: Data, to_strides: List<i64>, from: Data, from_strides: List<i64>,
        extents: List<usize>, ndims: c_int, element_bytes: usize,
    ) {
        let (shared_name, own_name) = ("to_strides", "from_strides");
        let strides = Strides { shared: to_strides, shared_name, own: from_strides, own_name, extents, ndims };
        Section::strided(to.called("to"), from, strides, element_bytes)?.put(team, image)
    }

    /// Gets elements that are strides of bytes apart.
    fn xmprt_get_strided(
        team: TeamHandle, image: c_int, to: Data, to_strides: List<i64>, from: Data, from_strides: List<i64>,
        extents: List<usize>, ndims: c_int, element_bytes: usize,
    ) {
        let (shared_name, own_name) = ("from_strides", "to_strides");
        let strides = Strides { shared: from_strides, shared_name, own: to_strides, own_name, extents, ndims };
        Section::strided(from.called("from"), to, strides, element_bytes)?.get(team, image)
    }

    /// Puts elements to these distances in bytes.
    fn xmprt_put_indexed(
        team: TeamHandle, image: c_int, to: Data, offsets: List<i64>, from: Data, count: usize, element_bytes: usize,
    ) {
        Section::indexed(to.called("to"), offsets, from, count, element_bytes)?.put(team, image)
    }

    /// Gets elements from these distances in bytes.
    fn xmprt_get_indexed(
        team: TeamHandle, image: c_int, to: Data, from: Data, offsets: List<i64>, count: usize, element_bytes: usize,
    ) {
        Section::indexed(from.called("from"), offsets, to, count, element_bytes)?.get(team, image)
    }
}
