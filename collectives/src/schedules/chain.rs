//! Broadcast through a chain: each participant passes chunk after chunk on to the next one. Each participant sends and
//! receives the vector once, at the same time, this many chunks take hardly longer than one copy of the vector.

use super::{OnReceipt, Round, Transfer};

/// Broadcast of blocks 0..`chunks` from `root`.
pub fn broadcast(
    n: usize,
    position: usize,
    root: usize,
    chunks: usize,
) -> impl Iterator<Item = Round> {
    let relative = (position + n - root) % n;
    let before = (relative > 0).then_some((position + n - 1) % n);
    let after = (relative + 1 < n).then_some((position + 1) % n);
    // In round k a participant receives chunk k and sends chunk k - 1, but the root, which has all, chunk k.
    let delay = usize::from(before.is_some());
    let rounds = if n == 1 { 0 } else { chunks + if after.is_some() { delay } else { 0 } };
    (0..rounds).map(move |k| Round {
        send: after
            .filter(|_| k >= delay)
            .map(|peer| Transfer { peer, blocks: k - delay..k - delay + 1 }),
        receive: before
            .filter(|_| k < chunks)
            .map(|peer| (Transfer { peer, blocks: k..k + 1 }, OnReceipt::Replace)),
        combine: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedules::simulate::{Content, MAX_PARTICIPANTS, simulate_sized};

    #[test]
    fn every_chunk_reaches_all() {
        for n in 1..=MAX_PARTICIPANTS {
            for root in 0..n {
                let chunks = 1 + (n + root) % 5;
                let block = |b| Content::in_block(root, b);
                let start = |p| {
                    if p == root {
                        (0..chunks).map(block).collect()
                    } else {
                        vec![Content::Nothing; chunks]
                    }
                };
                let size = |_, chunk| if chunk + 1 == chunks { 1 } else { 7 };
                let rounds = |p| broadcast(n, p, root, chunks).collect();
                let end = simulate_sized(n, size, start, rounds);
                for participant in end {
                    assert!((0..chunks).map(block).eq(participant.blocks), "{n} from {root}");
                    assert!(participant.rounds <= chunks + 1);
                }
            }
        }
    }
}
