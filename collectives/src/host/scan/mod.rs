//! Scans between the members of a collective area. One algorithm a file; all combine in the brackets of
//! [`crate::schedules::prefix`].
//!
//! | algorithm | elements lie | steps | for |
//! |---|---|---|---|
//! | [`slots`] | in the step's cache line | one for 56 bytes | few numbers |
//! | [`staged`] | in staging; each member combines all up to its own | one a chunk | few members |
//! | [`doubling`] | in staging; in each step from the member twice as far | log2 of the members a chunk | many |
//! | [`direct`] | where they are: all operands are in segments | two | large |

pub mod direct;
pub mod doubling;
pub mod slots;
pub mod staged;

use crate::reduction::Reduction;
use std::ops::Range;

/// A scan as one member sees it.
#[derive(Clone, Copy, Debug)]
pub struct Operand<'a> {
    /// This member's elements, and the result.
    pub buffer: *mut u8,
    /// Number of elements, at least one.
    pub count: usize,
    /// How they are combined.
    pub reduction: &'a Reduction<'a>,
    /// Whether a member's own elements are not in its result. The first then has none, and keeps its elements.
    pub exclusive: bool,
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

    /// The members whose elements are in the result of the one at `position`.
    #[inline(always)]
    fn members_in(&self, position: usize) -> Range<usize> {
        0..if self.exclusive { position } else { position + 1 }
    }

    /// The elements in pieces of about `chunk` bytes.
    fn pieces(&self, chunk: usize) -> impl Iterator<Item = Range<usize>> + use<> {
        let (step, count) = ((chunk / self.element()).max(1), self.count);
        (0..count).step_by(step).map(move |from| from..(from + step).min(count))
    }
}
