//! Plans: which blocks an algorithm cuts a vector into, and the rounds that they go through. Pure, as the
//! schedules: an executor ([`crate::leaders`]) or a simulator can take them.

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

/// Bytes of a vector's part that go through a schedule at a time: what one participant passes on, the next can
/// work on already; and the memory for what is received is bounded.
pub const CHUNK: usize = 64 * 1024;

/// The same between hosts that only messages reach: each part costs a handshake there, as long as 64 KiB take, and its
/// bytes go straight to their place.
pub const FAR_CHUNK: usize = 1024 * 1024;

/// Bytes of a chunk of [`LeaderBroadcast::Chain`]: two packets of a channel, so that sending one and receiving
/// the next overlap.
const CHAIN_CHUNK: usize = 16 * 1024;

/// The rounds of one participant.
pub type Rounds = Box<dyn Iterator<Item = Round>>;

/// How a vector goes through a schedule.
pub struct Plan {
    /// Number of parts of the vector, of about equal length: blocks 0..`parts`.
    pub parts: usize,
    /// Work blocks that come after the parts.
    pub work: Work,
    /// Whether the parts take all of a vector, however long it is, and not up to a chunk ([`CHUNK`], [`FAR_CHUNK`])
    /// each.
    pub whole: bool,
    /// What this participant does.
    pub rounds: Rounds,
}

/// Work blocks: `count` blocks as long as part `like`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Number of blocks.
    pub count: usize,
    /// A part.
    pub like: usize,
}

impl std::fmt::Debug for Plan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Plan({} parts, {:?})", self.parts, self.work)
    }
}

impl Plan {
    /// All rounds with a vector of one part.
    fn one(rounds: impl Iterator<Item = Round> + 'static) -> Plan {
        Plan::of(1, rounds)
    }

    fn of(parts: usize, rounds: impl Iterator<Item = Round> + 'static) -> Plan {
        Plan { parts, work: Work::default(), whole: false, rounds: Box::new(rounds) }
    }

    fn with_work(self, count: usize, like: usize) -> Plan {
        Plan { work: Work { count, like }, ..self }
    }

    /// Elements that go through the schedule at a time, of `count` elements of `element` bytes, in parts of up to
    /// `chunk` bytes.
    pub fn segment(&self, count: usize, element: usize, chunk: usize) -> usize {
        if self.whole { count } else { ((chunk / element).max(1) * self.parts).min(count) }
    }

    /// The first element of a part of `count` elements; of part `parts`, `count`.
    pub fn first(&self, part: usize, count: usize) -> usize {
        // Wide enough for any count: parts are few, vectors may be long.
        (part as u128 * count as u128 / self.parts as u128) as usize
    }
}

/// Barrier. Without blocks.
pub fn barrier(algorithm: LeaderBarrier, who: Participant) -> Rounds {
    let Participant { n, position } = who;
    match algorithm {
        LeaderBarrier::Central => Box::new(central::barrier(n, position)),
        LeaderBarrier::Dissemination => Box::new(dissemination::barrier(n, position)),
    }
}

/// Broadcast of `bytes` bytes from the participant `root`.
pub fn broadcast(algorithm: LeaderBroadcast, who: Participant, root: usize, bytes: usize) -> Plan {
    let Participant { n, position } = who;
    match algorithm {
        LeaderBroadcast::Flat => Plan::one(flat::broadcast(n, position, root, 0..1)),
        LeaderBroadcast::Binomial => Plan::one(binomial::broadcast(n, position, root)),
        LeaderBroadcast::Chain => {
            let chunks = bytes.div_ceil(CHAIN_CHUNK).max(1);
            let plan = Plan::of(chunks, chain::broadcast(n, position, root, chunks));
            Plan { whole: true, ..plan }
        }
        LeaderBroadcast::ScatterAllgather => {
            Plan::of(n, scatter_allgather::broadcast(n, position, root))
        }
    }
}

/// Reduction to the participant `root`.
pub fn reduce(algorithm: LeaderReduce, who: Participant, root: usize) -> Plan {
    let Participant { n, position } = who;
    match algorithm {
        LeaderReduce::Flat => {
            let work = if position == root { n } else { 0 };
            Plan::one(flat::reduce(n, position, root)).with_work(work, 0)
        }
        LeaderReduce::Binomial => Plan::one(binomial::reduce(n, position, root)),
        LeaderReduce::Slices => {
            Plan::of(n, slices::reduce(n, position, root)).with_work(n, position)
        }
        LeaderReduce::Rabenseifner => {
            Plan::of(halving::parts(n), halving::reduce(n, position, root))
        }
    }
}

/// Reduction to all.
pub fn allreduce(algorithm: LeaderAllreduce, who: Participant) -> Plan {
    let Participant { n, position } = who;
    match algorithm {
        LeaderAllreduce::Flat => {
            let work = if position == 0 { n } else { 0 };
            Plan::one(flat::allreduce(n, position)).with_work(work, 0)
        }
        LeaderAllreduce::Binomial => Plan::one(binomial::allreduce(n, position)),
        LeaderAllreduce::RecursiveDoubling => Plan::one(recursive_doubling::allreduce(n, position)),
        LeaderAllreduce::Slices => {
            Plan::of(n, slices::allreduce(n, position)).with_work(n, position)
        }
        LeaderAllreduce::Rabenseifner => {
            Plan::of(halving::parts(n), halving::allreduce(n, position))
        }
        LeaderAllreduce::Ring => Plan::of(n, ring::allreduce(n, position)).with_work(n, position),
    }
}

/// How contributions go through a schedule: one block each.
pub struct Gathering {
    /// The participant whose contribution is block 0; the others follow in their order, around.
    pub first: usize,
    /// What this participant does.
    pub rounds: Rounds,
}

impl std::fmt::Debug for Gathering {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Gathering(from {})", self.first)
    }
}

/// Gathering of contributions for all.
pub fn allgather(algorithm: LeaderAllgather, who: Participant) -> Gathering {
    let Participant { n, position } = who;
    let in_order = |rounds| Gathering { first: 0, rounds };
    match algorithm {
        LeaderAllgather::Bruck => {
            Gathering { first: position, rounds: Box::new(bruck::allgather(n, position)) }
        }
        LeaderAllgather::Ring => in_order(Box::new(ring::allgather(n, position)) as Rounds),
        LeaderAllgather::RecursiveDoubling => {
            in_order(Box::new(recursive_doubling::allgather(n, position)))
        }
    }
}

/// Scan, inclusive.
pub fn scan(algorithm: LeaderScan, who: Participant) -> Plan {
    let Participant { n, position } = who;
    match algorithm {
        LeaderScan::RecursiveDoubling => Plan::one(prefix::scan(n, position)),
    }
}
