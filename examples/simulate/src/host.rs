//! The operations of the images of a host on their collective area, as a number of steps and of bytes that each of them moves. The
//! algorithms are those of [`xmp_collectives::host`], chosen by the same table; operands are ordinary memory.

use crate::costs::Sharing;
use xmp_collectives::select::{HostMove, HostReduce, Shape};
use xmp_core::coll_area::{SLOT_DATA, STAGING};
use xmp_core::machine::{self, Caches};

/// Images that share a collective area.
#[derive(Clone, Copy, Debug)]
pub struct CollArea<'a> {
    /// What things cost.
    pub costs: &'a Sharing,
    /// How many there are.
    pub members: usize,
    /// Images on each core.
    pub load: f64,
}

/// Steps and work of the member that has most.
#[derive(Clone, Copy, Debug, Default)]
struct Effort {
    steps: f64,
    copied: f64,
    combined: f64,
}

impl CollArea<'_> {
    fn shape(&self, bytes: usize) -> Shape {
        let crowded = self.load > 1.0;
        // The machine whose costs are known shows no caches.
        let chunk = machine::chunk(&Caches::default(), crowded);
        Shape { bytes, members: self.members, crowded, chunk }
    }

    fn time(&self, effort: Effort) -> f64 {
        let work = effort.copied * self.costs.copy + effort.combined * self.costs.combine;
        effort.steps * self.costs.step(self.members, self.load) + work * self.load
    }

    /// A step.
    pub fn step(&self) -> f64 {
        self.time(Effort { steps: 1.0, ..Effort::default() })
    }

    /// A reduction of elements of `element` bytes, for all or for one. `None` if that needs messages.
    pub fn reduce(
        &self,
        bytes: usize,
        element: usize,
        for_all: bool,
        forced: Option<HostReduce>,
    ) -> Option<f64> {
        if self.members == 1 {
            return Some(0.0);
        }
        let shape = self.shape(bytes);
        let choice = shape.reduce(element, for_all, forced).otherwise;
        let (all, others) = (bytes as f64, self.members as f64 - 1.0);
        let share = all / self.members as f64;
        let pieces = |size: usize| bytes.div_ceil(size).max(1) as f64;
        let effort = match choice {
            // What is copied comes with the step; what is combined is in the cache.
            HostReduce::Slots => {
                Effort { steps: pieces(SLOT_DATA), copied: 0.0, combined: all * others }
            }
            HostReduce::CopyIn => Effort {
                steps: pieces(shape.chunk),
                copied: all + all * others,
                combined: all * others,
            },
            HostReduce::Sliced | HostReduce::Direct | HostReduce::Grouped => Effort {
                steps: pieces(STAGING / 2) + 2.0,
                // Stages all but its share, reads its share of the others, stages and reads results.
                copied: share * (3.0 * others + 1.0),
                combined: share * others,
            },
            HostReduce::Messages => return None,
        };
        Some(self.time(effort))
    }

    /// A broadcast. `None` if that needs messages.
    pub fn broadcast(&self, bytes: usize, forced: Option<HostMove>) -> Option<f64> {
        if self.members == 1 || bytes == 0 {
            return Some(0.0);
        }
        let shape = self.shape(bytes);
        let chunk = shape.pipelined_chunk();
        let all = bytes as f64;
        let effort = match shape.broadcast(forced).otherwise {
            HostMove::Slots => {
                Effort { steps: bytes.div_ceil(SLOT_DATA) as f64, ..Effort::default() }
            }
            // A chunk is staged while the one before is copied out; only the last one is not overlapped.
            HostMove::Staged | HostMove::Direct | HostMove::Grouped => Effort {
                steps: bytes.div_ceil(chunk) as f64,
                copied: all + all.min(chunk as f64),
                combined: 0.0,
            },
            HostMove::Messages => return None,
        };
        Some(self.time(effort))
    }

    /// An allgather of `bytes` each. `None` if that needs messages.
    pub fn allgather(&self, bytes: usize, forced: Option<HostMove>) -> Option<f64> {
        if self.members == 1 || bytes == 0 {
            return Some(0.0);
        }
        let shape = self.shape(bytes);
        let all = bytes as f64;
        let (steps, copied) = match shape.allgather(forced).otherwise {
            HostMove::Slots => (bytes.div_ceil(SLOT_DATA) as f64, 0.0),
            HostMove::Staged | HostMove::Direct | HostMove::Grouped => {
                (bytes.div_ceil(shape.chunk) as f64, all * self.members as f64)
            }
            HostMove::Messages => return None,
        };
        Some(self.time(Effort { steps, copied, combined: 0.0 }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::costs::Costs;

    #[test]
    fn more_bytes_members_or_load_cost_more() {
        let costs = Costs::default().sharing;
        let area = |members, load| CollArea { costs: &costs, members, load };
        let sum = |members, load, bytes| area(members, load).reduce(bytes, 8, true, None).unwrap();
        assert!(sum(2, 1.0, 8) < sum(4, 1.0, 8) && sum(4, 1.0, 8) < sum(4, 2.0, 8));
        for bytes in [8, 1 << 10, 1 << 16, 1 << 20] {
            assert!(sum(4, 1.0, bytes) < sum(4, 1.0, 8 * bytes), "{bytes}");
        }
        assert!(area(1, 1.0).broadcast(1 << 20, None) == Some(0.0));
        assert!(area(4, 1.0).reduce(8, 8, true, Some(HostReduce::Messages)).is_none());
    }
}
