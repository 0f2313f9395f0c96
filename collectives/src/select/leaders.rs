//! The choice between leaders, and between the images of a host that have no collective area.

use super::names::*;
use super::table::{self, Line, fabric, measured};
use xmp_core::Image;

/// The properties of an operation between participants that decide which algorithm it uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Between {
    /// Bytes that each participant gives or gets.
    pub bytes: usize,
    /// Number of participants.
    pub participants: usize,
    /// Whether images share cores, so that each wait for a message costs microseconds.
    pub crowded: bool,
    /// Whether the participants are on hosts that share no memory, so that all messages use the fabric.
    pub over_fabric: bool,
}

/// Whether the job has hosts that share no memory: separate machines, not virtual hosts of one.
pub fn has_separate_hosts(image: &Image) -> bool {
    let job = image.job();
    job.region_ranks().len() < job.images()
}

impl Between {
    /// An operation of `image` between hosts.
    pub fn hosts(image: &Image, bytes: usize, participants: usize) -> Between {
        let over_fabric = has_separate_hosts(image);
        Between { over_fabric, ..Between::local_peers(image, bytes, participants) }
    }

    /// An operation of `image` between the images of its host.
    pub fn local_peers(image: &Image, bytes: usize, participants: usize) -> Between {
        let crowded = image.job().page().waiting.crowded != 0;
        Between { bytes, participants, crowded, over_fabric: false }
    }

    fn find<A: Copy>(self, shared: &'static [Line<A>], fabric: &'static [Line<A>]) -> A {
        if self.over_fabric {
            table::find(fabric, self.participants, false, self.bytes)
        } else {
            table::find(shared, self.participants, self.crowded, self.bytes)
        }
    }

    /// The algorithm of a barrier.
    pub fn barrier(self, forced: Option<LeaderBarrier>) -> LeaderBarrier {
        forced.unwrap_or_else(|| self.find(measured::LEADER_BARRIER, fabric::BARRIER))
    }

    /// The algorithm of a broadcast.
    pub fn broadcast(self, forced: Option<LeaderBroadcast>) -> LeaderBroadcast {
        forced.unwrap_or_else(|| self.find(measured::LEADER_BROADCAST, fabric::BROADCAST))
    }

    /// The algorithm of a reduction to one participant.
    pub fn reduce(self, forced: Option<LeaderReduce>) -> LeaderReduce {
        forced.unwrap_or_else(|| self.find(measured::LEADER_REDUCE, fabric::REDUCE))
    }

    /// The algorithm of a reduction to all participants.
    pub fn allreduce(self, forced: Option<LeaderAllreduce>) -> LeaderAllreduce {
        forced.unwrap_or_else(|| self.find(measured::LEADER_ALLREDUCE, fabric::ALLREDUCE))
    }

    /// The algorithm of an allgather.
    pub fn allgather(self, forced: Option<LeaderAllgather>) -> LeaderAllgather {
        forced.unwrap_or_else(|| self.find(measured::LEADER_ALLGATHER, fabric::ALLGATHER))
    }
}
