//! Two heaps in one range, growing towards one another.

use super::placement::Placement;
use super::{Direction, GRAIN, Heap, Mark};
use crate::error::Result;
use std::ops::Range;

/// Which of the two heaps of an [`Arena`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The one that starts at the lower end and grows up.
    Low,
    /// The one that starts at the upper end and grows down.
    High,
}

/// A range shared by a heap that grows up and one that grows down; neither has a size of its own, and
/// they never cross.
#[derive(Debug)]
pub struct Arena {
    low: Heap,
    high: Heap,
}

impl Arena {
    /// An arena over `range` (offsets in bytes) with the names that errors use for its two heaps.
    pub fn new(low: &'static str, high: &'static str, range: Range<u64>) -> Arena {
        Arena {
            low: Heap::new(low, Direction::Up, range.clone()),
            high: Heap::new(high, Direction::Down, range),
        }
    }

    /// Allocates like [`Heap::allocate`], at one end; the other end's blocks are its limit.
    ///
    /// # Errors
    /// [`crate::error::Error::OutOfMemory`] if no hole and no growth has room; [`crate::error::Error::Invalid`] if `align` is not a
    /// power of two. The arena is unchanged then.
    pub fn allocate(&mut self, end: End, size: u64, align: u64) -> Result<u64> {
        match end {
            End::Low => self.low.allocate_within(self.high.edge, size, align),
            End::High => self.high.allocate_within(self.low.edge, size, align),
        }
    }

    /// Frees like [`Heap::free`], at one end.
    ///
    /// # Errors
    /// [`crate::error::Error::Invalid`] if no live block of that end starts at `offset`. The arena is unchanged then.
    pub fn free(&mut self, end: End, offset: u64) -> Result<u64> {
        match end {
            End::Low => self.low.free(offset),
            End::High => self.high.free(offset),
        }
    }

    /// Frees like [`Heap::release`], at one end.
    pub fn release(&mut self, end: End, mark: Mark) -> Vec<Range<u64>> {
        match end {
            End::Low => self.low.release(mark),
            End::High => self.high.release(mark),
        }
    }

    /// Bytes that [`Arena::allocate`] can still allocate in one block at default alignment.
    pub fn available(&self, end: End) -> u64 {
        let anywhere = Placement::Aligned(GRAIN);
        match end {
            End::Low => self.low.available_within(self.high.edge, anywhere),
            End::High => self.high.available_within(self.low.edge, anywhere),
        }
    }

    /// The heap at one end, for its statistics. (Its own `available` does not know of the other.)
    pub fn heap(&self, end: End) -> &Heap {
        match end {
            End::Low => &self.low,
            End::High => &self.high,
        }
    }
}
