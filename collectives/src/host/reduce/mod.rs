//! Reductions between the members of a collective area, to one of them or to all. One algorithm a file.
//!
//! | algorithm | elements lie | steps | for |
//! |---|---|---|---|
//! | [`slots`] | in the step's cache line | one for 56 bytes | few numbers |
//! | [`copy_in`] | in staging; each member combines everything | one a chunk | middle sizes, few members |
//! | [`sliced`] | in staging; each member combines a slice for all | one a chunk, and one | large, many members |
//! | [`direct`] | where they are: all operands are in segments | two | large |
//!
//! Whether all operands are in segments is found out in the first step of one of the others, which
//! those whose operand is not in a segment begin at the same time.

pub mod copy_in;
pub mod direct;
pub mod sliced;
pub mod slots;

use crate::reduction::Reduction;
use std::ops::Range;

/// A reduction as one member sees it.
#[derive(Clone, Copy, Debug)]
pub struct Operand<'a> {
    /// This member's elements, and the result where it is wanted.
    pub buffer: *mut u8,
    /// Number of elements, at least one.
    pub count: usize,
    /// How they are combined.
    pub reduction: &'a Reduction<'a>,
    /// Position in the collective area of the member that wants the result; `None`: all do.
    pub to: Option<usize>,
}

impl Operand<'_> {
    /// Bytes of an element.
    #[inline(always)]
    fn element(&self) -> usize {
        self.reduction.element()
    }

    /// Bytes of all elements of a member.
    #[inline(always)]
    pub fn bytes(&self) -> usize {
        self.count * self.element()
    }

    /// Address of an element of this member.
    #[inline(always)]
    fn at(&self, element: usize) -> *mut u8 {
        self.buffer.wrapping_add(element * self.element())
    }

    /// Whether this member wants the result.
    #[inline(always)]
    fn wanted_by(&self, position: usize) -> bool {
        self.to.is_none_or(|to| to == position)
    }

    /// The elements in pieces of at most `step`.
    fn pieces(&self, step: usize) -> impl Iterator<Item = Range<usize>> + use<> {
        let count = self.count;
        (0..count).step_by(step).map(move |from| from..(from + step).min(count))
    }
}

/// Elements `slice(range, ..)` of `range` are what one of `members` combines for all: equal shares, rounded up
/// to whole cache lines so that no two members write one.
pub(super) fn slice(
    range: &Range<usize>,
    element: usize,
    members: usize,
    position: usize,
) -> Range<usize> {
    let line = (64 / element).max(1);
    let share = range.len().div_ceil(members).next_multiple_of(line);
    let from = (range.start + position * share).min(range.end);
    from..(from + share).min(range.end)
}

#[cfg(test)]
mod tests {
    use super::slice;

    #[test]
    fn slices_cover_the_range_once() {
        for len in [0, 1, 7, 8, 9, 63, 64, 1000] {
            for element in [1, 3, 8, 16, 100] {
                for members in 1..10 {
                    let range = 5..5 + len;
                    let mut at = range.start;
                    for position in 0..members {
                        let slice = slice(&range, element, members, position);
                        assert!(slice.start == at || slice.is_empty());
                        at = slice.end.max(at);
                    }
                    assert_eq!(at, range.end);
                }
            }
        }
    }
}
