//! Non-blocking collectives: an operation begins, advances while the image does something else, and is completed by a
//! later wait. Any number may be in flight, on one set and on several; `README.md` beside this file describes the
//! engine. All operations panic when this image is not in the set, and fail when the
//! transport does; those with a root also when it is not in the set.
//!
//! | to find | open |
//! |---|---|
//! | the operations | [`allreduce`] and the others here (`typed/`), [`raw`] |
//! | their handles | [`Handle`] |
//! | how they advance | `engine.rs`, `operation.rs`, `exchange.rs`, `program.rs` |
//! | who sends what to whom | `steps.rs` |
//! | which packet belongs to which message | `mailbox.rs`, `outgoing.rs`, `incoming.rs`, `header.rs` |

mod engine;
mod exchange;
mod handle;
mod header;
mod incoming;
mod mailbox;
mod operation;
mod outgoing;
mod program;
pub mod raw;
mod sequences;
mod steps;
#[cfg(test)]
mod tests;
mod typed;

pub use engine::of_team;
pub(crate) use engine::{Engine, choices};
pub use handle::{Handle, Pending, wait_for_any};
pub use program::Combine;
pub use typed::{
    allgather, allreduce, allreduce_by, alltoall, alltoallv, barrier, broadcast, exchange, exscan,
    exscan_by, gather, gatherv, locate, reduce, reduce_scatter, scan, scan_by, scatter, scatterv,
};
