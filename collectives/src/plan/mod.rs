//! Plans: the blocks into which an algorithm divides a vector, and the rounds that they go through. Plans are pure, as
//! schedules are: [`crate::leaders`] executes them, and a simulator can.

#[cfg(test)]
mod tests;

pub use crate::schedules::Participant;

use crate::schedules::{
    Round, binomial, bruck, central, chain, dissemination, flat, halving, prefix,
    recursive_doubling, ring, scatter_allgather, slices,
};
use crate::select::{
    LeaderAllgather, LeaderAllreduce, LeaderBarrier, LeaderBroadcast, LeaderReduce, LeaderScan,
};

/// Bytes of each part of a vector that go through a schedule at a time. So the memory for received data is bounded, and
/// a participant can work on one segment while the next one travels.
pub const CHUNK: usize = 64 * 1024;

/// The same between hosts that share no memory. Each part costs a handshake there, which takes as long as 64 KiB, and its
/// bytes go straight to their place.
pub const FABRIC_CHUNK: usize = 1024 * 1024;

/// Chunks of a broadcast between two participants that are sent at a time: nothing else could be done meanwhile, and each
/// message costs a handshake.
const DIRECT_CHUNKS: usize = 8;

/// Bytes of a chunk of [`LeaderBroadcast::Chain`]: two packets of a channel, so that sending one and receiving
/// the next overlap.
const CHAIN_CHUNK: usize = 16 * 1024;

/// [`VectorPlan::chunks`] of a plan for a whole vector, however long it is.
const WHOLE: usize = usize::MAX;

/// The rounds of one participant.
pub type Rounds = Box<dyn Iterator<Item = Round>>;

/// The schedule of one participant for a vector, and the division of the vector into blocks.
pub struct VectorPlan {
    /// Number of parts of the vector, of about equal length: blocks 0..`parts`.
    pub parts: usize,
    /// Work blocks that come after the parts.
    pub work: Work,
    /// Chunks ([`CHUNK`], [`FABRIC_CHUNK`]) of each part that go through the schedule at a time.
    pub chunks: usize,
    /// The rounds of this participant.
    pub rounds: Rounds,
}

/// Work blocks: `count` blocks as long as part `like`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Number of blocks.
    pub count: usize,
    /// The part that has their length.
    pub like: usize,
}

impl std::fmt::Debug for VectorPlan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "VectorPlan({} parts, {:?})", self.parts, self.work)
    }
}

impl VectorPlan {
    /// A plan for a vector of one part.
    fn one(rounds: impl Iterator<Item = Round> + 'static) -> VectorPlan {
        VectorPlan::of(1, rounds)
    }

    fn of(parts: usize, rounds: impl Iterator<Item = Round> + 'static) -> VectorPlan {
        VectorPlan { parts, work: Work::default(), chunks: 1, rounds: Box::new(rounds) }
    }

    fn in_chunks(self, chunks: usize) -> VectorPlan {
        VectorPlan { chunks, ..self }
    }

    fn with_work(self, count: usize, like: usize) -> VectorPlan {
        VectorPlan { work: Work { count, like }, ..self }
    }

    /// Elements that go through the schedule at a time, of `count` elements of `element` bytes, in parts of up to
    /// [`VectorPlan::chunks`] times `chunk` bytes.
    pub fn segment(&self, count: usize, element: usize, chunk: usize) -> usize {
        let of_part = (chunk / element).max(1).saturating_mul(self.chunks);
        of_part.saturating_mul(self.parts).min(count)
    }

    /// The first element of a part of `count` elements; of part `parts`, `count`.
    pub fn first(&self, part: usize, count: usize) -> usize {
        // Wide enough for any count: parts are few, vectors may be long.
        (part as u128 * count as u128 / self.parts as u128) as usize
    }
}

/// The rounds of a barrier, without blocks.
pub fn barrier(algorithm: LeaderBarrier, who: Participant) -> Rounds {
    let Participant { n, position } = who;
    match algorithm {
        LeaderBarrier::Central => Box::new(central::barrier(n, position)),
        LeaderBarrier::Dissemination => Box::new(dissemination::barrier(n, position)),
    }
}

/// The plan of a broadcast of `bytes` bytes from the participant `root`.
pub fn broadcast(
    algorithm: LeaderBroadcast,
    who: Participant,
    root: usize,
    bytes: usize,
) -> VectorPlan {
    let Participant { n, position } = who;
    let chunks = if n <= 2 { DIRECT_CHUNKS } else { 1 };
    match algorithm {
        LeaderBroadcast::Flat => {
            VectorPlan::one(flat::broadcast(n, position, root, 0..1)).in_chunks(chunks)
        }
        LeaderBroadcast::Binomial => {
            VectorPlan::one(binomial::broadcast(n, position, root)).in_chunks(chunks)
        }
        LeaderBroadcast::Chain => {
            let parts = bytes.div_ceil(CHAIN_CHUNK).max(1);
            let rounds = chain::broadcast(n, position, root, parts);
            VectorPlan::of(parts, rounds).in_chunks(WHOLE)
        }
        LeaderBroadcast::ScatterAllgather => {
            VectorPlan::of(n, scatter_allgather::broadcast(n, position, root))
        }
    }
}

/// The plan of a reduction to the participant `root`.
pub fn reduce(algorithm: LeaderReduce, who: Participant, root: usize) -> VectorPlan {
    let Participant { n, position } = who;
    match algorithm {
        LeaderReduce::Flat => {
            let work = if position == root { n } else { 0 };
            VectorPlan::one(flat::reduce(n, position, root)).with_work(work, 0)
        }
        LeaderReduce::Binomial => VectorPlan::one(binomial::reduce(n, position, root)),
        LeaderReduce::Slices => {
            VectorPlan::of(n, slices::reduce(n, position, root)).with_work(n, position)
        }
        LeaderReduce::Rabenseifner => {
            VectorPlan::of(halving::parts(n), halving::reduce(n, position, root))
        }
    }
}

/// The plan of a reduction to all participants.
pub fn allreduce(algorithm: LeaderAllreduce, who: Participant) -> VectorPlan {
    let Participant { n, position } = who;
    match algorithm {
        LeaderAllreduce::Flat => {
            let work = if position == 0 { n } else { 0 };
            VectorPlan::one(flat::allreduce(n, position)).with_work(work, 0)
        }
        LeaderAllreduce::Binomial => VectorPlan::one(binomial::allreduce(n, position)),
        LeaderAllreduce::RecursiveDoubling => {
            VectorPlan::one(recursive_doubling::allreduce(n, position))
        }
        LeaderAllreduce::Slices => {
            VectorPlan::of(n, slices::allreduce(n, position)).with_work(n, position)
        }
        LeaderAllreduce::Rabenseifner => {
            VectorPlan::of(halving::parts(n), halving::allreduce(n, position))
        }
        LeaderAllreduce::Ring => {
            VectorPlan::of(n, ring::allreduce(n, position)).with_work(n, position)
        }
    }
}

/// The schedule of one participant for an allgather, with one block for each contribution.
pub struct AllgatherPlan {
    /// The participant whose contribution is block 0; the others follow in their order, around.
    pub first: usize,
    /// The rounds of this participant.
    pub rounds: Rounds,
}

impl std::fmt::Debug for AllgatherPlan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "AllgatherPlan(from {})", self.first)
    }
}

/// AllgatherPlan of contributions for all.
pub fn allgather(algorithm: LeaderAllgather, who: Participant) -> AllgatherPlan {
    let Participant { n, position } = who;
    let in_order = |rounds| AllgatherPlan { first: 0, rounds };
    match algorithm {
        LeaderAllgather::Bruck => {
            AllgatherPlan { first: position, rounds: Box::new(bruck::allgather(n, position)) }
        }
        LeaderAllgather::Ring => in_order(Box::new(ring::allgather(n, position)) as Rounds),
        LeaderAllgather::RecursiveDoubling => {
            in_order(Box::new(recursive_doubling::allgather(n, position)))
        }
    }
}

/// The plan of an inclusive scan.
pub fn scan(algorithm: LeaderScan, who: Participant) -> VectorPlan {
    let Participant { n, position } = who;
    match algorithm {
        LeaderScan::RecursiveDoubling => VectorPlan::one(prefix::scan(n, position)),
    }
}
