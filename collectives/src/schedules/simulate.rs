//! Runs a schedule on symbolic contents, all participants at once.
//!
//! A transfer happens when its sender and its receiver have both come to its round: the strictest rule,
//! so a schedule that ends here ends with any amount of buffering.

use super::{Round, Then, Transfer};

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

    fn then(self, right: Content) -> Content {
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
    let p = 1 << n.ilog2();
    let r = n - p;
    let mut leaves: Vec<Content> =
        (0..r).map(|i| Content::leaf(2 * i).then(Content::leaf(2 * i + 1))).collect();
    leaves.extend((2 * r..n).map(Content::leaf));
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
    pub heard: Heard,
    /// Number of its rounds.
    pub rounds: usize,
}

/// A set of up to 256 participants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heard([u128; 2]);

impl Heard {
    fn only(participant: usize) -> Heard {
        let mut set = [0; 2];
        set[participant / 128] = 1 << (participant % 128);
        Heard(set)
    }

    fn join(&mut self, other: Heard) {
        self.0.iter_mut().zip(other.0).for_each(|(mine, others)| *mine |= others);
    }

    /// Number of participants in it.
    pub fn count(self) -> usize {
        self.0.iter().map(|part| part.count_ones() as usize).sum()
    }
}

/// A participant in its current round: what it had before the round, and what is still to be done.
struct Running {
    end: End,
    before: End,
    rounds: std::vec::IntoIter<Round>,
    send: Option<Transfer>,
    receive: Option<(Transfer, Then)>,
}

impl Running {
    /// Goes on to the next round if this one is done. Whether it did.
    fn advance(&mut self) -> bool {
        if self.send.is_some() || self.receive.is_some() {
            return false;
        }
        let Some(round) = self.rounds.next() else { return false };
        self.end.rounds += 1;
        self.before = self.end.clone();
        (self.send, self.receive) = (round.send, round.receive);
        true
    }

    fn take(&mut self, blocks: std::ops::Range<usize>, then: Then, data: &[Content]) {
        for (block, &received) in self.end.blocks[blocks].iter_mut().zip(data) {
            *block = match then {
                Then::Replace => received,
                Then::Before => received.then(*block),
                Then::After => block.then(received),
            };
        }
    }
}

/// Runs the schedule of `n` participants that start with these blocks.
///
/// # Panics
/// When the schedule deadlocks, sends what is undefined, or two sides of a transfer disagree on its size.
pub fn simulate(
    n: usize,
    start: impl Fn(usize) -> Vec<Content>,
    schedule: impl Fn(usize) -> Vec<Round>,
) -> Vec<End> {
    let mut all: Vec<Running> = (0..n)
        .map(|p| {
            let end = End { blocks: start(p), heard: Heard::only(p), rounds: 0 };
            let rounds = schedule(p).into_iter();
            Running { before: end.clone(), end, rounds, send: None, receive: None }
        })
        .collect();
    loop {
        let mut moved = false;
        for p in 0..n {
            moved |= all[p].advance();
            let Some(Transfer { peer, blocks }) = all[p].send.clone() else { continue };
            assert_ne!(peer, p, "sends to itself");
            let Some((from, then)) = all[peer].receive.clone() else { continue };
            if from.peer != p {
                continue;
            }
            assert_eq!(from.blocks.len(), blocks.len(), "{p} to {peer} of {n}");
            let data = all[p].before.blocks[blocks].to_vec();
            assert!(!data.contains(&Content::Nothing), "{p} sends what it does not have");
            let heard = all[p].before.heard;
            all[peer].take(from.blocks, then, &data);
            all[peer].end.heard.join(heard);
            all[peer].receive = None;
            all[p].send = None;
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
