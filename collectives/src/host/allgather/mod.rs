//! Allgathers between the members of a collective area. One algorithm a file.
//!
//! | algorithm | contributions lie | steps | for |
//! |---|---|---|---|
//! | [`slots`] | in the step's cache line | one for 56 bytes | few bytes |
//! | [`staged`] | in staging | one a chunk | everything else |
//! | [`direct`] | where they are: all are in segments | two | large |

pub mod direct;
pub mod slots;
pub mod staged;

use crate::host::copy;

/// An allgather as one member sees it.
#[derive(Clone, Copy, Debug)]
pub struct Contribution<'a> {
    /// What this member gives.
    pub mine: *const u8,
    /// Where it wants what all give.
    pub all: *mut u8,
    /// Where the contribution of each member goes in `all`: offsets and, at the end, the length of `all`.
    pub offsets: Offsets<'a>,
}

/// Where contributions go.
#[derive(Clone, Copy, Debug)]
pub enum Offsets<'a> {
    /// All have this length, at least one byte; one follows the other.
    Equal(usize),
    /// Contribution i is at `offsets[i]..offsets[i + 1]`.
    Table(&'a [usize]),
}

impl Offsets<'_> {
    /// Offset of a contribution.
    #[inline(always)]
    pub fn of(&self, position: usize) -> usize {
        match self {
            Offsets::Equal(len) => len * position,
            Offsets::Table(offsets) => offsets[position],
        }
    }

    /// Length of a contribution.
    #[inline(always)]
    pub fn len(&self, position: usize) -> usize {
        self.of(position + 1) - self.of(position)
    }

    /// Length of the longest of `members` contributions.
    pub fn longest(&self, members: usize) -> usize {
        match self {
            Offsets::Equal(len) => *len,
            Offsets::Table(_) => (0..members).map(|i| self.len(i)).max().unwrap_or(0),
        }
    }
}

impl Contribution<'_> {
    /// Copies the whole contribution of `position`.
    ///
    /// # Safety
    /// The contribution is valid.
    pub unsafe fn put(&self, position: usize, bytes: &[u8]) {
        // SAFETY: the contribution is valid (contract above); the length is checked.
        unsafe {
            assert_eq!(bytes.len(), self.offsets.len(position));
            self.take(position, 0, bytes.len(), bytes.as_ptr());
        }
    }

    /// Copies the part from `from`, at most `most` bytes, of the contribution of `position` from `source`.
    ///
    /// # Safety
    /// `source` is valid for that part.
    unsafe fn take(&self, position: usize, from: usize, most: usize, source: *const u8) {
        let len = self.offsets.len(position);
        if from < len {
            let at = self.all.wrapping_add(self.offsets.of(position) + from);
            // SAFETY: in bounds; a contribution does not overlap where it goes.
            unsafe { copy::take(at, source, most.min(len - from)) };
        }
    }
}
