//! Credits of the origin: when another request may be sent.
//!
//! An image has a number of credits at each server that it sends to. Where that is the target's server, it returns the
//! count when half of them are used up. Where requests go to a server that forwards them, the credits there are for
//! requests to all hosts of the group, whose servers execute and count them. An image without credits asks the host
//! with most of its requests for a confirmation, unless that host must report by itself. A flush therefore needs no
//! credit; an image has at most one in progress to each host.

use super::Origin;
use super::link::{Link, To};
use crate::error::Result;
use crate::server::limits;
use crate::server::wire::Request;

impl Origin {
    /// Waits until this request may be sent, and counts it as sent. No reply is awaited now, unless it is a flush. A
    /// request that travels in a message with a credit needs none.
    pub(super) fn take_credit(&self, link: &Link, request: &Request<'_>) -> Result<()> {
        if !link.coalesced.borrow().is_empty() {
            return Ok(());
        }
        let is_free = !self.route.is_direct() && matches!(request, Request::Flush);
        while !is_free && !self.has_credit(link) {
            let most = self.siblings(link).max_by_key(|link| link.open()).unwrap_or(link);
            if limits::is_due(self.limits.credits, most.open()) {
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
}

impl Link {
    /// Requests that were sent and, for all this image knows, not executed.
    fn open(&self) -> u64 {
        self.sent.get() - self.executed.get()
    }
}
