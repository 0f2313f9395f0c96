//! Multinode cooperation: groups of hosts share the buffers for requests, and forward and merge them.
//!
//! This code has no input or output, clocks, threads or shared memory: events and times come in, and messages to send
//! come out. So the communication server and the simulator run the same code. The protocol and its proofs are in
//! `README.md`. The idea is that of Que, Yu, Tipparaju, Vetter, Wang: Network-Friendly One-Sided Communication Through
//! Multinode Cooperation on Petascale Cray XT5 Systems (CCGrid 2011).

pub mod aggregate;
mod choice;
pub mod combine;
pub mod flow;
pub mod footprint;
pub mod mode;
pub mod relay;
pub mod topology;

pub use aggregate::Lane;
pub use combine::{Group, combine};
pub use flow::{Credits, ReceiveBuffers};
pub use footprint::Footprint;
pub use mode::{Answers, Mode, Policy, PolicySettings};
pub use relay::{Batch, Relay};
pub use topology::Topology;

#[cfg(all(test, not(loom)))]
mod tests;
