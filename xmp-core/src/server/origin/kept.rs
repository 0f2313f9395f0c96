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
//! Each kept request has its number and its credit like any other, so flow control and replies know nothing of all this:
//! no more are kept than the server lets go without telling, and an image that has no credit left sends what it keeps
//! before it waits for one. Where servers pass requests on, nothing is kept: messages are merged there.

use super::{Link, Origin, To};
use crate::error::Result;
use crate::rank::Rank;
use crate::server::carrier::Tag;
use crate::server::limits::ALONG;
use crate::server::parcels;
use crate::server::wire::Request;

/// Most bytes of a put that is kept: what is longer takes longer to copy than its message costs.
const SHORT: usize = 2 << 10;

/// What is kept for a host.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// A message of [`parcels`] that is begun; empty if nothing is kept.
    message: Vec<u8>,
    /// How many requests are in it.
    count: u32,
}

impl Kept {
    fn add(&mut self, origin: Rank, request: &[u8]) {
        if self.count == 0 {
            self.message.push(parcels::REQUESTS);
        }
        parcels::write(&mut self.message, origin, request);
        self.count += 1;
    }
}

impl Origin {
    /// Whether a put of so many bytes is kept.
    pub(super) fn is_kept(&self, len: usize) -> bool {
        len <= SHORT && len <= self.limits.inline as usize && self.route.is_direct()
    }

    /// Has a short request travel with the next one to that host. (Not where servers pass requests on.)
    pub(super) fn keep(&self, to: To<'_>, request: &Request<'_>) -> Result<()> {
        self.flush_window(to.link)?;
        self.take_credit(to.link, request)?;
        let (_, message) = self.write(to, request);
        let most = (self.limits.credits / 2).max(1);
        let is_full = {
            let kept = to.link.kept.borrow();
            // With room for what tells the next one, of any length, apart.
            let len = kept.message.len() + parcels::HEADER + message.len();
            kept.count == most || len + parcels::HEADER > ALONG
        };
        if is_full {
            self.send_kept(to.link)?;
        }
        to.link.kept.borrow_mut().add(self.peers.me(), &message);
        Ok(())
    }

    /// Sends a request with what is kept for its host.
    pub(super) fn send_with_kept(&self, to: To<'_>, message: &[u8]) -> Result<()> {
        if to.link.kept.borrow().count == 0 {
            let entry = &self.links[to.link.entry];
            // SAFETY: the message is not touched before it is out or given up.
            return unsafe { self.send(entry, Tag::REQUEST, message) };
        }
        to.link.kept.borrow_mut().add(self.peers.me(), message);
        self.send_kept(to.link)
    }

    /// Sends what is kept for a host.
    pub(super) fn send_kept(&self, link: &Link) -> Result<()> {
        let mut kept = link.kept.borrow_mut();
        if kept.count == 0 {
            return Ok(());
        }
        // SAFETY: as above.
        let sent = unsafe { self.send(link, Tag::REQUEST, &kept.message[..]) };
        kept.message.clear();
        kept.count = 0;
        sent
    }
}
