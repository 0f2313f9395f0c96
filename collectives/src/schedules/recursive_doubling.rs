//! Allreduce by recursive doubling for any number of participants: the remainder over a power of two is
//! folded away first and gets the result last.
//!
//! The operands are combined in *canonical brackets*, which depend on n only: with p the largest power of two
//! not above n and r = n - p, the first 2 r participants are combined in pairs (0,1), (2,3), ...; these r
//! results and the remaining operands are the p leaves, in order, of a balanced binary tree. The left operand
//! is always the lower one, so the operation need not be commutative. Both partners of a round compute the
//! same, so all get the same bits.

use super::{OnReceipt, Round, Transfer};

/// The fold of n participants onto a power of two of *seats*.
#[derive(Clone, Copy, Debug)]
pub struct Fold {
    seats: usize,
    pairs: usize,
}

impl Fold {
    /// The fold of `n` participants, at least one.
    pub fn of(n: usize) -> Fold {
        let seats = 1 << n.ilog2();
        Fold { seats, pairs: n - seats }
    }

    /// Number of seats.
    pub fn seats(self) -> usize {
        self.seats
    }

    /// Rounds between the seats.
    pub fn rounds(self) -> u32 {
        self.seats.ilog2()
    }

    /// The seat of a participant; both of a pair have the same.
    pub fn seat(self, position: usize) -> usize {
        if position < 2 * self.pairs { position / 2 } else { position - self.pairs }
    }

    /// The lower participant of the pair at a seat, if it has a pair.
    pub fn pair(self, seat: usize) -> Option<usize> {
        (seat < self.pairs).then_some(2 * seat)
    }

    /// The first participant at a seat, or after all seats the number of participants.
    pub fn first(self, seat: usize) -> usize {
        self.pair(seat).unwrap_or_else(|| self.single(seat))
    }

    /// The participant at a seat without a pair.
    pub fn single(self, seat: usize) -> usize {
        seat + self.pairs
    }
}

/// The rounds of `position` of `n`; afterwards block 0 of each participant is the combination of all.
pub fn allreduce(n: usize, position: usize) -> impl Iterator<Item = Round> {
    let fold = Fold::of(n);
    let seat = fold.seat(position);
    // The upper one of a pair takes the seat.
    let holder = move |seat: usize| fold.pair(seat).map_or(fold.single(seat), |lower| lower + 1);
    let seated = position == holder(seat);
    let pair = fold.pair(seat);
    let folding = pair.map(|lower| {
        if seated {
            Round::receive(lower, 0..1, OnReceipt::Before)
        } else {
            Round::send(lower + 1, 0..1)
        }
    });
    let doubling = (0..if seated { fold.rounds() } else { 0 }).map(move |k| {
        let peer = holder(seat ^ (1 << k));
        let then = if seat & (1 << k) == 0 { OnReceipt::After } else { OnReceipt::Before };
        let transfer = Transfer { peer, blocks: 0..1 };
        Round::both(transfer.clone(), transfer, then)
    });
    let unfolding = pair.map(|lower| {
        if seated {
            Round::send(lower, 0..1)
        } else {
            Round::receive(lower + 1, 0..1, OnReceipt::Replace)
        }
    });
    folding.into_iter().chain(doubling).chain(unfolding)
}

/// Allgather: block i is that of participant i; afterwards all n blocks are there. In round k a seat has the
/// blocks of the 2^k seats that differ from it in lower bits only, which are side by side.
pub fn allgather(n: usize, position: usize) -> impl Iterator<Item = Round> {
    let fold = Fold::of(n);
    let seat = fold.seat(position);
    let holder = move |seat: usize| fold.pair(seat).map_or(fold.single(seat), |lower| lower + 1);
    let seated = position == holder(seat);
    let pair = fold.pair(seat);
    let folding = pair.map(|lower| {
        if seated {
            Round::receive(lower, lower..lower + 1, OnReceipt::Replace)
        } else {
            Round::send(lower + 1, lower..lower + 1)
        }
    });
    let blocks = move |seat: usize, k: u32| {
        let first = seat >> k << k;
        fold.first(first)..fold.first(first + (1 << k))
    };
    let doubling = (0..if seated { fold.rounds() } else { 0 }).map(move |k| {
        let other = seat ^ (1 << k);
        let peer = holder(other);
        let to = Transfer { peer, blocks: blocks(seat, k) };
        Round::both(to, Transfer { peer, blocks: blocks(other, k) }, OnReceipt::Replace)
    });
    // The lower one of a pair has its own block, which it is sent all the same: the blocks are side by side.
    let unfolding = pair.map(|lower| {
        if seated {
            Round::send(lower, 0..n)
        } else {
            Round::receive(lower + 1, 0..n, OnReceipt::Replace)
        }
    });
    folding.into_iter().chain(doubling).chain(unfolding)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedules::simulate::{
        Content, MAX_PARTICIPANTS, canonical, check_allgather, simulate,
    };

    #[test]
    fn every_member_gets_every_block() {
        check_allgather(allgather);
    }

    #[test]
    fn every_member_gets_all_in_canonical_brackets() {
        for n in 1..=MAX_PARTICIPANTS {
            let end = simulate(n, |p| vec![Content::leaf(p)], |p| allreduce(n, p).collect());
            for participant in end {
                assert_eq!(participant.blocks, [canonical(n)], "{n}");
                assert_eq!(participant.heard.count(), n);
            }
        }
    }
}
