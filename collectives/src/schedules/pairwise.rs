//! Alltoall in n - 1 rounds: in round k each participant sends to the participant k further on what is for it, and
//! receives from the one k before. Nothing is passed on, so nothing is copied twice: for long blocks.
//!
//! Block j is what a participant has for participant j, block n + j what it gets from participant j.

use super::{OnReceipt, Round, Transfer};

/// The rounds of `position` of `n`. What it has for itself stays.
pub fn alltoall(n: usize, position: usize) -> impl Iterator<Item = Round> {
    (1..n).map(move |k| {
        let [to, from] = [(position + k) % n, (position + n - k) % n];
        let send = Transfer { peer: to, blocks: to..to + 1 };
        let receive = Transfer { peer: from, blocks: n + from..n + from + 1 };
        Round::both(send, receive, OnReceipt::Replace)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedules::simulate::{Content, MAX_PARTICIPANTS, simulate};

    #[test]
    fn every_member_gets_what_is_for_it() {
        for n in 1..=MAX_PARTICIPANTS {
            let start = |p: usize| {
                let mut blocks: Vec<_> = (0..n).map(|to| Content::leaf(p * n + to)).collect();
                blocks.resize(2 * n, Content::Nothing);
                blocks
            };
            let end = simulate(n, start, |p| alltoall(n, p).collect());
            for (p, participant) in end.iter().enumerate() {
                for from in (0..n).filter(|&from| from != p) {
                    assert_eq!(participant.blocks[n + from], Content::leaf(from * n + p));
                }
                assert_eq!(participant.heard.count(), n);
            }
        }
    }
}
