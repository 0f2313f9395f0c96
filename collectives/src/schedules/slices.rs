//! Reductions by slices in 2 (n - 1) rounds: participant i combines slice i for all. Each participant sends each slice
//! straight to the one that combines it, so the combined and the sent bytes are the fewest possible.
//!
//! Blocks 0..n are the slices of the own vector, work blocks n..2n the operands of the own slice.

use super::{OnReceipt, Operands, Round, Transfer, flat};

/// Brings together the operands of each slice and combines them: afterwards slice i is complete on participant
/// i.
pub fn collect(n: usize, position: usize) -> impl Iterator<Item = Round> {
    (1..n).map(move |k| {
        let (to, from) = ((position + k) % n, (position + n - k) % n);
        let sent = Transfer { peer: to, blocks: to..to + 1 };
        let received = Transfer { peer: from, blocks: n + from..n + from + 1 };
        let round = Round::both(sent, received, OnReceipt::Replace);
        if k == n - 1 {
            round.combining(Operands { own: position, all: n..2 * n, position })
        } else {
            round
        }
    })
}

/// Allreduce: each participant then sends its slice straight to all.
pub fn allreduce(n: usize, position: usize) -> impl Iterator<Item = Round> {
    let spread = (1..n).map(move |k| {
        let (to, from) = ((position + k) % n, (position + n - k) % n);
        let sent = Transfer { peer: to, blocks: position..position + 1 };
        Round::both(sent, Transfer { peer: from, blocks: from..from + 1 }, OnReceipt::Replace)
    });
    collect(n, position).chain(spread)
}

/// Reduction to `root`, which then gets the slices of all.
pub fn reduce(n: usize, position: usize, root: usize) -> impl Iterator<Item = Round> {
    collect(n, position).chain(flat::gather(n, position, root, |slice| slice..slice + 1))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::schedules::simulate::{
        Content, MAX_PARTICIPANTS, canonical_in_block, simulate_sized,
    };

    /// Slices 0..n, and room for the operands of the own one.
    pub fn start(n: usize, p: usize) -> Vec<Content> {
        let slices = (0..n).map(|slice| Content::in_block(p, slice));
        slices.chain((0..n).map(|_| Content::Nothing)).collect()
    }

    /// Slices of three sizes, work blocks of that of the own slice.
    pub fn size(n: usize, p: usize, block: usize) -> usize {
        if block < n { block % 3 } else { p % 3 }
    }

    /// Checks an allreduce by slices for all numbers of participants.
    pub fn check_allreduce(schedule: impl Fn(usize, usize) -> Vec<Round>) {
        for n in 1..=MAX_PARTICIPANTS {
            let rounds = |p| schedule(n, p);
            let end = simulate_sized(n, |p, b| size(n, p, b), |p| start(n, p), rounds);
            let expected: Vec<Content> = (0..n).map(|slice| canonical_in_block(n, slice)).collect();
            for participant in end {
                assert_eq!(participant.blocks[..n], expected, "{n}");
                assert_eq!(participant.heard.count(), n);
            }
        }
    }

    #[test]
    fn every_member_gets_all_in_canonical_brackets() {
        check_allreduce(|n, p| allreduce(n, p).collect());
    }

    #[test]
    fn the_root_gets_all_in_canonical_brackets() {
        for n in 1..=MAX_PARTICIPANTS {
            let expected: Vec<Content> = (0..n).map(|slice| canonical_in_block(n, slice)).collect();
            // Collecting does not depend on the root: every root for some n, some roots for every n.
            for root in (0..n).step_by(if n % 10 == 3 { 1 } else { n.div_ceil(3) }) {
                let rounds = |p| reduce(n, p, root).collect();
                let end = simulate_sized(n, |p, b| size(n, p, b), |p| start(n, p), rounds);
                assert_eq!(end[root].blocks[..n], expected, "{n} to {root}");
                assert_eq!(end[root].heard.count(), n);
            }
        }
    }
}
