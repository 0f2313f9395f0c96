//! The server's state about each origin.

use super::bundle::Bundle;
use super::incoming::Incoming;
use super::wire::{Answer, Reply};
use crate::error::Error;
use crate::rank::Rank;
use std::collections::VecDeque;

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
    /// Messages that must wait for these, or for memory, in order. At most as many as the image has credits.
    pub held: VecDeque<Held>,
}

/// A message that waits.
#[derive(Debug)]
pub enum Held {
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

impl Held {
    /// The next request, and whether it is the last; `None` when none could be read.
    pub fn next(&self) -> Option<(&[u8], bool)> {
        match self {
            Held::Request { buffer, len } => Some((&buffer[..*len], true)),
            Held::Rest(requests) => {
                let (_, request, is_last) = requests.first()?;
                Some((request, is_last))
            }
        }
    }

    /// The buffer, for another message.
    pub fn into_buffer(self) -> Box<[u8]> {
        match self {
            Held::Request { buffer, .. } => buffer,
            Held::Rest(requests) => requests.into_buffer(),
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

    /// The state about an image.
    pub fn of(&mut self, image: Rank) -> &mut Client {
        self.0[image.index()].get_or_insert_default()
    }
}
