//! Causal order: operations of other images of this host execute behind the puts of this one, without a confirmation of these.
//!
//! An image puts to another host, then notifies an image of its own. What the notified image requests there must execute behind
//! the puts, and so must what any image requests that this one notifies in turn. Their requests go over connections of their own, so
//! they may arrive before the puts. To wait for a confirmation first would take a round trip, and longer where the other host's
//! leader computes.
//!
//! Instead the image *publishes a dependency* in the memory of its host: the number of its messages to the other host
//! ([`dependencies`](crate::server::dependencies)). Before each request an image looks whether there are dependencies that it does
//! not know, and sends these before its request ([`Request::After`]). The server holds what comes behind them until it has executed
//! so many messages of each of these images (causal order by explicit dependencies: Birman, Schiper and Stephenson 1991;
//! Kshemkalyani and Singhal 1998). An image never sends the same dependency twice, because its requests are executed in order.
//!
//! 1. Only in jobs of two hosts. On a third host, which gets no dependencies, an image could be notified and then request something.
//! 2. Only of what images of this host are notified of by its memory, or the other host by requests. A lock of this host, or an
//!    atomic variable, is read by images of the other host, too: what precedes its release is confirmed.
//! 3. A flush of all includes the dependencies of this image.
//! 4. Only where the fabric sends by itself ([`Fabric::sends_by_itself`](crate::server::Fabric::sends_by_itself)): the messages
//!    that are depended on were sent before, so they arrive whatever their image does then. The earliest message that a server holds
//!    depends on messages that were sent before it, which it does not hold for a dependency. So each is executed at last.
//! 5. Messages of an image that has failed may be lost: the server does not wait for them.

use super::Origin;
use super::link::{Link, To};
use crate::error::Result;
use crate::job::pair::Pair;
use crate::rank::Rank;
use crate::server::dependencies::publish;
use crate::server::wire::{self, Dependencies, Record, Request};
use crate::sync::AtomicU64;

/// Most dependencies of one request.
const MOST: usize = 256;

impl Origin {
    /// Before this image notifies images of this host: orders what they request of the other one behind its puts.
    pub(super) fn publish_dependencies(&self) -> Result<()> {
        if !self.is_causal {
            return self.confirm_all(|link| link.has_puts.get());
        }
        for link in self.links.iter().filter(|link| link.has_puts.get()) {
            self.send_coalesced(link, false)?;
            let sent = link.sent.get();
            if link.published.replace(sent) != sent {
                let number = self.dependency_of(self.peers.me(), link);
                link.known.has_published(publish(self.publications(link), number, sent));
            }
        }
        Ok(())
    }

    /// Before a request: sends the dependencies that this image has not sent yet.
    #[inline]
    pub(super) fn send_dependencies(&self, to: To<'_>) -> Result<()> {
        if to.link.known.is_current(self.publications(to.link)) {
            Ok(())
        } else {
            self.send_new_dependencies(to)
        }
    }

    #[inline(never)]
    fn send_new_dependencies(&self, to: To<'_>) -> Result<()> {
        let here = self.peers.here().map(|image| (image, self.dependency_of(image, to.link)));
        let mut new = to.link.known.learn(self.publications(to.link), here);
        new.retain(|dependency| dependency.image != self.peers.me());
        for part in new.chunks(MOST) {
            let mut bytes = Vec::with_capacity(size_of_val(part));
            part.iter().for_each(|dependency| dependency.write(&mut bytes));
            let request = Request::After(Dependencies::read(&bytes)?);
            self.append(to, bytes.len(), |message, head| {
                wire::write_request(message, head, &request);
            })?;
            // Not before: a confirmation for the sake of a credit has not included them.
            to.link.is_dependent.set(true);
        }
        Ok(())
    }

    /// Whether operations on a host precede what this image does now, which no reply has confirmed: its own, or those of
    /// other images of its host.
    pub(super) fn is_unconfirmed(&self, link: &Link) -> bool {
        let depends = || {
            link.is_dependent.get()
                || (self.is_causal && !link.known.is_current(self.publications(link)))
        };
        link.has_puts.get() || depends()
    }

    /// How often dependencies on messages to a host have been published.
    fn publications(&self, link: &Link) -> &AtomicU64 {
        &self.job.entry(link.leader).dependencies
    }

    /// The number of messages of an image of this host to another one that others may depend on.
    fn dependency_of(&self, image: Rank, link: &Link) -> &AtomicU64 {
        let segment = self.job.segment(image).expect("an image of this host");
        let offset = self.pairs as usize + link.leader.index() * size_of::<Pair>();
        // SAFETY: the pairs area of every segment holds one Pair an image: atomics, valid when zeroed.
        let pair = unsafe { &*segment.wrapping_add(offset).cast::<Pair>() };
        &pair.dependency
    }
}
