//! Runs a schedule on symbolic contents, all participants at once.
//!
//! A transfer happens when its sender and its receiver have both come to its round: the strictest rule,
//! so a schedule that ends here ends with any amount of buffering.

use super::{OnReceipt, Operands, Round, Transfer};
use std::ops::Range;

/// The most participants of jobs that tests simulate: a few in Miri, which executes a program some hundred times as slowly.
pub const MAX_PARTICIPANTS: usize = if cfg!(miri) { 5 } else { 130 };

/// Symbolic content of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Undefined; must not be sent.
    Nothing,
    /// The operands `from..to`, combined in the brackets that `brackets` is the hash of.
    Combined {
        /// First operand.
        from: usize,
        /// One past the last operand.
        to: usize,
        /// Distinguishes brackets.
        brackets: u64,
    },
}

impl Content {
    /// The operand of one participant.
    pub fn leaf(position: usize) -> Content {
        Content::Combined { from: position, to: position + 1, brackets: 1 }
    }

    /// The operand of one participant in one block.
    pub fn in_block(position: usize, block: usize) -> Content {
        let brackets = (block as u64 + 1).wrapping_mul(0xa076_1d64_78bd_642f);
        Content::Combined { from: position, to: position + 1, brackets }
    }

    /// The combination with what is to the right.
    pub fn then(self, right: Content) -> Content {
        match (self, right) {
            (
                Content::Combined { from, to, brackets: a },
                Content::Combined { from: middle, to: end, brackets: b },
            ) => {
                assert_eq!(to, middle, "operands out of order");
                let mixed = a.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23) ^ b;
                Content::Combined {
                    from,
                    to: end,
                    brackets: mixed.wrapping_mul(0xd6e8_feb8_6659_fd93),
                }
            }
            _ => panic!("an undefined operand"),
        }
    }
}

/// The combination of `n` operands in canonical brackets (`recursive_doubling`), computed another way.
pub fn canonical(n: usize) -> Content {
    combined((0..n).map(Content::leaf))
}

/// The combination of the operands of `n` participants in one block.
pub fn canonical_in_block(n: usize, block: usize) -> Content {
    combined((0..n).map(|position| Content::in_block(position, block)))
}

/// The combination of these operands, at least one, in canonical brackets.
fn combined(operands: impl ExactSizeIterator<Item = Content>) -> Content {
    let p = 1 << operands.len().ilog2();
    let r = operands.len() - p;
    let operands: Vec<Content> = operands.collect();
    let mut leaves: Vec<Content> =
        operands[..2 * r].chunks(2).map(|pair| pair[0].then(pair[1])).collect();
    leaves.extend(&operands[2 * r..]);
    while leaves.len() > 1 {
        leaves = leaves.chunks(2).map(|pair| pair[0].then(pair[1])).collect();
    }
    leaves[0]
}

/// A participant at the end.
#[derive(Clone, Debug)]
pub struct End {
    /// Its blocks.
    pub blocks: Vec<Content>,
    /// Participants that it has heard of, directly or through others; itself.
    pub heard: ParticipantSet,
    /// Number of its rounds.
    pub rounds: usize,
}

/// A set of up to 256 participants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParticipantSet([u128; 2]);

impl ParticipantSet {
    fn only(participant: usize) -> ParticipantSet {
        let mut set = [0; 2];
        set[participant / 128] = 1 << (participant % 128);
        ParticipantSet(set)
    }

    fn join(&mut self, other: ParticipantSet) {
        self.0.iter_mut().zip(other.0).for_each(|(mine, others)| *mine |= others);
    }

    /// Number of participants in it.
    pub fn count(self) -> usize {
        self.0.iter().map(|part| part.count_ones() as usize).sum()
    }
}

/// A participant in its current round: what is still to be done, and what it knew before the round.
struct Running {
    end: End,
    rounds: std::vec::IntoIter<Round>,
    send: Option<(Transfer, Vec<Content>, ParticipantSet)>,
    receive: Option<(Transfer, OnReceipt)>,
    combine: Option<Operands>,
}

impl Running {
    /// Goes on to the next round if this one is done. Whether it did.
    fn advance(&mut self) -> bool {
        if self.send.is_some() || self.receive.is_some() {
            return false;
        }
        if let Some(operands) = self.combine.take() {
            let contents: Vec<Content> =
                operands.blocks().map(|block| self.end.blocks[block]).collect();
            self.end.blocks[operands.own] = combined(contents.into_iter());
        }
        let Some(round) = self.rounds.next() else { return false };
        self.end.rounds += 1;
        self.send = round.send.map(|transfer| {
            let data = self.end.blocks[transfer.blocks.clone()].to_vec();
            (transfer, data, self.end.heard)
        });
        (self.receive, self.combine) = (round.receive, round.combine);
        true
    }

    fn take(&mut self, blocks: Range<usize>, then: OnReceipt, data: &[Content]) {
        for (block, &received) in self.end.blocks[blocks].iter_mut().zip(data) {
            *block = match then {
                OnReceipt::Replace => received,
                OnReceipt::Before => received.then(*block),
                OnReceipt::After => block.then(received),
            };
        }
    }
}

/// Runs the schedule of `n` participants that start with these blocks.
///
/// # Panics
/// When the schedule deadlocks, sends what is undefined, replaces what it sends, or two sides of a transfer
/// disagree on its size.
pub fn simulate(
    n: usize,
    start: impl Fn(usize) -> Vec<Content>,
    schedule: impl Fn(usize) -> Vec<Round>,
) -> Vec<End> {
    simulate_sized(n, |_, _| 1, start, schedule)
}

/// Runs the schedule of `n` participants with blocks of different sizes: `size` gives that of a participant's block.
///
/// # Panics
/// Those of [`simulate`].
pub fn simulate_sized(
    n: usize,
    size: impl Fn(usize, usize) -> usize,
    start: impl Fn(usize) -> Vec<Content>,
    schedule: impl Fn(usize) -> Vec<Round>,
) -> Vec<End> {
    let bytes =
        |p, transfer: &Transfer| transfer.blocks.clone().map(|block| size(p, block)).sum::<usize>();
    let mut all: Vec<Running> = (0..n)
        .map(|p| {
            let end = End { blocks: start(p), heard: ParticipantSet::only(p), rounds: 0 };
            let rounds = schedule(p).into_iter();
            Running { end, rounds, send: None, receive: None, combine: None }
        })
        .collect();
    loop {
        let mut moved = false;
        for p in 0..n {
            moved |= all[p].advance();
            let Some((Transfer { peer, .. }, ..)) = all[p].send else { continue };
            assert_ne!(peer, p, "sends to itself");
            let Some((from, then)) = all[peer].receive.clone() else { continue };
            if from.peer != p {
                continue;
            }
            let (to, data, heard) = all[p].send.take().expect("just seen");
            assert_eq!(from.blocks.len(), to.blocks.len(), "{p} to {peer} of {n}");
            assert_eq!(bytes(peer, &from), bytes(p, &to), "{p} to {peer} of {n}");
            assert!(!data.contains(&Content::Nothing), "{p} sends what it does not have");
            if let Some((sending, ..)) = &all[peer].send {
                let apart = sending.blocks.end <= from.blocks.start
                    || from.blocks.end <= sending.blocks.start;
                assert!(apart || then != OnReceipt::Replace, "{peer} replaces what it sends");
            }
            all[peer].take(from.blocks, then, &data);
            all[peer].end.heard.join(heard);
            all[peer].receive = None;
            moved = true;
        }
        if !moved {
            break;
        }
    }
    assert!(
        all.iter_mut().all(|r| r.send.is_none() && r.receive.is_none() && r.rounds.len() == 0),
        "deadlock among {n}"
    );
    all.into_iter().map(|running| running.end).collect()
}

/// Checks an allgather whose block i is that of participant i, for every number of participants up to
/// [`MAX_PARTICIPANTS`], with blocks of different sizes.
///
/// # Panics
/// When a participant has not every block at its place, or has not heard of all.
pub fn check_allgather<I: Iterator<Item = Round>>(allgather: impl Fn(usize, usize) -> I) {
    for n in 1..=MAX_PARTICIPANTS {
        let start = |p| {
            let mut blocks = vec![Content::Nothing; n];
            blocks[p] = Content::leaf(p);
            blocks
        };
        let end = simulate_sized(n, |_, block| block % 3, start, |p| allgather(n, p).collect());
        for participant in end {
            assert!((0..n).map(Content::leaf).eq(participant.blocks));
            assert_eq!(participant.heard.count(), n);
        }
    }
}
