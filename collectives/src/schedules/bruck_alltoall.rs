//! Alltoall after Bruck et al. (1997): ceil(log2 n) rounds for any n. Blocks travel over the bits of their
//! distance and are passed on up to that often: for short blocks.
//!
//! Block j of a participant is one that has to go j places further in all: at first its own for participant
//! (position + j) mod n, at the end what participant (position - j) mod n had for it. In round k all blocks with bit
//! k in their number move on by 2^k places.

/// One round of one participant. The blocks that it receives replace those that it sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    n: usize,
    position: usize,
    distance: usize,
}

/// The rounds of `position` of `n`.
pub fn alltoall(n: usize, position: usize) -> impl Iterator<Item = Hop> {
    std::iter::successors(Some(1), |distance| Some(distance * 2))
        .take_while(move |&distance| distance < n)
        .map(move |distance| Hop { n, position, distance })
}

impl Hop {
    /// The participant that gets the blocks.
    pub fn to(self) -> usize {
        (self.position + self.distance) % self.n
    }

    /// The participant whose blocks arrive.
    pub fn from(self) -> usize {
        (self.position + self.n - self.distance) % self.n
    }

    /// The numbers of the blocks that move.
    pub fn blocks(self) -> impl Iterator<Item = usize> {
        (0..self.n).filter(move |block| block & self.distance != 0)
    }

    /// The origin and the target of the block that arrives as number `block`.
    pub fn way(self, block: usize) -> (usize, usize) {
        let travelled = block & (2 * self.distance - 1);
        let origin = (self.position + self.n - travelled) % self.n;
        (origin, (origin + block) % self.n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedules::simulate::{MAX_PARTICIPANTS, simulate};
    use crate::schedules::{OnReceipt, Round, Transfer};

    /// Each participant gets what is for it; what participants believe to receive, by which they know its length, is
    /// what comes. A block is its origin and its target.
    #[test]
    fn every_block_arrives_on_a_way_that_is_known() {
        for n in 1..=MAX_PARTICIPANTS {
            let mut at: Vec<Vec<(usize, usize)>> =
                (0..n).map(|p| (0..n).map(|j| (p, (p + j) % n)).collect()).collect();
            let rounds = alltoall(n, 0).count();
            assert_eq!(rounds, n.next_power_of_two().ilog2() as usize);
            for k in 0..rounds {
                let before = at.clone();
                for (p, at) in at.iter_mut().enumerate() {
                    let hop = alltoall(n, p).nth(k).unwrap();
                    for block in hop.blocks() {
                        at[block] = before[hop.from()][block];
                        assert_eq!(hop.way(block), at[block]);
                    }
                }
            }
            for (p, at) in at.iter().enumerate() {
                assert!(at.iter().copied().eq((0..n).map(|j| ((p + n - j) % n, p))), "{p} of {n}");
            }
        }
    }

    /// Without blocks, which the simulator would not let be replaced: whom the messages go to and come from.
    #[test]
    fn the_partners_of_rounds_agree() {
        let round = |hop: Hop| {
            let transfer = |peer| Transfer { peer, blocks: 0..0 };
            Round::both(transfer(hop.to()), transfer(hop.from()), OnReceipt::Replace)
        };
        for n in 1..=MAX_PARTICIPANTS {
            let end = simulate(n, |_| vec![], |p| alltoall(n, p).map(round).collect());
            assert!(end.iter().all(|participant| participant.heard.count() == n));
        }
    }
}
