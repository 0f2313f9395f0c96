//! Messages straight from the root to all participants, or from all to the root: one latency, but one participant sends or
//! receives all messages.

use super::{OnReceipt, Operands, Round};
use std::ops::Range;

/// `root` sends these blocks to all.
pub fn broadcast(
    n: usize,
    position: usize,
    root: usize,
    blocks: Range<usize>,
) -> impl Iterator<Item = Round> {
    let sent = blocks.clone();
    let others = (1..if position == root { n } else { 1 })
        .map(move |k| Round::send((root + k) % n, sent.clone()));
    let own = (position != root).then(|| Round::receive(root, blocks, OnReceipt::Replace));
    others.chain(own)
}

/// `root` gets blocks of all: those that `blocks` names for each of them.
pub fn gather(
    n: usize,
    position: usize,
    root: usize,
    blocks: impl Fn(usize) -> Range<usize>,
) -> impl Iterator<Item = Round> {
    let own = (position != root).then(|| Round::send(root, blocks(position)));
    let others = (0..if position == root { n } else { 0 })
        .filter(move |&from| from != root)
        .map(move |from| Round::receive(from, blocks(from), OnReceipt::Replace));
    own.into_iter().chain(others)
}

/// `root` gets block 0 of all in its work blocks 1..=n, and combines them.
pub fn reduce(n: usize, position: usize, root: usize) -> impl Iterator<Item = Round> {
    let last = if root == n - 1 { n.wrapping_sub(2) } else { n - 1 };
    let at_root = position == root;
    let blocks = move |from: usize| if at_root { 1 + from..2 + from } else { 0..1 };
    gather(n, position, root, blocks).map(move |round| match &round.receive {
        Some((transfer, _)) if transfer.peer == last => {
            round.combining(Operands { own: 0, all: 1..n + 1, position })
        }
        _ => round,
    })
}

/// Reduction to the first participant, which then sends the result to all.
pub fn allreduce(n: usize, position: usize) -> impl Iterator<Item = Round> {
    reduce(n, position, 0).chain(broadcast(n, position, 0, 0..1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedules::simulate::{Content, MAX_PARTICIPANTS, canonical, simulate};

    fn start(n: usize, p: usize) -> Vec<Content> {
        std::iter::once(Content::leaf(p)).chain((0..n).map(|_| Content::Nothing)).collect()
    }

    #[test]
    fn broadcast_reaches_all() {
        for n in 1..=MAX_PARTICIPANTS {
            for root in 0..n {
                let start =
                    |p| vec![if p == root { Content::leaf(root) } else { Content::Nothing }];
                let end = simulate(n, start, |p| broadcast(n, p, root, 0..1).collect());
                assert!(end.iter().all(|at_end| at_end.blocks == [Content::leaf(root)]));
            }
        }
    }

    #[test]
    fn reduce_combines_all_in_canonical_brackets() {
        for n in 1..=MAX_PARTICIPANTS {
            for root in 0..n {
                let end = simulate(n, |p| start(n, p), |p| reduce(n, p, root).collect());
                assert_eq!(end[root].blocks[0], canonical(n), "{n} to {root}");
                assert_eq!(end[root].heard.count(), n);
            }
        }
    }

    #[test]
    fn every_member_gets_the_same() {
        for n in 1..=MAX_PARTICIPANTS {
            for participant in simulate(n, |p| start(n, p), |p| allreduce(n, p).collect()) {
                assert_eq!(participant.blocks[0], canonical(n), "{n}");
                assert_eq!(participant.heard.count(), n);
            }
        }
    }
}
