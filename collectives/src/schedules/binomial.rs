//! Binomial trees: broadcast from a root and reduction to a root in ceil(log2 n) rounds.

use super::recursive_doubling::Fold;
use super::{OnReceipt, Round};

/// Broadcast of block 0 from `root`. A participant that has the data in round k passes it on to the participant 2^k
/// further from the root; the furthest first, because it has the most to pass on.
pub fn broadcast(n: usize, position: usize, root: usize) -> impl Iterator<Item = Round> {
    // Positions relative to the root. A participant receives over its lowest set bit and sends over all
    // lower ones; the root has them all.
    let relative = (position + n - root) % n;
    let absolute = move |relative: usize| (relative + root) % n;
    let lowest = match relative {
        0 => n.next_power_of_two(),
        set => 1 << set.trailing_zeros(),
    };
    let from = (relative != 0)
        .then(|| Round::receive(absolute(relative - lowest), 0..1, OnReceipt::Replace));
    let onward = std::iter::successors(Some(lowest / 2), |distance| Some(distance / 2))
        .take_while(|&distance| distance > 0)
        .filter(move |distance| relative + distance < n)
        .map(move |distance| Round::send(absolute(relative + distance), 0..1));
    from.into_iter().chain(onward)
}

/// Reduction of block 0 to `root`. The operands are combined in the brackets of
/// [`super::recursive_doubling::allreduce`], so that the result has the same bits for every root.
pub fn reduce(n: usize, position: usize, root: usize) -> impl Iterator<Item = Round> {
    let fold = Fold::of(n);
    // Of a pair that folds, the root stays, else the upper one.
    let stays = move |lower: usize| if lower == root { lower } else { lower + 1 };
    let seat = fold.seat(position);
    let root_seat = fold.seat(root);
    let holder = move |seat: usize| fold.pair(seat).map_or(fold.single(seat), stays);
    let folding = fold.pair(seat).map(|lower| {
        if position == stays(lower) {
            let (other, then) = if position == lower {
                (lower + 1, OnReceipt::After)
            } else {
                (lower, OnReceipt::Before)
            };
            Round::receive(other, 0..1, then)
        } else {
            Round::send(stays(lower), 0..1)
        }
    });
    let seated = position == holder(seat);
    // In round k the seats that differ in bit k meet; the one that agrees with the root's seat stays.
    let stays_until = (seat ^ root_seat).trailing_zeros().min(fold.rounds());
    let meets = move |k: u32| {
        let other = holder(seat ^ (1 << k));
        match (k == stays_until, seat & (1 << k) == 0) {
            (true, _) => Round::send(other, 0..1),
            (false, true) => Round::receive(other, 0..1, OnReceipt::After),
            (false, false) => Round::receive(other, 0..1, OnReceipt::Before),
        }
    };
    let rounds = if seated { (stays_until + 1).min(fold.rounds()) } else { 0 };
    folding.into_iter().chain((0..rounds).map(meets))
}

/// Reduction of block 0 to the first participant and broadcast of the result from there.
pub fn allreduce(n: usize, position: usize) -> impl Iterator<Item = Round> {
    reduce(n, position, 0).chain(broadcast(n, position, 0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedules::simulate::{Content, MAX_PARTICIPANTS, canonical, simulate};

    #[test]
    fn broadcast_reaches_all() {
        for n in 1..=MAX_PARTICIPANTS {
            for root in 0..n {
                let start =
                    |p| vec![if p == root { Content::leaf(root) } else { Content::Nothing }];
                let end = simulate(n, start, |p| broadcast(n, p, root).collect());
                for participant in end {
                    assert_eq!(participant.blocks, [Content::leaf(root)], "{n} from {root}");
                    assert!(participant.rounds <= n.next_power_of_two().ilog2() as usize);
                }
            }
        }
    }

    #[test]
    fn reduce_combines_all_in_canonical_brackets() {
        for n in 1..=MAX_PARTICIPANTS {
            for root in 0..n {
                let end = simulate(n, |p| vec![Content::leaf(p)], |p| reduce(n, p, root).collect());
                assert_eq!(end[root].blocks, [canonical(n)], "{n} to {root}");
                assert_eq!(end[root].heard.count(), n);
            }
        }
    }
}
