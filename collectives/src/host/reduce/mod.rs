//! Reduction between the members of a collective area, to one of them or to all.
//!
//! | algorithm | place of the elements | barriers | for |
//! |---|---|---|---|
//! | [`slots`] | slots; for one member, lines of the rings | one for 56 bytes | few numbers |
//! | [`copy_in`] | staging buffers; each member combines all elements | one a chunk | middle sizes, few members |
//! | [`sliced`] | staging buffers; each member combines a slice for all | one a chunk, and one | large, many members |
//! | [`direct`] | segments, where they are | two | long operands in segments |
//! | [`super::grouped`] | staging buffers, or segments, where they are | one a chunk, and two a level | long operands of members in groups |
//! | [`single_copy`] | private memory, where they are | three | long operands in private memory, where the system copies them faster |
//!
//! The members find out whether all operands are in segments with the first barrier of one of the other algorithms,
//! which the members whose operand is not in a segment begin at the same time.

pub mod copy_in;
pub mod direct;
pub mod single_copy;
pub mod sliced;
pub mod slots;

use crate::elements::Elements;
use std::ops::Range;

/// A reduction on one member.
#[derive(Clone, Copy, Debug)]
pub struct Operand<'a> {
    /// The elements of this member. The result replaces them on the members that get it; on the others they are
    /// undefined then.
    pub elements: Elements<'a>,
    /// Position of the member that gets the result; `None` if all members get it. It is the position in the set or in
    /// the collective area that the operation is for.
    pub to: Option<usize>,
}

impl Operand<'_> {
    /// Whether the member at a position gets the result.
    #[inline(always)]
    pub(super) fn wanted_by(&self, position: usize) -> bool {
        self.to.is_none_or(|to| to == position)
    }
}

/// The slice of `range` that the member at `position` combines: equal shares, rounded up to whole cache lines so that
/// no two members write one.
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
