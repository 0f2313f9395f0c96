//! Causal order: requests of other images of this host execute after the puts of this image, although no reply has confirmed these.
//!
//! An image puts to another host, then notifies an image of its own. What the notified image requests there must execute after
//! the puts, and so must what any image requests that this one notifies in turn. Their requests go over connections of their own, so
//! they may arrive before the puts. To wait for a confirmation first would take a round trip, and longer where the other host's
//! leader computes.
//!
//! Instead the image *publishes a dependency* in the memory of its host: the number of its messages to the other host
//! ([`dependencies`](crate::server::dependencies)). Before each request an image looks whether there are publications that it has
//! not seen, and sends the new numbers before its request ([`Request::After`]). The server holds what comes after them until it has
//! executed this many messages of each of these images (causal order by explicit dependencies: Birman, Schiper and Stephenson 1991;
//! Kshemkalyani and Singhal 1998). An image never sends the same dependency twice, because its requests are executed in order. It sends
//! all new numbers that it finds, also those of publications that do not precede its request.
//!
//! **Conditions** ([`Origin::new`]). All images of a host find them alike: they depend on settings, and on what all have agreed on.
//!
//! 1. The job has two hosts. An image of a third host gets no dependencies; it could be notified, and then request something.
//! 2. Messages are sent by themselves ([`Fabric::sends_by_itself`](crate::server::Fabric::sends_by_itself)), to the target's server.
//!
//! **What is confirmed nevertheless.**
//!
//! 1. Puts that precede the release of a lock of this host, or a change of an atomic variable of this host. Images of the other host
//!    read these by requests, not by a message of this host after the puts.
//! 2. A flush of all confirms the dependencies of this image, too, and those that it finds published.
//!
//! **Each request executes at last.** A number is published when its messages are with the system. So a request is sent after the
//! messages that it depends on. Of all requests that servers hold, take the one that was sent first: what it depends on is not held for
//! a dependency, so it executes (`README.md`, "Proof of progress"). Messages of a process that has died may be lost: when its
//! connection is closed and all that has come is executed, the server waits for them no longer.

use super::Origin;
use super::link::{Link, SPARE, To, keep};
use crate::error::Result;
use crate::server::dependencies::publish;
use crate::server::wire::{self, Dependencies, Dependency, Record, Request};
use crate::sync::AtomicU64;

/// Most dependencies of one request.
const MAX_DEPENDENCIES: usize = 256;

impl Origin {
    /// Before this image notifies images of this host: orders what they request after its puts.
    pub(super) fn publish_dependencies(&self) -> Result<()> {
        for link in self.links.iter().filter(|link| link.is_pending()) {
            self.send_coalesced(link, false)?;
            let sent = link.sent.get();
            if self.published.replace(sent) != sent {
                let number = &self.job.entry(self.peers.me()).messages;
                self.known.has_published(publish(self.publications(), number, sent));
            }
        }
        Ok(())
    }

    /// Before a request: sends the dependencies that this image has not sent yet.
    #[inline]
    pub(super) fn send_dependencies(&self, to: To<'_>) -> Result<()> {
        if self.has_seen_all() { Ok(()) } else { self.send_new_dependencies(to) }
    }

    #[inline(never)]
    fn send_new_dependencies(&self, to: To<'_>) -> Result<()> {
        let number = |image| (image, &self.job.entry(image).messages);
        let mut new = self.known.learn(self.publications(), self.peers.here().map(number));
        new.retain(|dependency| dependency.image != self.peers.me());
        let mut bytes = self.spare.borrow_mut().pop().unwrap_or_default();
        for part in new.chunks(MAX_DEPENDENCIES) {
            let request = Request::After(Dependencies::of(part.iter().copied(), &mut bytes));
            let len = part.len() * Dependency::BYTES;
            let write = |message: &mut _, head| wire::write_request(message, head, &request);
            self.append(to, len, write).inspect_err(|_| self.known.forget())?;
            to.link.is_dependent.set(true);
        }
        keep(&self.spare, SPARE, bytes);
        Ok(())
    }

    /// Whether operations on a host precede what this image does now, which no reply has confirmed: its own, or those of
    /// other images of its host.
    pub(super) fn is_unconfirmed(&self, link: &Link) -> bool {
        link.has_signals.get() || self.has_unconfirmed_puts(link)
    }

    /// Whether puts are among them. (Also where a publication has nothing to do with this image.)
    pub(super) fn has_unconfirmed_puts(&self, link: &Link) -> bool {
        link.has_puts.get()
            || link.is_dependent.get()
            || !(self.has_seen_all() || self.is_own(link))
    }

    /// Whether this image has seen all publications of its host.
    #[inline(always)]
    pub(super) fn has_seen_all(&self) -> bool {
        !self.is_causal || self.known.is_current(self.publications())
    }

    /// Whether this is the link to this image's own host, to which no requests go.
    fn is_own(&self, link: &Link) -> bool {
        link.leader == self.own_leader
    }

    /// How often images of this host have published dependencies.
    #[inline(always)]
    fn publications(&self) -> &AtomicU64 {
        &self.job.entry(self.own_leader).publications
    }
}
