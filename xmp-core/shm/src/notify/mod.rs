//! Notifications: counters in an image's segment that exactly one other image writes, and the packet channels between
//! images that are built from them. Read `README.md` beside this file. What communicates fails when the transport does, or
//! when the job is ending.

mod channel;
mod label;
mod link;
mod message;
#[cfg(all(test, loom))]
mod model;
mod partner;
mod rendezvous;
mod ring;

pub use crate::job::pair::{HEADER, Lane, PACKET, Pair};
pub use channel::{await_rendezvous, drive, finish_rendezvous};
pub use label::Label;
pub use link::Link;
pub use message::{Incoming, Outgoing};
pub use partner::Gone;
