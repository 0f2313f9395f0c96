//! The wire format of sections.

use super::Grid;
use crate::transport::{Dim, Section};

impl Grid {
    /// The grid of a section at `offset`.
    pub fn of(offset: u64, section: Section<'_>) -> Grid {
        let dims = section.dims.iter().map(|dim| Dim { local: 0, ..*dim }).collect();
        Grid { offset, run: section.run as u64, dims }
    }

    /// Bytes of the section, packed; `None` when there are more than can be addressed.
    pub fn packed(&self) -> Option<u64> {
        let extents = self.dims.iter().map(|dim| dim.extent as u64);
        if extents.clone().any(|extent| extent == 0) {
            return Some(0);
        }
        extents.into_iter().try_fold(self.run, u64::checked_mul).filter(|&len| len <= 1 << 62)
    }

    /// The first and one past the last byte of the segment that the section touches, which may lie outside it.
    pub fn touched(&self) -> (i128, i128) {
        let (mut from, mut to) = (i128::from(self.offset), 0);
        to += from + i128::from(self.run);
        for dim in &self.dims {
            if dim.extent == 0 {
                return (self.offset.into(), self.offset.into());
            }
            let reach = (dim.extent as i128 - 1) * i128::from(dim.remote);
            from = from.saturating_add(reach.min(0));
            to = to.saturating_add(reach.max(0));
        }
        (from, to)
    }
}
