//! Gather and scatter in which the root exchanges messages with one participant after the other. No block is passed on, so
//! none is copied twice: for long blocks, and few participants.
//!
//! The numbers of blocks are those of [`super::binomial_parts`]; only the root holds more than its own block.

use super::{OnReceipt, Round};

/// Number of blocks that the participant `relative` places after the root holds.
pub fn held(n: usize, relative: usize) -> usize {
    if relative == 0 { n } else { 1 }
}

/// Gather to `root`.
pub fn gather(n: usize, position: usize, root: usize) -> impl Iterator<Item = Round> {
    let is_root = position == root;
    let send = (!is_root).then(|| Round::send(root, 0..1));
    let receives = (1..if is_root { n } else { 1 })
        .map(move |j| Round::receive((root + j) % n, j..j + 1, OnReceipt::Replace));
    send.into_iter().chain(receives)
}

/// Scatter from `root`.
pub fn scatter(n: usize, position: usize, root: usize) -> impl Iterator<Item = Round> {
    let is_root = position == root;
    let receive = (!is_root).then(|| Round::receive(root, 0..1, OnReceipt::Replace));
    let sends =
        (1..if is_root { n } else { 1 }).map(move |j| Round::send((root + j) % n, j..j + 1));
    receive.into_iter().chain(sends)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedules::simulate::{Content, MAX_PARTICIPANTS, simulate};

    #[test]
    fn blocks_go_to_and_from_every_root() {
        for n in 1..=MAX_PARTICIPANTS {
            for root in 0..n {
                let all: Vec<_> = (0..n).map(|j| Content::leaf((root + j) % n)).collect();
                let start = |p: usize| {
                    let mut blocks = vec![Content::Nothing; held(n, (p + n - root) % n)];
                    blocks[0] = Content::leaf(p);
                    blocks
                };
                let end = simulate(n, start, |p| gather(n, p, root).collect());
                assert_eq!(end[root].blocks, all, "{n} to {root}");
                let start = |p: usize| if p == root { all.clone() } else { vec![Content::Nothing] };
                let end = simulate(n, start, |p| scatter(n, p, root).collect());
                let own = |p: usize| end[p].blocks[0] == Content::leaf(p);
                assert!((0..n).all(own), "{n} from {root}");
            }
        }
    }
}
