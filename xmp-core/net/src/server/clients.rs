//! The server's state about each origin, and which of its requests can begin.

use super::bundle::Bundle;
use super::incoming::Incoming;
use super::outbox::Staged;
use super::wire::{Answer, Head, Payload, RemoteLayout, Reply, Request};
use crate::error::Error;
use crate::rank::Rank;
use crate::settings::Limits;
use std::collections::VecDeque;

/// Transfers through memory of the server (sections, handlers) that may be in progress at once: it takes about
/// as many MiB at most, and what handlers need.
pub const STAGED: usize = 8;

/// The memory of the server that transfers use.
#[derive(Clone, Copy, Debug)]
pub struct InUse {
    /// Bytes that follow requests.
    pub incoming: Staged,
    /// Gathered replies.
    pub outgoing: Staged,
}

/// An image that has sent requests.
#[derive(Debug, Default)]
pub struct Client {
    /// Requests that were executed; coalesced requests of one message count as one.
    pub executed: u64,
    /// Of these, the number that was reported to the image.
    pub told: u64,
    /// Replies that were sent to it.
    pub replies: u32,
    /// The refusal of a request without reply; the next reply reports it.
    pub fault: Option<Error>,
    /// Requests whose bytes are in transit, in order.
    pub incoming: VecDeque<Incoming>,
    /// Messages that must wait for these, for messages of other images, or for memory, in order. At most as many as the image has credits.
    pub held: VecDeque<QueuedMessage>,
}

/// A get ahead ([`Request::GetAhead`]) that waits until the images of this host have arrived.
#[derive(Debug)]
pub struct AwaitingGet {
    /// Its head.
    pub head: Head,
    /// The number of synchronisations, wrapping.
    pub arrivals: u32,
    /// The list of its runs, as bytes.
    pub from: Box<[u8]>,
}

/// A message that waits.
#[derive(Debug)]
pub enum QueuedMessage {
    /// A request.
    Request {
        /// The buffer that it was received in.
        buffer: Box<[u8]>,
        /// Its length.
        len: usize,
    },
    /// The rest of a bundle.
    Rest(Bundle),
}

impl QueuedMessage {
    /// The next request, and whether it is the last; `None` when none could be read.
    pub fn next(&self) -> Option<(&[u8], bool)> {
        match self {
            QueuedMessage::Request { buffer, len } => Some((&buffer[..*len], true)),
            QueuedMessage::Rest(requests) => {
                let first = requests.first().ok().flatten()?;
                Some((first.bytes, first.is_last))
            }
        }
    }

    /// The buffer, for another message.
    pub fn into_buffer(self) -> Box<[u8]> {
        match self {
            QueuedMessage::Request { buffer, .. } => buffer,
            QueuedMessage::Rest(requests) => requests.into_buffer(),
        }
    }
}

impl Client {
    /// The next reply to it, from the server of this host.
    pub fn reply<'a>(&mut self, host: u32, id: u32, answer: Answer<'a>) -> Reply<'a> {
        let number = self.replies;
        self.replies = number.wrapping_add(1);
        Reply { id, host, number, executed: self.executed, answer }
    }

    /// Whether anything is in progress besides the next message.
    pub fn is_busy(&self) -> bool {
        !self.incoming.is_empty() || !self.held.is_empty()
    }

    /// Whether a request can begin now: all earlier requests of its origin have begun or are complete, and the memory that
    /// it needs is available.
    pub fn can_begin(
        &self,
        limits: &Limits,
        head: Head,
        request: &Request<'_>,
        in_use: InUse,
    ) -> bool {
        let InUse { incoming, outgoing } = in_use;
        let mut before = self.incoming.iter();
        let mut staged = incoming + outgoing;
        // The server's memory that it needs, as far as is known.
        let (in_order, needs) = match request {
            // Received at its destination while others still are, if it does not overlap them there.
            &Request::Put {
                to: RemoteLayout::Contiguous { offset, len },
                data: Payload::Follows(_),
            } => {
                let to = offset.saturating_add(len);
                (before.all(|it| it.is_posted() && !it.touches(head.target, offset, to)), None)
            }
            &Request::Put { data: Payload::Follows(len), .. }
            | &Request::Call { data: Payload::Follows(len), .. } => {
                // Its bytes may be in the way of those for which other servers wait that keep what this one sends.
                staged = incoming;
                (before.all(|it| it.is_posted()), Some(len))
            }
            Request::Get { from: RemoteLayout::Nest(grid) } => {
                let len = grid.packed().unwrap_or(u64::MAX);
                (before.next().is_none(), Some(len).filter(|&len| len > limits.inline.into()))
            }
            Request::Call { .. } => (before.next().is_none(), Some(0)),
            _ => (before.next().is_none(), None),
        };
        let most = Staged { count: STAGED, bytes: limits.payload };
        // A longer one is refused, so it need not wait.
        in_order && needs.is_none_or(|len| len > limits.payload || staged.has_room(len, most))
    }

    /// Takes the first request whose bytes were in transit, if all have arrived.
    pub fn take_done(&mut self) -> Option<Incoming> {
        if self.incoming.front()?.is_done() { self.incoming.pop_front() } else { None }
    }
}

/// All images of the job, as clients.
#[derive(Debug)]
pub struct Clients(Box<[Option<Box<Client>>]>);

impl Clients {
    /// No image has sent a request.
    pub fn new(images: usize) -> Clients {
        Clients((0..images).map(|_| None).collect())
    }

    /// The state about an image, if it has sent a request.
    pub fn get(&self, image: Rank) -> Option<&Client> {
        self.0.get(image.index()).and_then(Option::as_deref)
    }

    /// The state about an image.
    pub fn of(&mut self, image: Rank) -> &mut Client {
        self.0[image.index()].get_or_insert_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes after a request may be in the way of what other images wait for before they take the replies of this server.
    #[test]
    fn requests_whose_bytes_follow_wait_for_incoming_transfers_only() {
        let (limits, none) = (Limits::default(), Staged::default());
        let full = Staged { count: STAGED, bytes: 0 };
        let [origin, target] = [0, 1].map(Rank::new);
        let begins = |data, incoming, outgoing| {
            let head = Head { origin, target, id: 0 };
            let request = Request::Call { handler: 1, data };
            Client::default().can_begin(&limits, head, &request, InUse { incoming, outgoing })
        };
        assert!(begins(Payload::Follows(10), none, full));
        assert!(!begins(Payload::Follows(10), full, none));
        for (incoming, outgoing, expected) in
            [(none, none, true), (none, full, false), (full, none, false)]
        {
            assert_eq!(begins(Payload::Inline(&[]), incoming, outgoing), expected);
        }
    }
}
