//! The choice between leaders, and between the images of a host that have no board.

use super::names::*;
use super::table::{self, Line, measured};
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
}

impl Between {
    /// What there is to choose by in an operation of `image`.
    pub fn new(image: &Image, bytes: usize, participants: usize) -> Between {
        let crowded = image.job().page().waiting.crowded != 0;
        Between { bytes, participants, crowded }
    }

    fn find<A: Copy>(self, lines: &'static [Line<A>]) -> A {
        table::find(lines, self.participants, self.crowded, self.bytes)
    }

    /// How participants meet.
    pub fn barrier(self, forced: Option<LeaderBarrier>) -> LeaderBarrier {
        forced.unwrap_or_else(|| self.find(measured::LEADER_BARRIER))
    }

    /// How data is broadcast.
    pub fn broadcast(self, forced: Option<LeaderBroadcast>) -> LeaderBroadcast {
        forced.unwrap_or_else(|| self.find(measured::LEADER_BROADCAST))
    }

    /// How a reduction to one participant is made.
    pub fn reduce(self, forced: Option<LeaderReduce>) -> LeaderReduce {
        forced.unwrap_or_else(|| self.find(measured::LEADER_REDUCE))
    }

    /// How a reduction to all is made.
    pub fn allreduce(self, forced: Option<LeaderAllreduce>) -> LeaderAllreduce {
        forced.unwrap_or_else(|| self.find(measured::LEADER_ALLREDUCE))
    }

    /// How contributions are gathered.
    pub fn allgather(self, forced: Option<LeaderAllgather>) -> LeaderAllgather {
        forced.unwrap_or_else(|| self.find(measured::LEADER_ALLGATHER))
    }
}
