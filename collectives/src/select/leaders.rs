//! The choice between leaders, and between the images of a host that have no collective area.

use super::names::*;
use super::table::{self, Line, far, measured};
use xmp_core::Image;

/// What an algorithm is chosen by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Between {
    /// Bytes that each participant brings or gets.
    pub bytes: usize,
    /// Number of participants.
    pub participants: usize,
    /// Whether images share cores, so that every message that is waited for costs microseconds.
    pub crowded: bool,
    /// Whether only messages go between them: they are on hosts that share no memory.
    pub far: bool,
}

/// Whether the job is on hosts that share no memory.
pub fn spans_regions(image: &Image) -> bool {
    let job = image.job();
    job.region_ranks().len() < job.images()
}

impl Between {
    /// What there is to choose by in an operation of `image` between hosts.
    pub fn new(image: &Image, bytes: usize, participants: usize) -> Between {
        Between { far: spans_regions(image), ..Between::here(image, bytes, participants) }
    }

    /// The same between images of a host.
    pub fn here(image: &Image, bytes: usize, participants: usize) -> Between {
        let crowded = image.job().page().waiting.crowded != 0;
        Between { bytes, participants, crowded, far: false }
    }

    fn find<A: Copy>(self, near: &'static [Line<A>], far: &'static [Line<A>]) -> A {
        if self.far {
            table::find(far, self.participants, false, self.bytes)
        } else {
            table::find(near, self.participants, self.crowded, self.bytes)
        }
    }

    /// How participants meet.
    pub fn barrier(self, forced: Option<LeaderBarrier>) -> LeaderBarrier {
        forced.unwrap_or_else(|| self.find(measured::LEADER_BARRIER, far::BARRIER))
    }

    /// How data is broadcast.
    pub fn broadcast(self, forced: Option<LeaderBroadcast>) -> LeaderBroadcast {
        forced.unwrap_or_else(|| self.find(measured::LEADER_BROADCAST, far::BROADCAST))
    }

    /// How a reduction to one participant is made.
    pub fn reduce(self, forced: Option<LeaderReduce>) -> LeaderReduce {
        forced.unwrap_or_else(|| self.find(measured::LEADER_REDUCE, far::REDUCE))
    }

    /// How a reduction to all is made.
    pub fn allreduce(self, forced: Option<LeaderAllreduce>) -> LeaderAllreduce {
        forced.unwrap_or_else(|| self.find(measured::LEADER_ALLREDUCE, far::ALLREDUCE))
    }

    /// How contributions are gathered.
    pub fn allgather(self, forced: Option<LeaderAllgather>) -> LeaderAllgather {
        forced.unwrap_or_else(|| self.find(measured::LEADER_ALLGATHER, far::ALLGATHER))
    }
}
