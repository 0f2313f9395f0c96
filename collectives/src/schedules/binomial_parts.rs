//! Binomial trees that move a block of each participant: gather to a root and scatter from it in ceil(log2 n)
//! rounds.
//!
//! Blocks are numbered relative to the participant: block j belongs to participant (position + j) mod n. A
//! participant holds those of its subtree, which are consecutive: it is [`held`] long.

use super::{OnReceipt, Round};

/// Number of blocks that the participant `relative` places after the root holds: its own and those of its subtree.
pub fn held(n: usize, relative: usize) -> usize {
    match relative {
        0 => n,
        set => (1 << set.trailing_zeros()).min(n - relative),
    }
}

/// The distances between a participant and the roots of its subtrees, the nearest first.
fn distances(n: usize, relative: usize) -> impl DoubleEndedIterator<Item = usize> {
    let held = held(n, relative);
    (0..usize::BITS).map(|k| 1 << k).take(held.next_power_of_two().trailing_zeros() as usize)
}

/// Gather to `root`: it ends with the blocks of all. Each receives from its subtree, the smallest part first, and
/// passes everything on over its lowest set bit.
pub fn gather(n: usize, position: usize, root: usize) -> impl Iterator<Item = Round> {
    let relative = (position + n - root) % n;
    let held = held(n, relative);
    let receives = distances(n, relative).map(move |distance| {
        let blocks = distance..(2 * distance).min(held);
        Round::receive((position + distance) % n, blocks, OnReceipt::Replace)
    });
    receives.chain(
        up(n, relative).map(move |distance| Round::send((position + n - distance) % n, 0..held)),
    )
}

/// Scatter from `root`, which starts with the blocks of all: the same tree, the other way round.
pub fn scatter(n: usize, position: usize, root: usize) -> impl Iterator<Item = Round> {
    let relative = (position + n - root) % n;
    let held = held(n, relative);
    let receives = up(n, relative).map(move |distance| {
        Round::receive((position + n - distance) % n, 0..held, OnReceipt::Replace)
    });
    receives.chain(distances(n, relative).rev().map(move |distance| {
        let blocks = distance..(2 * distance).min(held);
        Round::send((position + distance) % n, blocks)
    }))
}

/// The distance to the parent, which the root does not have.
fn up(n: usize, relative: usize) -> std::option::IntoIter<usize> {
    debug_assert!(relative < n);
    (relative != 0).then(|| 1 << relative.trailing_zeros()).into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedules::simulate::{Content, MAX_PARTICIPANTS, simulate};

    #[test]
    fn the_root_gathers_every_block() {
        for n in 1..=MAX_PARTICIPANTS {
            for root in 0..n {
                let start = |p: usize| {
                    let mut blocks = vec![Content::Nothing; held(n, (p + n - root) % n)];
                    blocks[0] = Content::leaf(p);
                    blocks
                };
                let end = simulate(n, start, |p| gather(n, p, root).collect());
                let expected: Vec<_> = (0..n).map(|j| Content::leaf((root + j) % n)).collect();
                assert_eq!(end[root].blocks, expected, "{n} to {root}");
                assert_eq!(end[root].heard.count(), n);
                assert_eq!(end[root].rounds, n.next_power_of_two().ilog2() as usize);
            }
        }
    }

    #[test]
    fn every_member_gets_its_block() {
        for n in 1..=MAX_PARTICIPANTS {
            for root in 0..n {
                let start = |p: usize| {
                    if p == root {
                        (0..n).map(|j| Content::leaf((root + j) % n)).collect()
                    } else {
                        vec![Content::Nothing; held(n, (p + n - root) % n)]
                    }
                };
                let end = simulate(n, start, |p| scatter(n, p, root).collect());
                for (position, participant) in end.iter().enumerate() {
                    assert_eq!(participant.blocks[0], Content::leaf(position), "{n} from {root}");
                    assert!(participant.rounds <= n.next_power_of_two().ilog2() as usize);
                }
            }
        }
    }
}
