//! What a server does for each kind of request: check, then execute by loads, stores and CPU atomics on the segment.

pub mod atomic;
pub mod call;
pub mod get;
pub mod notify;
pub mod put;
pub mod runs;
pub mod strided;

use super::incoming::{Incoming, Pieces, Then};
use super::wire::Head;

/// What has become of a request that was not refused.
#[derive(Debug)]
pub enum Outcome {
    /// It is done, and nobody waits for a reply.
    Done,
    /// It is done and returns this.
    Value(u64),
    /// Its reply are bytes of a segment.
    Segment(*const [u8]),
    /// Its reply are bytes that were gathered.
    Gathered(Vec<u8>),
    /// Its own bytes are on their way.
    Incoming(Box<Incoming>),
}

/// The bytes of a request that was refused, which its sender must get rid of. `replies`: it waits for an answer.
pub fn refused(head: Head, len: u64, why: String, replies: bool, pieces: Pieces) -> Outcome {
    let room = vec![0; len.min(pieces.chunk.into()) as usize];
    let then = Then::Refuse { why, room };
    let mut incoming = Incoming::new(head, head.origin, len, std::ptr::null_mut(), then, pieces);
    incoming.replies = replies;
    Outcome::Incoming(Box::new(incoming))
}
