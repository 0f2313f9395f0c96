//! Allgather after Bruck et al. (1997): ceil(log2 n) rounds for any n.
//!
//! Blocks are numbered relative to the participant: block j belongs to participant (position + j) mod n,
//! block 0 is its own. In round k each participant sends its first 2^k blocks (what it has) to the participant 2^k
//! before, and appends what it receives from the one 2^k after.

use super::{OnReceipt, Round, Transfer};

/// The rounds of `position` of `n`; afterwards all n blocks are there.
pub fn allgather(n: usize, position: usize) -> impl Iterator<Item = Round> {
    std::iter::successors(Some(1), |have| Some(have * 2)).take_while(move |&have| have < n).map(
        move |have| {
            let more = have.min(n - have);
            let to = Transfer { peer: (position + n - have) % n, blocks: 0..more };
            let from = Transfer { peer: (position + have) % n, blocks: have..have + more };
            Round::both(to, from, OnReceipt::Replace)
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedules::simulate::{Content, MAX_PARTICIPANTS, simulate_sized};

    #[test]
    fn every_member_gets_every_block() {
        for n in 1..=MAX_PARTICIPANTS {
            let start = |p| {
                let mut blocks = vec![Content::Nothing; n];
                blocks[0] = Content::leaf(p);
                blocks
            };
            let size = |p, j| (p + j) % n % 3;
            let end = simulate_sized(n, size, start, |p| allgather(n, p).collect());
            for (position, participant) in end.iter().enumerate() {
                let expected: Vec<_> = (0..n).map(|j| Content::leaf((position + j) % n)).collect();
                assert_eq!(participant.blocks, expected);
                assert_eq!(participant.rounds, n.next_power_of_two().ilog2() as usize);
            }
        }
    }
}
