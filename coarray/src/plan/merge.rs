//! Merges the loops of a plan, so that few are left and units are long.

use super::shape::bounds;
use super::{Dim, Plan, Step};

impl Plan<'_> {
    /// Orders the loops by how far they move at the destination, nearest innermost, and joins every
    /// loop with the one around it where that continues it on both sides.
    pub(super) fn merge(&mut self) {
        if self.dims.len() < 2 {
            return;
        }
        // Stable: loops that are in order already, nearly always, stay as they are.
        self.dims.sort_by_key(|dim| distance(&dim.dst));
        let mut kept = 0;
        for outer in 1..self.dims.len() {
            let (inner, dim) = (self.dims[kept], self.dims[outer]);
            if continues(inner.extent, &inner.dst, &dim.dst)
                && continues(inner.extent, &inner.src, &dim.src)
            {
                self.dims[kept].extent *= dim.extent;
            } else {
                kept += 1;
                self.dims[kept] = dim;
            }
        }
        self.dims.truncate(kept + 1);
    }

    /// Makes the innermost loop a part of the unit if it is contiguous on both sides. (Once merged,
    /// at most one loop can be.)
    pub(super) fn contract(&mut self) {
        let unit = Step::Stride(self.dst.unit as i64);
        if let Some(&Dim { extent, dst, src }) = self.dims.first()
            && dst == unit
            && src == unit
        {
            self.dst.unit *= extent;
            self.src.unit *= extent;
            self.dims.remove(0);
        }
    }
}

/// How far apart the elements are, on average.
fn distance(step: &Step) -> u64 {
    match step {
        Step::Stride(stride) => stride.unsigned_abs(),
        Step::Index(list) => {
            let (low, high) = bounds(list);
            high.abs_diff(low) / (list.len() as u64 - 1)
        }
    }
}

/// Whether `outer` starts anew where `inner` would be after `extent` steps.
fn continues(extent: usize, inner: &Step, outer: &Step) -> bool {
    match (inner, outer) {
        (Step::Stride(inner), Step::Stride(outer)) => {
            inner.checked_mul(extent as i64) == Some(*outer)
        }
        _ => false,
    }
}
