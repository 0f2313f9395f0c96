//! The state of an image with one server, and what a request is asked with and answered by.

use crate::rank::Rank;
use crate::server::bundle;
use crate::server::wire::{REQUEST_HEADER, lengthen_short_put};
use crate::transport::Op;
use std::cell::{Cell, RefCell};

/// This image's progress with one server.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) leader: Rank,
    /// The host whose server requests are sent to, which may be another one of the group.
    pub(super) entry: usize,
    /// Requests sent; coalesced requests of one message count as one.
    pub(super) sent: Cell<u64>,
    /// Of these, executed for all this image knows.
    pub(super) executed: Cell<u64>,
    /// Whether data was put that no reply has confirmed.
    pub(super) has_puts: Cell<bool>,
    /// Whether a word was changed by a signal, which no reply has confirmed.
    pub(super) has_signals: Cell<bool>,
    /// Whether dependencies were sent that no reply has confirmed.
    pub(super) is_dependent: Cell<bool>,
    /// Number of the next reply.
    pub(super) next: Cell<u32>,
    /// Replies that have come too early.
    pub(super) early: RefCell<Vec<Box<[u8]>>>,
    /// Whether data was put by the window that is not known to have arrived.
    pub(super) in_window: Cell<bool>,
    /// Requests that travel with the next one.
    pub(super) coalesced: RefCell<Coalesced>,
    /// The number of a get ahead whose reply has not been read.
    pub(super) ahead: Cell<Option<u32>>,
    /// The bytes of the last one, if it has brought some.
    pub(super) came: RefCell<Option<Vec<u8>>>,
}

impl Link {
    /// Whether this image has put or signalled something that no reply has confirmed.
    pub(super) fn is_pending(&self) -> bool {
        self.has_puts.get() || self.has_signals.get()
    }
}

/// The answer of a server; bytes are in the landing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ServerReply {
    Value(u64),
    Data(usize),
    Follows(u64),
}

/// The host and image that a request goes to.
#[derive(Clone, Copy, Debug)]
pub(super) struct To<'a> {
    pub(super) link: &'a Link,
    pub(super) target: Rank,
}

/// The coalesced requests for a host.
#[derive(Debug, Default)]
pub(super) struct Coalesced {
    /// A message of [`bundle`] that is begun; empty without coalesced requests.
    pub(super) message: Vec<u8>,
    /// The last one, if it is a short put of contiguous bytes.
    last: Option<LastPut>,
}

/// A put that contains its bytes and is the last request of a message.
#[derive(Clone, Copy, Debug)]
struct LastPut {
    target: Rank,
    /// Where its bytes end in the segment.
    end: u64,
    len: usize,
    /// Where its entry begins in the message.
    at: usize,
}

impl Coalesced {
    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.message.is_empty()
    }

    /// Adds the bytes that `write` appends.
    pub(super) fn add(&mut self, origin: Rank, write: impl FnOnce(&mut Vec<u8>)) {
        self.last = None;
        if self.message.is_empty() {
            self.message.push(bundle::REQUESTS);
        }
        bundle::write_with(&mut self.message, origin, write);
    }

    /// The request that was just added puts `len` bytes, which it contains, at this offset.
    pub(super) fn last_is_put(&mut self, target: Rank, offset: u64, len: usize) {
        let at = self.message.len() - (bundle::HEADER + REQUEST_HEADER + len);
        self.last = Some(LastPut { target, end: offset + len as u64, len, at });
    }

    /// Adds bytes to the last request, if it is a put to this image of the bytes right before them; whether it is. A put gets no longer
    /// than `most_of_put`, and the message than `most` bytes.
    #[inline]
    pub(super) fn extend_put(
        &mut self,
        (target, offset): (Rank, u64),
        bytes: &[u8],
        (most_of_put, most): (usize, usize),
    ) -> bool {
        let Some(last) = &mut self.last else { return false };
        let len = last.len + bytes.len();
        let fits = len <= most_of_put && self.message.len() + bytes.len() <= most;
        if last.end != offset || last.target != target || !fits {
            return false;
        }
        self.message.extend_from_slice(bytes);
        bundle::lengthen(&mut self.message, last.at, bytes.len());
        lengthen_short_put(&mut self.message[last.at + bundle::HEADER..], len);
        *last = LastPut { end: offset + bytes.len() as u64, len, ..*last };
        true
    }

    /// Takes the message, and leaves none.
    pub(super) fn take(&mut self) -> Vec<u8> {
        self.last = None;
        std::mem::take(&mut self.message)
    }
}

/// Buffers for packed sections and for dependencies that are kept for the next ones.
pub(super) const SPARE: usize = 8;

/// Keeps a buffer for the next use, if there are fewer than `most`.
pub(super) fn keep(buffers: &RefCell<Vec<Vec<u8>>>, most: usize, buffer: Vec<u8>) {
    let mut buffers = buffers.borrow_mut();
    if buffers.len() < most {
        buffers.push(buffer);
    }
}

/// The receive of replies of any server.
#[derive(Debug)]
pub(super) struct Arrival {
    pub(super) room: Box<[u8]>,
    /// A receive in progress.
    pub(super) op: Option<Op>,
}

impl Arrival {
    /// Room for replies of `bytes` bytes.
    pub(super) fn new(bytes: usize) -> Arrival {
        Arrival { room: vec![0; bytes].into(), op: None }
    }
}
