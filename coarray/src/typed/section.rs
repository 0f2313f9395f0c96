//! Sections of coarrays of Rust: the elements that a put or a get accesses, and their order.

use crate::plan::Axis;
use smallvec::SmallVec;
use std::ops::RangeBounds;
use xmp_core::counted::counted;
use xmp_core::{Error, Result, Triplet};

/// Some elements of a coarray, by their 0-based indices, in an order. An index is one, and any range: `7`, `2..5`, `1..`,
/// `..`. A step of 0 is an error of the access.
///
/// ```
/// use xmp_coarray::prelude::*;
///
/// run_on_threads(1, |image| {
///     // A matrix of 3 rows of 4.
///     let matrix = Coarray::from_fn(image, 12, |k| k)?;
///     assert_eq!(matrix.get_vec(1, 4..8)?, [4, 5, 6, 7]);
///     // Its second column, the first column upwards, and its lower right corner.
///     assert_eq!(matrix.get_vec(1, Section::every(4, 1..))?, [1, 5, 9]);
///     assert_eq!(matrix.get_vec(1, Section::strided(8, 3, -4))?, [8, 4, 0]);
///     let corner = Section::from(6..8).repeated(2, 4);
///     assert_eq!(matrix.get_vec(1, corner)?, [6, 7, 10, 11]);
///     matrix.free()
/// })?;
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    triplet: Triplet,
    /// Outer dimensions, innermost first: how often, and how many elements apart.
    repeats: SmallVec<[(usize, isize); 2]>,
}

impl<T: Into<Triplet>> From<T> for Section {
    #[inline(always)]
    fn from(triplet: T) -> Section {
        Section { triplet: triplet.into(), repeats: SmallVec::new() }
    }
}

/// A section of a coarray of known length.
pub(super) struct Resolved {
    /// Byte offset of its first element.
    pub base: i64,
    /// Its dimensions in bytes, innermost first.
    pub axes: SmallVec<[Axis<'static>; 3]>,
    /// Number of its elements.
    pub elements: usize,
}

impl Section {
    /// Every `step`-th element of a range, starting with its first.
    pub fn every(step: usize, range: impl RangeBounds<usize>) -> Section {
        Triplet::every(step, range).into()
    }

    /// `count` elements, the first and then each `step` further; the step may be negative.
    pub fn strided(first: usize, count: usize, step: isize) -> Section {
        Triplet::strided(first, count, step).into()
    }

    /// This section `count` times, each `step` elements further than the one before: one more dimension.
    pub fn repeated(mut self, count: usize, step: isize) -> Section {
        self.repeats.push((count, step));
        self
    }

    /// First element and number of elements, if they are one after the other.
    #[inline(always)]
    pub(super) fn contiguous(&self, len: usize) -> Option<(usize, usize)> {
        match self.triplet.resolve(0, len) {
            (first, count, 1) if self.repeats.is_empty() => Some((first, count)),
            _ => None,
        }
    }

    /// In a coarray of `len` elements of `size` bytes. Whether it is within is seen when a transfer is planned.
    pub(super) fn resolve(&self, len: usize, size: usize) -> Result<Resolved> {
        let overflow =
            || Error::SizeOverflow(format!("{self:?} of elements of {}", counted(size, "byte")));
        let bytes =
            |elements: isize| (elements as i64).checked_mul(size as i64).ok_or_else(overflow);
        let (first, count, step) = self.triplet.resolve(0, len);
        let base = bytes(first.try_into().map_err(|_| overflow())?)?;
        let mut axes = SmallVec::new();
        let mut elements = 1usize;
        for (extent, step) in std::iter::once((count, step)).chain(self.repeats.iter().copied()) {
            if step == 0 && extent > 1 {
                let text = format!("a section with {extent} times the same elements: a step of 0");
                return Err(Error::Invalid(text));
            }
            axes.push(Axis::Stride { extent, stride: bytes(step)? });
            elements = elements.checked_mul(extent).ok_or_else(overflow)?;
        }
        Ok(Resolved { base, axes, elements })
    }
}
