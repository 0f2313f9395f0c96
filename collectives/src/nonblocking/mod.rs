//! Non-blocking collectives: an operation begins, goes on while the image does something else, and is waited for
//! later. Any number may be in flight, on one set and on several. Read `README.md` beside this file.
//!
//! | to find | open |
//! |---|---|
//! | the operations | [`allreduce`] and the others here (`operations.rs`, `exchange.rs`, `scans.rs`), [`raw`] |
//! | what the program holds of them | [`Handle`] |
//! | how they go on | `engine.rs`, `operation.rs`, `program.rs` |
//! | who sends what to whom | `steps.rs` |
//! | which packet belongs to which message | `mailbox.rs`, `outgoing.rs`, `incoming.rs`, `header.rs` |

mod engine;
mod exchange;
mod handle;
mod header;
mod incoming;
mod mailbox;
mod operation;
mod operations;
mod outgoing;
mod program;
pub mod raw;
mod scans;
mod sequences;
mod steps;
#[cfg(test)]
mod tests;

pub(crate) use engine::{Engine, choices};
pub use exchange::{alltoallv, exchange, gatherv, scatterv};
pub use handle::Handle;
pub use operations::{
    allgather, allreduce, allreduce_by, alltoall, barrier, broadcast, gather, reduce, scatter,
};
pub use program::Combine;
pub use scans::{exscan, exscan_by, scan, scan_by};
