//! The free ranges between the live blocks of a heap.

use super::placement::Placement;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Where a heap starts, and in which direction it grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the start of its range upwards.
    Up,
    /// From the end of its range downwards.
    Down,
}

/// Free ranges, by place and by size. No two of them touch: the heap joins them with [`Holes::absorb`] before it
/// inserts.
#[derive(Debug)]
pub(super) struct Holes {
    direction: Direction,
    by_start: BTreeMap<u64, u64>,
    by_size: BTreeSet<SizeKey>,
}

/// The order of holes by size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct SizeKey {
    len: u64,
    /// Of equal lengths the hole nearest to the start of the heap comes first, so that the edge can recede.
    distance: u64,
}

impl Holes {
    pub(super) fn new(direction: Direction) -> Holes {
        Holes { direction, by_start: BTreeMap::new(), by_size: BTreeSet::new() }
    }

    /// Adds a range that touches no other hole; an empty one is ignored.
    pub(super) fn insert(&mut self, hole: Range<u64>) {
        if !hole.is_empty() {
            self.by_start.insert(hole.start, hole.end);
            self.by_size.insert(self.key(&hole));
        }
    }

    /// Removes the holes that touch `range` and returns their union with it.
    pub(super) fn absorb(&mut self, range: Range<u64>) -> Range<u64> {
        if self.by_start.is_empty() {
            return range;
        }
        let below = self.by_start.range(..range.start).next_back();
        let below = below.map(|(&start, &end)| start..end).filter(|b| b.end == range.start);
        let above = self.by_start.get(&range.end).map(|&end| range.end..end);
        let mut union = range;
        if let Some(hole) = below {
            self.remove(&hole);
            union.start = hole.start;
        }
        if let Some(hole) = above {
            self.remove(&hole);
            union.end = hole.end;
        }
        union
    }

    /// Takes `len` bytes at a permitted place out of the smallest hole that has room for them.
    pub(super) fn take(&mut self, len: u64, placement: Placement) -> Option<u64> {
        if self.by_size.is_empty() {
            return None;
        }
        let (hole, at) = self.by_size.range(SizeKey { len, distance: 0 }..).find_map(|&key| {
            let hole = self.hole(key);
            place(self.direction, &hole, len, placement).map(|at| (hole, at))
        })?;
        self.remove(&hole);
        self.insert(hole.start..at);
        self.insert(at + len..hole.end);
        Some(at)
    }

    /// Length of the longest block at a permitted place that [`Holes::take`] can give.
    pub(super) fn largest(&self, placement: Placement) -> u64 {
        let room = |key| {
            let hole = self.hole(key);
            placement.at_or_after(hole.start).map_or(0, |at| hole.end.saturating_sub(at))
        };
        let mut best = 0;
        for &key in self.by_size.iter().rev() {
            if key.len <= best {
                break;
            }
            best = best.max(room(key));
        }
        best
    }

    /// All holes in order of place.
    #[cfg(all(test, not(loom)))]
    pub(super) fn iter(&self) -> impl Iterator<Item = Range<u64>> + '_ {
        self.by_start.iter().map(|(&start, &end)| start..end)
    }

    fn remove(&mut self, hole: &Range<u64>) {
        self.by_start.remove(&hole.start);
        self.by_size.remove(&self.key(hole));
    }

    fn key(&self, hole: &Range<u64>) -> SizeKey {
        let distance = match self.direction {
            Direction::Up => hole.start,
            Direction::Down => !hole.start,
        };
        SizeKey { len: hole.end - hole.start, distance }
    }

    fn hole(&self, key: SizeKey) -> Range<u64> {
        let start = match self.direction {
            Direction::Up => key.distance,
            Direction::Down => !key.distance,
        };
        start..start + key.len
    }
}

/// Offset of `len` bytes in `hole`: as close to the start of the heap as `placement` permits.
fn place(direction: Direction, hole: &Range<u64>, len: u64, placement: Placement) -> Option<u64> {
    match direction {
        Direction::Up => {
            let at = placement.at_or_after(hole.start)?;
            (at.checked_add(len)? <= hole.end).then_some(at)
        }
        Direction::Down => {
            let at = placement.at_or_before(hole.end.checked_sub(len)?)?;
            (at >= hole.start).then_some(at)
        }
    }
}
