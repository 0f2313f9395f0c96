//! When another request may be sent.
//!
//! An image has so many credits at each server that it sends to. Where that is the target's, the server tells when half of
//! them were used up. Where requests go to a server that passes them on, the credits there are those of requests for all
//! hosts of the group, whose servers execute and count them; an image that has none left asks the one with most of its
//! requests to confirm, if that need not tell by itself. A flush needs no credit then, so that it can be asked: an image
//! has at most one on its way to each host.

use super::{Link, Origin, To};
use crate::error::Result;
use crate::server::credits;
use crate::server::wire::Request;

impl Origin {
    /// Waits until this request may be sent, and counts it as sent. No reply is awaited now, unless it is a flush. It needs no
    /// credit if it travels in a message that has one.
    pub(super) fn take_credit(&self, link: &Link, request: &Request<'_>) -> Result<()> {
        if !link.kept.borrow().is_empty() {
            return Ok(());
        }
        let is_free = !self.route.is_direct() && matches!(request, Request::Flush);
        while !is_free && !self.has_credit(link) {
            let most = self.siblings(link).max_by_key(|link| link.open()).unwrap_or(link);
            if credits::is_due(self.limits.credits, most.open()) {
                self.next_reply(most, None)?;
            } else {
                self.confirm(To { link: most, target: most.leader })?;
            }
        }
        link.sent.set(link.sent.get() + 1);
        Ok(())
    }

    /// Whether another request may be sent.
    pub(super) fn has_credit(&self, link: &Link) -> bool {
        let open = match self.route.is_direct() {
            true => link.open(),
            false => self.siblings(link).map(Link::open).sum(),
        };
        credits::may_send(self.limits.credits, open, 0)
    }

    /// All hosts that are reached by way of the same server: itself where requests go directly.
    fn siblings(&self, link: &Link) -> impl Iterator<Item = &Link> {
        let entry = link.entry;
        let host = |host: u32| &self.links[host as usize];
        let group = self.route.topology.neighbours(entry as u32).map(host);
        group.filter(move |link| link.entry == entry)
    }
}

impl Link {
    /// Requests that were sent and, for all this image knows, not executed.
    fn open(&self) -> u64 {
        self.sent.get() - self.executed.get()
    }
}
