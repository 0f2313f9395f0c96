//! Schedules: who sends what to whom in which round, as pure functions.
//!
//! A schedule function takes the number of participants, the position of one of them and, where there is
//! one, the root, and returns the rounds of that participant. It communicates nothing and allocates
//! nothing, so that a test can look at all participants at once (`simulate.rs`) and a simulator can run
//! jobs of any size. Execution is in [`crate::leaders`].
//!
//! The data of a participant is an array of *blocks*, in a size that the caller chooses: one block for
//! an operation on a whole vector, one for each participant in an allgather.

pub mod binomial;
pub mod bruck;
pub mod dissemination;
pub mod recursive_doubling;
#[cfg(test)]
pub mod simulate;

use std::ops::Range;

/// What one participant does in one round. Sending and receiving go on at once; what is sent is the content
/// before the round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    /// What it sends.
    pub send: Option<Transfer>,
    /// What it receives, and what it does with that.
    pub receive: Option<(Transfer, Then)>,
}

/// Blocks that move between this participant and another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// Position of the other participant.
    pub peer: usize,
    /// Own blocks that are sent or received into.
    pub blocks: Range<usize>,
}

/// What happens to received blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// They become the content.
    Replace,
    /// They are combined with the content, as the left operand: the sender stands before the receiver.
    Before,
    /// They are combined with the content, as the right operand.
    After,
}

impl Round {
    /// A round that only sends.
    fn send(peer: usize, blocks: Range<usize>) -> Round {
        Round { send: Some(Transfer { peer, blocks }), receive: None }
    }

    /// A round that only receives.
    fn receive(peer: usize, blocks: Range<usize>, then: Then) -> Round {
        Round { send: None, receive: Some((Transfer { peer, blocks }, then)) }
    }

    /// A round that does both.
    fn both(send: Transfer, receive: Transfer, then: Then) -> Round {
        Round { send: Some(send), receive: Some((receive, then)) }
    }
}
