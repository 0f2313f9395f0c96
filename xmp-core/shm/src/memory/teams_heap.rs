//! The teams heap of a segment: where sets of images other than the initial one allocate.
//!
//! One heap serves all teams that an image is in, one within the other, because a team allocates only while it executes
//! ("Ge, Eachempati, Khaldi, Chapman: An Evaluation of Anticipated Extensions for Fortran Coarrays", PGAS 2015, section
//! III-A). All members of an executing set have the same blocks in it, so they get the same offsets without
//! communication. Only where the initial team is entered again from within teams do images come together whose heaps
//! differ. They agree on an offset above all of them, the *floor*, and a new heap starts there until that team is left.

use crate::error::Result;
use crate::heap::{Direction, Heap, Mark};
use std::ops::Range;

#[derive(Debug)]
pub(super) struct TeamsHeap {
    area: Range<u64>,
    /// The first heap, and one for each floor; the last one allocates.
    heaps: Vec<Heap>,
    high_water: u64,
}

impl TeamsHeap {
    pub(super) fn new(area: Range<u64>) -> TeamsHeap {
        TeamsHeap { heaps: vec![heap(area.clone())], area, high_water: 0 }
    }

    /// The heap that allocates.
    pub(super) fn top(&self) -> &Heap {
        self.heaps.last().expect("the first heap stays")
    }

    /// The heap that allocates, to change it.
    pub(super) fn top_mut(&mut self) -> &mut Heap {
        self.heaps.last_mut().expect("the first heap stays")
    }

    pub(super) fn allocate(&mut self, size: u64, align: u64) -> Result<u64> {
        let offset = self.top_mut().allocate(size, align)?;
        self.high_water = self.high_water.max(self.top().edge() - self.area.start);
        Ok(offset)
    }

    /// Whether the offset belongs to this heap.
    pub(super) fn covers(&self, offset: u64) -> bool {
        self.area.contains(&offset)
    }

    /// Whether `offset` is in a block that was allocated after `mark` was taken of the heap above `floors` floors.
    pub(super) fn is_younger(&self, offset: u64, floors: usize, mark: Mark) -> bool {
        let place = self.heaps.iter().rposition(|heap| heap.start() <= offset);
        match place.filter(|_| self.covers(offset)) {
            Some(place) if place == floors => {
                let heap = &self.heaps[place];
                heap.find(offset)
                    .is_some_and(|block| heap.is_younger(block.start, mark) == Some(true))
            }
            place => place > Some(floors),
        }
    }

    /// Number of floors.
    pub(super) fn floors(&self) -> usize {
        self.heaps.len() - 1
    }

    /// Blocks are above `floor` from now on, until [`TeamsHeap::lower`].
    pub(super) fn raise(&mut self, floor: u64) {
        self.heaps.push(heap(floor..self.area.end));
    }

    /// Returns to the heap below the last floor, which has nothing allocated above it.
    pub(super) fn lower(&mut self) {
        debug_assert!(self.top().in_use() == 0, "released before");
        self.heaps.pop();
    }

    /// Bytes in use as all members of the executing set see them: everything below the floor counts.
    pub(super) fn committed(&self) -> u64 {
        self.top().start() - self.area.start + self.top().in_use()
    }

    /// Bytes in use.
    pub(super) fn in_use(&self) -> u64 {
        self.heaps.iter().map(Heap::in_use).sum()
    }

    /// Most bytes ever spanned.
    pub(super) fn high_water(&self) -> u64 {
        self.high_water
    }
}

fn heap(range: Range<u64>) -> Heap {
    Heap::new("memory for coarrays of teams", Direction::Up, range)
}
