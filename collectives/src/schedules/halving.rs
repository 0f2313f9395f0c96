//! Reductions after Rabenseifner (2004): recursive halving brings every seat a part of the result, recursive
//! doubling brings the parts together. Each participant sends and combines the vector about once, in
//! 2 log2 n rounds.
//!
//! Halving begins with the *nearest* seat, as recursive doubling does, so that the operands are combined in
//! canonical brackets ([`super::recursive_doubling`]). A participant without a seat gives its vector to the one
//! that it is paired with, and gets the result from it.
//!
//! Blocks 0..seats are the parts of the vector. Bit k of the seat says which half of what it still has a seat
//! keeps in round k: the lower one if it is 0.

use super::recursive_doubling::Fold;
use super::{OnReceipt, Round, Transfer};
use std::ops::Range;

/// The number of parts: the seats of `n` participants.
pub fn parts(n: usize) -> usize {
    Fold::of(n).seats()
}

/// The parts that a seat has after `rounds` rounds of halving.
fn kept(fold: Fold, seat: usize, rounds: u32) -> Range<usize> {
    let lowest_first = |bit| seat >> bit & 1;
    let from = (0..rounds).map(|bit| lowest_first(bit) * (fold.seats() >> (bit + 1))).sum();
    from..from + (fold.seats() >> rounds)
}

/// A participant of a reduction to all, or to the root.
#[derive(Clone, Copy, Debug)]
struct Participant {
    fold: Fold,
    position: usize,
    root: Option<usize>,
}

impl Participant {
    /// The participant at a seat: of a pair the root, otherwise the upper one.
    fn holder(self, seat: usize) -> usize {
        match self.fold.pair(seat) {
            Some(lower) if Some(lower) == self.root => lower,
            Some(lower) => lower + 1,
            None => self.fold.single(seat),
        }
    }

    fn all(self) -> Range<usize> {
        0..self.fold.seats()
    }

    fn seat(self) -> usize {
        self.fold.seat(self.position)
    }

    fn seated(self) -> bool {
        self.holder(self.seat()) == self.position
    }

    /// The other one of the pair, if there is one.
    fn partner(self) -> Option<usize> {
        self.fold.pair(self.seat()).map(|lower| 2 * lower + 1 - self.position)
    }

    fn folding(self) -> Option<Round> {
        self.partner().map(|other| {
            if !self.seated() {
                return Round::send(other, self.all());
            }
            let operand = if other < self.position { OnReceipt::Before } else { OnReceipt::After };
            Round::receive(other, self.all(), operand)
        })
    }

    fn halving(self, k: u32) -> Round {
        let (seat, other) = (self.seat(), self.seat() ^ 1 << k);
        let peer = self.holder(other);
        let then = if other < seat { OnReceipt::Before } else { OnReceipt::After };
        let sent = Transfer { peer, blocks: kept(self.fold, other, k + 1) };
        Round::both(sent, Transfer { peer, blocks: kept(self.fold, seat, k + 1) }, then)
    }

    /// The parts of this seat and of the one that it met in halving round k come together, on both or on that
    /// which is nearer to the root.
    fn doubling(self, k: u32) -> Option<Round> {
        let (seat, other) = (self.seat(), self.seat() ^ 1 << k);
        let peer = self.holder(other);
        let (own, others) = (kept(self.fold, seat, k + 1), kept(self.fold, other, k + 1));
        let Some(root) = self.root.map(|root| self.fold.seat(root)) else {
            let sent = Transfer { peer, blocks: own };
            return Some(Round::both(sent, Transfer { peer, blocks: others }, OnReceipt::Replace));
        };
        // Seats that differ from the root's in a higher bit have given away what they had.
        if (seat ^ root) >> (k + 1) != 0 {
            return None;
        }
        Some(match (seat ^ root) >> k & 1 {
            0 => Round::receive(peer, others, OnReceipt::Replace),
            _ => Round::send(peer, own),
        })
    }

    fn unfolding(self) -> Option<Round> {
        self.partner().filter(|_| self.root.is_none()).map(|other| {
            if self.seated() {
                Round::send(other, self.all())
            } else {
                Round::receive(other, self.all(), OnReceipt::Replace)
            }
        })
    }

    fn rounds(self) -> impl Iterator<Item = Round> {
        let rounds = if self.seated() { self.fold.rounds() } else { 0 };
        self.folding()
            .into_iter()
            .chain((0..rounds).map(move |k| self.halving(k)))
            .chain((0..rounds).rev().filter_map(move |k| self.doubling(k)))
            .chain(self.unfolding())
    }
}

/// Allreduce of blocks 0..[`parts`]`(n)`.
pub fn allreduce(n: usize, position: usize) -> impl Iterator<Item = Round> {
    Participant { fold: Fold::of(n), position, root: None }.rounds()
}

/// Reduction of blocks 0..[`parts`]`(n)` to `root`.
pub fn reduce(n: usize, position: usize, root: usize) -> impl Iterator<Item = Round> {
    Participant { fold: Fold::of(n), position, root: Some(root) }.rounds()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedules::simulate::{
        Content, MAX_PARTICIPANTS, canonical_in_block, simulate_sized,
    };

    fn start(n: usize, p: usize) -> Vec<Content> {
        (0..parts(n)).map(|part| Content::in_block(p, part)).collect()
    }

    fn expected(n: usize) -> Vec<Content> {
        (0..parts(n)).map(|part| canonical_in_block(n, part)).collect()
    }

    #[test]
    fn every_member_gets_all_in_canonical_brackets() {
        for n in 1..=MAX_PARTICIPANTS {
            let rounds = |p| allreduce(n, p).collect();
            let end = simulate_sized(n, |_, part| part % 3, |p| start(n, p), rounds);
            for participant in end {
                assert_eq!(participant.blocks, expected(n), "{n}");
                assert_eq!(participant.heard.count(), n);
                assert!(participant.rounds <= 2 * n.ilog2() as usize + 2);
            }
        }
    }

    #[test]
    fn the_root_gets_all_in_canonical_brackets() {
        for n in 1..=MAX_PARTICIPANTS {
            // Every root up to 64; beyond, each seventh, beginning elsewhere for each n.
            for root in (if n <= 64 { 0 } else { n % 7 }..n).step_by(if n <= 64 { 1 } else { 7 }) {
                let rounds = |p| reduce(n, p, root).collect();
                let end = simulate_sized(n, |_, part| part % 3, |p| start(n, p), rounds);
                assert_eq!(end[root].blocks, expected(n), "{n} to {root}");
                assert_eq!(end[root].heard.count(), n);
            }
        }
    }
}
