//! Scan by doubling of distances (Hillis and Steele 1986), for any number of participants: ceil(log2 n) rounds.
//!
//! In round k each participant sends its block to the participant 2^k positions after it, and puts the received block to
//! the left of its own. So after round k it has the combination of the up to 2^(k+1) operands that end with its own.
//!
//! The *prefix brackets* that follow depend on the position only: of m operands, the last p, with p the largest power
//! of two below m, are a balanced binary tree, and so are, one before the other, those before them in the same way. Of
//! a power of two all are one balanced tree. The left operand is always the lower one, so the operation need not be
//! commutative.

use super::{OnReceipt, Round, Transfer};

/// The rounds of `position` of `n`; afterwards its block 0 is the combination of the operands 0..=position.
pub fn scan(n: usize, position: usize) -> impl Iterator<Item = Round> {
    std::iter::successors(Some(1), |distance| Some(distance * 2))
        .take_while(move |&distance| distance < n)
        .filter_map(move |distance| {
            let whole = |peer| Transfer { peer, blocks: 0..1 };
            let to = (position + distance < n).then(|| whole(position + distance));
            let from = position.checked_sub(distance).map(whole);
            match (to, from) {
                (Some(to), Some(from)) => Some(Round::both(to, from, OnReceipt::Before)),
                (Some(to), None) => Some(Round::send(to.peer, to.blocks)),
                (None, Some(from)) => {
                    Some(Round::receive(from.peer, from.blocks, OnReceipt::Before))
                }
                (None, None) => None,
            }
        })
}

/// Each participant gets, as its block 1, block 0 of the participant before. An inclusive scan of all but the first
/// participant after this is the exclusive scan.
pub fn shift(n: usize, position: usize) -> impl Iterator<Item = Round> {
    let to = (position + 1 < n).then_some(Transfer { peer: position + 1, blocks: 0..1 });
    let from = position.checked_sub(1).map(|peer| Transfer { peer, blocks: 1..2 });
    let round = match (to, from) {
        (Some(to), Some(from)) => Some(Round::both(to, from, OnReceipt::Replace)),
        (Some(to), None) => Some(Round::send(to.peer, to.blocks)),
        (None, Some(from)) => Some(Round::receive(from.peer, from.blocks, OnReceipt::Replace)),
        (None, None) => None,
    };
    round.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedules::simulate::{Content, MAX_PARTICIPANTS, simulate};

    /// The combination of the operands `from..to` in prefix brackets, computed another way.
    fn bracketed(from: usize, to: usize) -> Content {
        let m = to - from;
        if m == 1 {
            return Content::leaf(from);
        }
        let last = m.next_power_of_two() / 2;
        bracketed(from, to - last).then(bracketed(to - last, to))
    }

    #[test]
    fn every_member_gets_what_is_up_to_it() {
        for n in 1..=MAX_PARTICIPANTS {
            let end = simulate(n, |p| vec![Content::leaf(p)], |p| scan(n, p).collect());
            for (position, participant) in end.iter().enumerate() {
                assert_eq!(participant.blocks, [bracketed(0, position + 1)], "{position} of {n}");
                assert_eq!(participant.heard.count(), position + 1);
                assert!(participant.rounds <= n.next_power_of_two().ilog2() as usize);
            }
        }
    }

    #[test]
    fn shifted_each_participant_gets_what_is_before_it() {
        for n in 2..=MAX_PARTICIPANTS {
            let start = |p| vec![Content::leaf(p), Content::Nothing];
            let shifted = simulate(n, start, |p| shift(n, p).collect());
            // The first has nothing before it, and takes no further part.
            let start = |p: usize| vec![shifted[p + 1].blocks[1]];
            let end = simulate(n - 1, start, |p| scan(n - 1, p).collect());
            for (position, participant) in end.iter().enumerate() {
                assert_eq!(participant.blocks, [bracketed(0, position + 1)], "{position} of {n}");
            }
        }
    }
}
