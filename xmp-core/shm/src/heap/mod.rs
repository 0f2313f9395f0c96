//! Offset allocators for the heaps of a segment: pure bookkeeping, no memory is touched.
//!
//! The symmetric heap of the initial team and the non-symmetric heap share one range and grow towards
//! one another ([`Arena`]); the teams heap is a [`Heap`] alone. Nothing has a preset size: a heap ends
//! at its *edge*, the far end of its outermost live block, and what is beyond is free for either.
//!
//! Two properties carry the symmetric heap:
//!
//! * **Deterministic**: the same sequence of calls gives the same offsets on every image. A hole of
//!   the heap itself is always preferred to growth, so what the opposite heap did (which differs from
//!   image to image) decides only whether growth *fits*, never where a block goes.
//! * **Canonical**: holes and edge are a function of the live blocks alone. An allocation that is
//!   undone because another image had no room for it leaves no trace (but for the high-water mark).

mod arena;
mod history;
mod holes;
mod placement;
#[cfg(all(test, not(loom)))]
mod tests;

pub use arena::{Arena, End};
pub use holes::Direction;
pub use placement::{DISTANCE, GRAIN};

use crate::error::{Error, Result};
use history::History;
use holes::Holes;
use placement::{LEAST_SPACIOUS, Placement};
use std::ops::Range;
use xmp_map::by_offset::ByOffset;

/// A point in the history of a heap; see [`Heap::release`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark(u64);

#[derive(Clone, Copy, Debug)]
struct Block {
    len: u64,
    serial: u64,
}

/// A best-fit allocator of offsets that coalesces on free. All operations are O(log n) in the number
/// of blocks; an alignment above [`GRAIN`] adds the number of holes that it makes unfit.
#[derive(Debug)]
pub struct Heap {
    name: &'static str,
    direction: Direction,
    range: Range<u64>,
    edge: u64,
    live: ByOffset<Block>,
    history: History,
    holes: Holes,
    in_use: u64,
    high_water: u64,
    serial: u64,
}

impl Heap {
    /// An empty heap over `range` (offsets in bytes, shrunk to multiples of [`GRAIN`]). `name` is its name in errors.
    pub fn new(name: &'static str, direction: Direction, range: Range<u64>) -> Heap {
        let end = range.end / GRAIN * GRAIN;
        let start = range.start.checked_next_multiple_of(GRAIN).map_or(end, |start| start.min(end));
        let edge = match direction {
            Direction::Up => start,
            Direction::Down => end,
        };
        Heap {
            name,
            direction,
            range: start..end,
            edge,
            live: ByOffset::default(),
            history: History::default(),
            holes: Holes::new(direction),
            in_use: 0,
            high_water: 0,
            serial: 0,
        }
    }

    /// Allocates `size` bytes at a multiple of `align` (a power of two; less than [`GRAIN`] means [`GRAIN`]) and
    /// returns their offset. Size 0 takes [`GRAIN`] bytes: every block has an offset of its own.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] if no hole and no growth has room; [`Error::Invalid`] if `align` is not a power of two.
    /// The heap is unchanged then.
    pub fn allocate(&mut self, size: u64, align: u64) -> Result<u64> {
        let bound = match self.direction {
            Direction::Up => self.range.end,
            Direction::Down => self.range.start,
        };
        self.allocate_within(bound, size, align)
    }

    /// Allocates without moving the edge beyond `bound`.
    fn allocate_within(&mut self, bound: u64, size: u64, align: u64) -> Result<u64> {
        let placement = Placement::new(size, align, self.is_spacious())?;
        let place = size.max(1).checked_next_multiple_of(GRAIN).and_then(|len| {
            let at = self.holes.take(len, placement);
            at.or_else(|| self.grow(bound, len, placement)).map(|at| (at, len))
        });
        let Some((offset, len)) = place else {
            return Err(Error::OutOfMemory {
                heap: self.name,
                requested: size,
                available: self.available_within(bound, placement),
                remedy: String::new(),
            });
        };
        self.serial += 1;
        self.live.insert(offset, Block { len, serial: self.serial });
        self.history.push(self.serial, offset);
        self.in_use += len;
        self.high_water = self.high_water.max(self.extent());
        Ok(offset)
    }

    /// Frees the block at `offset` and returns its length in bytes (as rounded up to [`GRAIN`]).
    ///
    /// # Errors
    /// [`Error::Invalid`] if no live block starts at `offset`: it was never allocated, is within a block, or has been
    /// freed already. The heap is unchanged then.
    pub fn free(&mut self, offset: u64) -> Result<u64> {
        let Some(block) = self.live.remove(offset) else {
            let why = match self.find(offset) {
                Some(within) => format!("lies within the block at {:#x}", within.start),
                None => "is not allocated".into(),
            };
            return Err(Error::Invalid(format!(
                "{}: offset {offset:#x} cannot be freed: it {why}",
                self.name
            )));
        };
        self.history.remove(block.serial);
        self.in_use -= block.len;
        let hole = self.holes.absorb(offset..offset + block.len);
        // A hole that reaches the edge is no hole: the edge recedes.
        match self.direction {
            Direction::Up if hole.end == self.edge => self.edge = hole.start,
            Direction::Down if hole.start == self.edge => self.edge = hole.end,
            _ => self.holes.insert(hole),
        }
        Ok(block.len)
    }

    /// The present point in the heap's history.
    pub fn mark(&self) -> Mark {
        Mark(self.serial)
    }

    /// Frees every live block that was allocated after `mark` was taken, the youngest first, and returns where they
    /// were. O(log n) a block.
    pub fn release(&mut self, mark: Mark) -> Vec<Range<u64>> {
        let mut released = Vec::new();
        while self.serial > mark.0
            && let Some((serial, offset)) = self.history.youngest()
            && serial > mark.0
        {
            let len = self.free(offset).expect("a live block");
            released.push(offset..offset + len);
        }
        released
    }

    /// Whether the live block at `offset` was allocated after `mark` was taken; `None` where no live block starts.
    pub fn is_younger(&self, offset: u64, mark: Mark) -> Option<bool> {
        self.live.get(offset).map(|block| block.serial > mark.0)
    }

    /// Whether a block that was allocated after `mark` was taken still lives.
    pub fn has_younger(&self, mark: Mark) -> bool {
        // In most cases nothing was allocated since.
        self.serial > mark.0 && self.history.youngest().is_some_and(|(serial, _)| serial > mark.0)
    }

    /// The live block that contains `offset`.
    pub fn find(&self, offset: u64) -> Option<Range<u64>> {
        let (start, block) = self.live.at_or_before(offset)?;
        (offset - start < block.len).then(|| start..start + block.len)
    }

    /// Bytes in live blocks, each rounded up to [`GRAIN`].
    pub fn in_use(&self) -> u64 {
        self.in_use
    }

    /// Bytes between the start of the heap and its edge: live blocks and the holes between them.
    pub fn extent(&self) -> u64 {
        match self.direction {
            Direction::Up => self.edge - self.range.start,
            Direction::Down => self.range.end - self.edge,
        }
    }

    /// The start of the range.
    pub fn start(&self) -> u64 {
        self.range.start
    }

    /// The far end of the outermost live block: where growth starts.
    pub fn edge(&self) -> u64 {
        self.edge
    }

    /// The largest extent so far: an upper bound of the memory that the heap has ever touched.
    pub fn high_water(&self) -> u64 {
        self.high_water
    }

    /// Bytes that [`Heap::allocate`] can still allocate in one block at default alignment.
    pub fn available(&self) -> u64 {
        let bound = match self.direction {
            Direction::Up => self.range.end,
            Direction::Down => self.range.start,
        };
        self.available_within(bound, Placement::Aligned(GRAIN))
    }

    /// Whether the heap has room enough to place large blocks as huge pages want it.
    fn is_spacious(&self) -> bool {
        self.range.end - self.range.start >= LEAST_SPACIOUS
    }

    fn available_within(&self, bound: u64, placement: Placement) -> u64 {
        let growth = match self.direction {
            Direction::Up => match placement.at_or_after(self.edge) {
                Some(from) => bound.saturating_sub(from),
                None => 0,
            },
            Direction::Down => {
                self.edge.saturating_sub(placement.at_or_after(bound).unwrap_or(u64::MAX))
            }
        };
        growth.max(self.holes.largest(placement))
    }

    fn grow(&mut self, bound: u64, len: u64, placement: Placement) -> Option<u64> {
        match self.direction {
            Direction::Up => {
                let at = placement.at_or_after(self.edge)?;
                let end = at.checked_add(len).filter(|&end| end <= bound)?;
                self.holes.insert(self.edge..at);
                self.edge = end;
                Some(at)
            }
            Direction::Down => {
                let at = placement.at_or_before(self.edge.checked_sub(len)?)?;
                if at < bound {
                    return None;
                }
                self.holes.insert(at + len..self.edge);
                self.edge = at;
                Some(at)
            }
        }
    }
}
