//! Coalesced requests: short requests without a reply wait, and travel with the next request to the same host.
//!
//! A message between hosts costs some microseconds of both processors, however short it is. A put need not arrive
//! before its image orders it before another operation, and that one - a flush, a notification, an atomic operation -
//! is a request to the same host, behind which the put is executed anyway. So they go in one message: eight variables
//! are put and announced by one message, and a put with its flush takes one message in each direction.
//!
//! Three rules make coalesced requests visible: each request to that host takes them along; a flush is sent to each
//! host to which data was put, sent or coalesced; and [`FlushScope::Everything`](crate::transport::FlushScope) sends all. A coalesced notification
//! ([`Post::NotifyLate`](crate::transport::Post)) is one that no image waits for before this image is in the library again (`notify/README.md` has
//! the proof).
//!
//! A message with such requests has one credit and counts as one, however many they are, because it takes one buffer of
//! the server. They are at most as many as fit into [`ALONG`]; the first takes the credit. Where servers forward
//! requests, no requests are coalesced here: servers bundle messages.

use super::Origin;
use super::link::{Link, To};
use crate::error::Result;
use crate::server::bundle;
use crate::server::fabric::Tag;
use crate::server::limits::ALONG;
use crate::server::wire::{self, REQUEST_HEADER, Request};

/// Most bytes of a coalesced put: a longer one takes longer to copy than its message costs.
const SHORT: usize = 2 << 10;

impl Origin {
    /// Whether a put of `len` bytes is coalesced.
    pub(super) fn is_coalesced(&self, len: usize) -> bool {
        len <= SHORT && len <= self.limits.inline as usize && self.route.is_direct()
    }

    /// Coalesces a short request of `len` bytes with the next one to that host. (Not where servers forward requests.)
    pub(super) fn coalesce(&self, to: To<'_>, request: &Request<'_>, len: usize) -> Result<()> {
        self.flush_window(to.link)?;
        // With room for the separator of the next one, of any length.
        let more = bundle::HEADER + REQUEST_HEADER + len + bundle::HEADER;
        if to.link.coalesced.borrow().message.len() + more > ALONG {
            self.send_coalesced(to.link)?;
        }
        self.take_credit(to.link, request)?;
        let (me, head) = (self.peers.me(), self.next_head(to));
        let mut coalesced = to.link.coalesced.borrow_mut();
        coalesced.add(me, |message| wire::write_request(message, head, request));
        Ok(())
    }

    /// Sends a request together with the coalesced ones for its host.
    pub(super) fn send_with_coalesced(&self, to: To<'_>, message: &[u8]) -> Result<()> {
        if to.link.coalesced.borrow().is_empty() {
            let entry = &self.links[to.link.entry];
            // SAFETY: the message is not touched before it is out or given up.
            return unsafe { self.send(entry, Tag::REQUEST, message) };
        }
        let write = |coalesced: &mut Vec<u8>| coalesced.extend_from_slice(message);
        to.link.coalesced.borrow_mut().add(self.peers.me(), write);
        self.send_coalesced(to.link)
    }

    /// Sends the coalesced requests for a host.
    pub(super) fn send_coalesced(&self, link: &Link) -> Result<()> {
        let mut coalesced = link.coalesced.borrow_mut();
        if coalesced.is_empty() {
            return Ok(());
        }
        // SAFETY: the message is not touched before it is out or given up.
        let sent = unsafe { self.send(link, Tag::REQUEST, &coalesced.message[..]) };
        coalesced.message.clear();
        sent
    }
}
