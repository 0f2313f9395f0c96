//! Schedules around a ring: each participant passes on to the next one what it received from the one before. Every link
//! carries the least possible number of bytes, and all links are busy all the time.

use super::{OnReceipt, Round, Transfer, slices};

/// Allgather: block i is that of participant i. Afterwards all n blocks are there.
pub fn allgather(n: usize, position: usize) -> impl Iterator<Item = Round> {
    (0..n - 1).map(move |k| {
        let sent = (position + n - k) % n;
        let received = (position + 2 * n - k - 1) % n;
        let to = Transfer { peer: (position + 1) % n, blocks: sent..sent + 1 };
        let from = Transfer { peer: (position + n - 1) % n, blocks: received..received + 1 };
        Round::both(to, from, OnReceipt::Replace)
    })
}

/// Allreduce of blocks 0..n, with work blocks n..2n. A slice that grew on its way around the ring would be
/// combined in other brackets for every slice; so its operands are brought together first ([`slices::collect`],
/// as many bytes), and only the results go around.
pub fn allreduce(n: usize, position: usize) -> impl Iterator<Item = Round> {
    slices::collect(n, position).chain(allgather(n, position))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedules::simulate::check_allgather;

    #[test]
    fn every_member_gets_every_block() {
        check_allgather(allgather);
    }

    #[test]
    fn every_member_gets_all_in_canonical_brackets() {
        slices::tests::check_allreduce(|n, p| allreduce(n, p).collect());
    }
}
