//! Schedules: the messages of each participant in each round, as pure functions.
//!
//! A schedule function takes the number of participants, the position of one of them and the root, if there is one, and
//! returns the rounds of that participant. It communicates and allocates nothing. So a test can check all participants at
//! once (`simulate.rs`), and a simulator can run jobs of any size. [`crate::leaders`] executes schedules.
//!
//! The data of a participant is an array of *blocks*, whose size the caller chooses: one block for an operation on a whole
//! vector, one for each participant in an allgather. Behind the blocks of the vector an algorithm may have *work blocks*,
//! which hold operands until all of them have arrived. [`crate::plan`] says which blocks an algorithm needs.

pub mod binomial;
pub mod binomial_parts;
pub mod bruck;
pub mod bruck_alltoall;
pub mod central;
pub mod chain;
pub mod dissemination;
pub mod flat;
pub mod halving;
pub mod linear;
pub mod pairwise;
pub mod prefix;
pub mod recursive_doubling;
pub mod ring;
pub mod scatter_allgather;
#[cfg(test)]
pub mod simulate;
pub mod slices;

use std::ops::Range;

/// One of several participants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Participant {
    /// Number of participants, at least one.
    pub n: usize,
    /// Position of this one.
    pub position: usize,
}

/// One round of one participant. It sends and receives at the same time; it sends the content before the round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    /// The blocks that it sends.
    pub send: Option<Transfer>,
    /// The blocks that it receives, and what becomes of them.
    pub receive: Option<(Transfer, OnReceipt)>,
    /// The operands that it combines when both are complete.
    pub combine: Option<Operands>,
}

/// Blocks that move between this participant and another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// Position of the other participant.
    pub peer: usize,
    /// Own blocks that are sent or received into.
    pub blocks: Range<usize>,
}

/// The use of received blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnReceipt {
    /// They become the content.
    Replace,
    /// They are combined with the content, as the left operand: the sender has the lower position.
    Before,
    /// They are combined with the content, as the right operand.
    After,
}

/// The operands of all participants, in blocks of one length, to be combined in canonical brackets
/// ([`recursive_doubling`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operands {
    /// The block that holds this participant's operand and gets the result.
    pub own: usize,
    /// Work blocks, one for each participant: its operand. (That of this participant is not used.)
    pub all: Range<usize>,
    /// This participant.
    pub position: usize,
}

impl Operands {
    /// The blocks of the operands, in the order of the participants.
    pub fn blocks(&self) -> impl Iterator<Item = usize> + '_ {
        let block = |(i, block)| if i == self.position { self.own } else { block };
        self.all.clone().enumerate().map(block)
    }
}

impl Round {
    /// A round that only sends.
    fn send(peer: usize, blocks: Range<usize>) -> Round {
        Round { send: Some(Transfer { peer, blocks }), receive: None, combine: None }
    }

    /// A round that only receives.
    fn receive(peer: usize, blocks: Range<usize>, then: OnReceipt) -> Round {
        Round { send: None, receive: Some((Transfer { peer, blocks }, then)), combine: None }
    }

    /// A round that does both.
    fn both(send: Transfer, receive: Transfer, then: OnReceipt) -> Round {
        Round { send: Some(send), receive: Some((receive, then)), combine: None }
    }

    /// The same round, after which these operands are combined.
    fn combining(self, operands: Operands) -> Round {
        Round { combine: Some(operands), ..self }
    }
}
