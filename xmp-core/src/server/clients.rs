//! What a server remembers of the images that ask it.

use super::bundle::Bundle;
use super::incoming::Incoming;
use super::wire::{Answer, Reply};
use crate::error::Error;
use crate::rank::Rank;
use std::collections::VecDeque;

/// An image that has asked something.
#[derive(Debug, Default)]
pub struct Client {
    /// Requests that were executed; those of one message that an image has kept for it are one.
    pub executed: u64,
    /// Of these, the image knows that they were.
    pub told: u64,
    /// Replies that were sent to it.
    pub replies: u32,
    /// Why a request was refused that has no reply; the next reply says so.
    pub fault: Option<Error>,
    /// Requests whose bytes are on their way, in order.
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
    /// What is left of several that have come together.
    Rest(Bundle),
}

impl Held {
    /// The request that comes next, and whether it is the last; `None` when there is none that could be read.
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
    /// The next reply to it, of the server of this host.
    pub fn reply<'a>(&mut self, host: u32, id: u32, answer: Answer<'a>) -> Reply<'a> {
        let number = self.replies;
        self.replies = number.wrapping_add(1);
        Reply { id, host, number, executed: self.executed, answer }
    }

    /// Whether something is going on besides the message that comes next.
    pub fn is_busy(&self) -> bool {
        !self.incoming.is_empty() || !self.held.is_empty()
    }

    /// The first request whose bytes are on their way, if all are here.
    pub fn take_done(&mut self) -> Option<Incoming> {
        match self.incoming.front()?.is_done() {
            true => self.incoming.pop_front(),
            false => None,
        }
    }
}

/// All images of the job, as clients.
#[derive(Debug)]
pub struct Clients(Box<[Option<Box<Client>>]>);

impl Clients {
    /// Nobody has asked.
    pub fn new(images: usize) -> Clients {
        Clients((0..images).map(|_| None).collect())
    }

    /// What is remembered of an image.
    pub fn of(&mut self, image: Rank) -> &mut Client {
        self.0[image.index()].get_or_insert_default()
    }
}
