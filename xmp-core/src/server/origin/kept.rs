//! Short requests that nobody waits for: they are kept, and travel with the next request to the same host.
//!
//! A message between hosts costs some microseconds of both processors, however short it is. A put need not arrive before
//! its image orders it before something else, and that - a flush, a notification, an atomic operation - is a request to the
//! same host, behind which the put would be executed anyhow. So they go in one message: eight variables are put and
//! announced by one, and a put with its flush takes a message there and one back.
//!
//! Whoever is to see what is kept: each request to that host takes it along; a flush is asked of each host to which
//! something was put, sent or kept; and [`Origin::finish`] sends all. A notification that is kept ([`Origin::tell`]) is one
//! that nobody waits for before its image is in the library again (`notify/README.md` has the argument).
//!
//! A message with such requests has one credit and counts as one, however many they are: it takes one buffer of the server. They
//! are at most as many as fit into [`ALONG`]; the first takes the credit. Where servers pass requests on, nothing is kept:
//! messages are merged there.

use super::{Link, Origin, To};
use crate::error::Result;
use crate::rank::Rank;
use crate::server::bundle;
use crate::server::fabric::Tag;
use crate::server::limits::ALONG;
use crate::server::wire::{self, REQUEST_HEADER, Request};

/// Most bytes of a put that is kept: what is longer takes longer to copy than its message costs.
const SHORT: usize = 2 << 10;

/// What is kept for a host.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// A message of [`bundle`] that is begun; empty if nothing is kept.
    message: Vec<u8>,
}

impl Kept {
    /// Whether nothing is kept.
    pub(super) fn is_empty(&self) -> bool {
        self.message.is_empty()
    }

    /// Adds what `write` appends.
    fn add(&mut self, origin: Rank, write: impl FnOnce(&mut Vec<u8>)) {
        if self.message.is_empty() {
            self.message.push(bundle::REQUESTS);
        }
        bundle::write_with(&mut self.message, origin, write);
    }
}

impl Origin {
    /// Whether a put of so many bytes is kept.
    pub(super) fn is_kept(&self, len: usize) -> bool {
        len <= SHORT && len <= self.limits.inline as usize && self.route.is_direct()
    }

    /// Has a short request with so many bytes travel with the next one to that host. (Not where servers pass requests on.)
    pub(super) fn keep(&self, to: To<'_>, request: &Request<'_>, len: usize) -> Result<()> {
        self.flush_window(to.link)?;
        // With room for what tells the next one, of any length, apart.
        let more = bundle::HEADER + REQUEST_HEADER + len + bundle::HEADER;
        if to.link.kept.borrow().message.len() + more > ALONG {
            self.send_kept(to.link)?;
        }
        self.take_credit(to.link, request)?;
        let (me, head) = (self.peers.me(), self.next_head(to));
        let mut kept = to.link.kept.borrow_mut();
        kept.add(me, |message| wire::write_request(message, head, request));
        Ok(())
    }

    /// Sends a request with what is kept for its host.
    pub(super) fn send_with_kept(&self, to: To<'_>, message: &[u8]) -> Result<()> {
        if to.link.kept.borrow().is_empty() {
            let entry = &self.links[to.link.entry];
            // SAFETY: the message is not touched before it is out or given up.
            return unsafe { self.send(entry, Tag::REQUEST, message) };
        }
        let write = |kept: &mut Vec<u8>| kept.extend_from_slice(message);
        to.link.kept.borrow_mut().add(self.peers.me(), write);
        self.send_kept(to.link)
    }

    /// Sends what is kept for a host.
    pub(super) fn send_kept(&self, link: &Link) -> Result<()> {
        let mut kept = link.kept.borrow_mut();
        if kept.is_empty() {
            return Ok(());
        }
        // SAFETY: as above.
        let sent = unsafe { self.send(link, Tag::REQUEST, &kept.message[..]) };
        kept.message.clear();
        sent
    }
}
