//! Flow control of the origin: when another request may be sent, and which requests travel together.
//!
//! **Credits.** An image has a number of credits at each server that it sends to. Where that is the target's server, it
//! returns the count when half of them are used up. Where requests go to a server that forwards them, the credits there
//! are for requests to all hosts of the group, whose servers execute and count them. An image without credits asks the
//! host with most of its requests for a confirmation, unless that host must report by itself. A flush therefore needs no
//! credit; an image has at most one in progress to each host.
//!
//! **Coalesced requests.** Short requests without a reply wait, and travel with the next request to the same host. Puts of bytes that
//! follow one another are one request.
//!
//! A message between hosts costs some microseconds of both processors, however short it is. A put need not arrive
//! before its image orders it before another operation, and that one - a flush, a notification, an atomic operation -
//! is a request to the same host, after which the put is executed anyway. So they go in one message: eight variables
//! are put and announced by one message, and a put with its flush takes one message in each direction.
//!
//! Four rules make coalesced requests visible: each request to that host takes them along; a flush is sent to each
//! host to which data was put, sent or coalesced; they are sent before a dependency is published (`causal_order.rs`); and
//! [`FlushScope::Everything`](crate::transport::FlushScope) sends all. A coalesced notification
//! ([`Post::NotifyLate`](crate::transport::Post)) is one that no image waits for before this image is in the library again (`notify/README.md` has
//! the proof).
//!
//! A message with such requests has one credit and counts as one, however many they are, because it takes one buffer of
//! the server. The first takes the credit. They are as many as leave room for a short request ([`Request::is_short`]) in a
//! message of the fabric's eager limit; before a longer request those beyond [`ALONG`] are sent. Where servers forward
//! requests, no requests are coalesced here: servers bundle messages.

use super::Origin;
use super::link::{Link, To, keep};
use crate::error::Result;
use crate::server::limits::ALONG;
use crate::server::wire::{self, Head, REQUEST_HEADER, Request};
use crate::server::{bundle, limits};
use std::cell::Cell;

/// Messages for coalesced requests that are kept for the next ones: more than an image has neighbours in a grid.
const SPARE: usize = 32;

impl Origin {
    /// Waits until a request may be sent, and counts it as sent. No reply is awaited now, unless it is a flush. A request
    /// that travels in a message with a credit needs none.
    pub(super) fn take_credit(&self, link: &Link, is_flush: bool) -> Result<()> {
        if !link.coalesced.borrow().is_empty() {
            return Ok(());
        }
        let is_free = !self.route.is_direct() && is_flush;
        let [has_puts, has_signals] = [&link.has_puts, &link.has_signals].map(Cell::get);
        while !is_free && !self.has_credit(link) {
            let most = self.siblings(link).max_by_key(|link| link.open()).unwrap_or(link);
            if limits::is_due(self.limits.credits, most.open()) {
                self.next_reply(most, None)?;
            } else {
                self.confirm(To { link: most, target: most.leader })?;
            }
        }
        // This request may be a put or a signal, which no confirmation before it includes.
        link.has_puts.set(has_puts);
        link.has_signals.set(has_signals);
        link.sent.set(link.sent.get() + 1);
        Ok(())
    }

    /// Whether another request may be sent.
    pub(super) fn has_credit(&self, link: &Link) -> bool {
        let open = if self.route.is_direct() {
            link.open()
        } else {
            self.siblings(link).map(Link::open).sum()
        };
        limits::may_send(self.limits.credits, open, 0)
    }

    /// All hosts that are reached by way of the same server; where requests go directly, only this one.
    fn siblings(&self, link: &Link) -> impl Iterator<Item = &Link> {
        let entry = link.entry;
        let host = |host: u32| &self.links[host as usize];
        let group = self.route.topology.neighbours(entry as u32).map(host);
        group.filter(move |link| link.entry == entry)
    }

    /// Sends a put that needs `len` bytes of a message, or coalesces it.
    pub(super) fn put_inline(&self, to: To<'_>, request: &Request<'_>, len: usize) -> Result<()> {
        let write = |message: &mut _, head| wire::write_request(message, head, request);
        if self.coalesce(to, len, write)? {
            Ok(())
        } else {
            self.send_request(to, request).map(|_| ())
        }
    }

    /// Coalesces a request with the next one to that host, if a message has room for both: `write` appends it to the
    /// message, with `len` bytes after its header. Returns whether it was. (Never where servers forward requests.) Also
    /// one that fills the message: an operation that orders it follows, and mostly travels with it.
    #[inline]
    pub(super) fn coalesce(
        &self,
        to: To<'_>,
        len: usize,
        write: impl FnOnce(&mut Vec<u8>, Head),
    ) -> Result<bool> {
        let more = bundle::HEADER + REQUEST_HEADER + len;
        let fits = more <= self.together && len <= self.limits.inline as usize;
        if !fits || !self.route.is_direct() {
            return Ok(false);
        }
        self.flush_window(to.link)?;
        self.send_dependencies(to)?;
        self.append(to, len, write).map(|()| true)
    }

    /// Coalesces a put of bytes that follow those of the last request, if that is a coalesced put, without a request of its own;
    /// whether it does. Loops put one element after the other.
    #[inline]
    pub(super) fn extends_put(&self, to: To<'_>, offset: u64, data: &[u8]) -> bool {
        // What must come before this put, but need not before the last one.
        if to.link.in_window.get() || !self.has_seen_all() {
            return false;
        }
        let most = (self.limits.inline as usize, self.together);
        to.link.coalesced.borrow_mut().extend_put((to.target, offset), data, most)
    }

    /// Coalesces a request that fits into a message: `write` appends it, with `len` bytes after its header.
    #[inline]
    pub(super) fn append(
        &self,
        to: To<'_>,
        len: usize,
        write: impl FnOnce(&mut Vec<u8>, Head),
    ) -> Result<()> {
        let more = bundle::HEADER + REQUEST_HEADER + len;
        self.leave_room(to.link, self.together.saturating_sub(more))?;
        self.take_credit(to.link, false)?;
        let (me, head) = (self.peers.me(), self.next_head(to));
        let mut coalesced = to.link.coalesced.borrow_mut();
        if coalesced.is_empty() {
            coalesced.message = self.messages.borrow_mut().pop().unwrap_or_default();
        }
        coalesced.add(me, |message| write(message, head));
        Ok(())
    }

    /// Sends the coalesced requests for a host if they are longer than `most` bytes.
    fn leave_room(&self, link: &Link, most: usize) -> Result<()> {
        if link.coalesced.borrow().message.len() > most {
            self.send_coalesced(link, false)
        } else {
            Ok(())
        }
    }

    /// Sends the coalesced requests that may not travel with this one.
    pub(super) fn leave_room_for(&self, link: &Link, request: &Request<'_>) -> Result<()> {
        // With its separator, [`request_len`] has room for any request beside this many bytes.
        let most = if request.is_short() { usize::MAX } else { ALONG - bundle::HEADER };
        self.leave_room(link, most)
    }

    /// Sends a request together with the coalesced ones for its host. `followed`: its bytes follow.
    pub(super) fn send_with_coalesced(
        &self,
        to: To<'_>,
        message: &[u8],
        followed: bool,
    ) -> Result<()> {
        if to.link.coalesced.borrow().is_empty() {
            let entry = &self.links[to.link.entry];
            // SAFETY: the message is not touched before it is out or given up.
            return unsafe { self.send(entry, message, followed) };
        }
        let write = |coalesced: &mut Vec<u8>| coalesced.extend_from_slice(message);
        to.link.coalesced.borrow_mut().add(self.peers.me(), write);
        self.send_coalesced(to.link, followed)
    }

    /// Sends the coalesced requests for a host. `followed`: bytes of the last one follow.
    pub(super) fn send_coalesced(&self, link: &Link, followed: bool) -> Result<()> {
        let mut coalesced = link.coalesced.borrow_mut();
        if coalesced.is_empty() {
            return Ok(());
        }
        // SAFETY: the message is not touched before it is out or given up.
        let sent = unsafe { self.send(link, &coalesced.message[..], followed) };
        // Mostly few of the hosts have coalesced requests at a time, so they share the memory for them.
        let mut message = coalesced.take();
        message.clear();
        keep(&self.messages, SPARE, message);
        sent
    }
}

impl Link {
    /// Requests that were sent and, for all this image knows, not executed.
    fn open(&self) -> u64 {
        self.sent.get() - self.executed.get()
    }
}
