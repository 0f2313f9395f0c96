//! Nests, as they travel.

use super::Grid;
use crate::nest::{Loop, Nest};
use std::ops::Range;

impl Grid {
    /// The target's side of a nest at `offset`.
    pub fn of(offset: u64, nest: Nest<'_>) -> Grid {
        let loops = nest.loops.iter().map(|it| Loop { local: 0, ..*it }).collect();
        Grid { offset, unit: nest.unit, loops }
    }

    /// The nest; its distances in local memory are 0.
    pub fn nest(&self) -> Nest<'_> {
        Nest { unit: self.unit, loops: &self.loops }
    }

    /// Bytes of the units, packed; `None` when there are more than can be addressed.
    pub fn packed(&self) -> Option<u64> {
        self.nest().bytes().map(|len| len as u64)
    }

    /// The bytes of the segment from the first to the last one touched, which may lie outside it.
    pub fn touched(&self) -> Range<i128> {
        self.nest().touched(self.offset)
    }
}
