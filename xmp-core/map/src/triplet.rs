//! Subscript triplets: a selection from a row of items, by first, count and step.

use std::ops::{
    Bound, Range, RangeBounds, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive,
};

/// A selection from a row of items that are numbered without gaps: elements of an array from 0, images of a set from 1.
/// Made from an index or any range; the bounds of an open range are known when it is [resolved](Triplet::resolve).
///
/// ```
/// use xmp_core::Triplet;
/// assert_eq!(Triplet::from(3..).resolve(0, 10), (3, 7, 1));
/// assert_eq!(Triplet::from(3..).resolve(1, 10), (3, 8, 1));
/// assert_eq!(Triplet::every(4, ..).resolve(0, 10), (0, 3, 4));
/// assert_eq!(Triplet::strided(9, 5, -2).resolve(0, 10), (9, 5, -2));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Triplet {
    first: Option<usize>,
    end: End,
    step: isize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Count(usize),
    Before(usize),
    Last,
}

impl Triplet {
    /// `count` items, the first and then each `step` further; the step may be negative.
    pub fn strided(first: usize, count: usize, step: isize) -> Triplet {
        Triplet { first: Some(first), end: End::Count(count), step }
    }

    /// Every `step`-th of a range, starting with its first. A step of 0 selects the first item as often as the range has
    /// items; the user of the triplet refuses that.
    pub fn every(step: usize, range: impl RangeBounds<usize>) -> Triplet {
        let after = |k: &usize| k.saturating_add(1);
        let first = match range.start_bound() {
            Bound::Included(&k) => Some(k),
            Bound::Excluded(k) => Some(after(k)),
            Bound::Unbounded => None,
        };
        let end = match range.end_bound() {
            Bound::Included(k) => End::Before(after(k)),
            Bound::Excluded(&k) => End::Before(k),
            Bound::Unbounded => End::Last,
        };
        // A longer step leaves only the first item of any row that exists.
        Triplet { first, end, step: step.try_into().unwrap_or(isize::MAX) }
    }

    /// First, count and step in a row of `len` items that are numbered from `lower`. The caller checks whether they all
    /// are in the row, and names them in its error.
    #[inline(always)]
    pub fn resolve(&self, lower: usize, len: usize) -> (usize, usize, isize) {
        let first = self.first.unwrap_or(lower);
        let end = match self.end {
            End::Count(count) => return (first, count, self.step),
            End::Before(end) => end,
            End::Last => lower.saturating_add(len),
        };
        (first, end.saturating_sub(first).div_ceil(self.step.unsigned_abs().max(1)), self.step)
    }
}

macro_rules! from_ranges {
    ($($range:ty),*) => {$(
        impl From<$range> for Triplet {
            #[inline(always)]
            fn from(range: $range) -> Triplet {
                Triplet::every(1, range)
            }
        }
    )*};
}

/// One item.
impl From<usize> for Triplet {
    #[inline(always)]
    fn from(index: usize) -> Triplet {
        Triplet { first: Some(index), end: End::Count(1), step: 1 }
    }
}

from_ranges!(
    Range<usize>,
    RangeFrom<usize>,
    RangeFull,
    RangeInclusive<usize>,
    RangeTo<usize>,
    RangeToInclusive<usize>
);

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_is_what_step_by_is(first in 0usize..20, end in 0usize..30, step in 1usize..9) {
            for (range, triplet) in [
                ((first..end).collect::<Vec<_>>(), Triplet::every(step, first..end)),
                ((first..=end).collect(), Triplet::every(step, first..=end)),
                ((first..31).collect(), Triplet::every(step, first..)),
                ((1..end).collect(), Triplet::every(step, ..end)),
                ((1..=end).collect(), Triplet::every(step, ..=end)),
                ((1..31).collect(), Triplet::every(step, ..)),
            ] {
                let expected: Vec<usize> = range.into_iter().step_by(step).collect();
                let (first, count, step) = triplet.resolve(1, 30);
                let got: Vec<usize> =
                    (0..count).map(|k| first.wrapping_add_signed(k as isize * step)).collect();
                prop_assert_eq!(got, expected);
            }
        }
    }

    #[test]
    fn extremes_do_not_overflow() {
        assert_eq!(Triplet::from(0..=usize::MAX).resolve(0, 1), (0, usize::MAX, 1));
        assert_eq!(Triplet::every(usize::MAX, 5..).resolve(0, 9), (5, 1, isize::MAX));
        assert_eq!(Triplet::from(..).resolve(1, usize::MAX), (1, usize::MAX - 1, 1));
    }
}
