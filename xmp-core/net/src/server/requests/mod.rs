//! Execution of each kind of request: check, then loads, stores and CPU atomics on the segment.

pub mod atomic;
pub mod call;
pub mod get;
pub mod notify;
pub mod put;

use super::incoming::{Incoming, OnArrival, Pieces};
use super::wire::Head;

/// The outcome of a request that was not refused.
#[derive(Debug)]
pub enum Outcome {
    /// It is executed, and its origin awaits no reply.
    Done,
    /// It is executed and returns this value.
    Value(u64),
    /// Its reply is bytes of a segment.
    Segment(*const [u8]),
    /// Its reply is bytes that were gathered.
    Gathered(Vec<u8>),
    /// Its own bytes are in transit.
    Incoming(Box<Incoming>),
}

/// The bytes of a refused request, which its sender must be able to send. `replies`: it awaits a reply.
pub fn refused(head: Head, len: u64, why: String, replies: bool, pieces: Pieces) -> Outcome {
    let room = vec![0; len.min(pieces.chunk.into()) as usize];
    let then = OnArrival::Refuse { why, room };
    let mut incoming = Incoming::new(head, head.origin, len, std::ptr::null_mut(), then, pieces);
    incoming.replies = replies;
    Outcome::Incoming(Box::new(incoming))
}
