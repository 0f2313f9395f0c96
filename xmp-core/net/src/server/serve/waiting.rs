//! Requests that wait: for earlier requests of their origins, for messages of other images, or for memory of the server.

use super::Server;
use crate::error::{Error, Result};
use crate::job::page::ImageState;
use crate::rank::Rank;
use crate::server::clients::{Held, InUse};
use crate::server::fabric::Fabric;
use crate::server::requests::Outcome;
use crate::server::wire::{self, Dependencies, Dependency, Head, Request};

impl Server {
    pub(super) fn hold(&mut self, image: Rank, held: Held) {
        self.note_busy(image);
        self.clients.of(image).held.push_back(held);
    }

    /// Holds a request that another server has forwarded with others.
    pub(super) fn hold_copy(&mut self, image: Rank, request: &[u8]) {
        let mut buffer = self.buffer();
        buffer[..request.len()].copy_from_slice(request);
        self.hold(image, Held::Request { buffer, len: request.len() });
    }

    /// Advances half received requests, then those that wait for them.
    pub(super) fn advance_busy(&mut self, fabric: &mut dyn Fabric) -> Result<bool> {
        let mut progress = false;
        for _ in 0..self.busy.len() {
            let Some(image) = self.busy.pop_front() else { break };
            progress |= self.advance_client(fabric, image)?;
            if self.clients.of(image).is_busy() {
                self.busy.push_back(image);
            }
        }
        Ok(progress)
    }

    fn advance_client(&mut self, fabric: &mut dyn Fabric, image: Rank) -> Result<bool> {
        let mut progress = false;
        for incoming in &mut self.clients.of(image).incoming {
            progress |= incoming.poll(fabric)?;
            // The messages of the next one come behind all of this one's.
            if !incoming.is_posted() {
                break;
            }
        }
        // In order: of overlapping sections the last one stays.
        while let Some(done) = self.clients.of(image).take_done() {
            progress = true;
            self.complete(fabric, done)?;
        }
        while let Some(held) = self.take_held(image) {
            progress = true;
            if let Some(rest) = self.execute_next(fabric, held)? {
                self.clients.of(image).held.push_front(rest);
            }
        }
        Ok(progress)
    }

    /// Executes the next request of a message that was held; returns the rest of the message.
    fn execute_next(&mut self, fabric: &mut dyn Fabric, mut held: Held) -> Result<Option<Held>> {
        let next = held.next().map(|(request, is_last)| (wire::read_request(request), is_last));
        let Some((request, is_last)) = next else { return Ok(None) };
        let (head, request) = request?;
        self.execute(fabric, head, request, is_last)?;
        match &mut held {
            Held::Rest(requests) if !is_last => {
                requests.next()?;
                Ok(Some(held))
            }
            _ => {
                self.spare.push(held.into_buffer());
                Ok(None)
            }
        }
    }

    /// The next waiting message of a client, if it need not wait any more.
    fn take_held(&mut self, image: Rank) -> Option<Held> {
        let first = self.clients.of(image).held.pop_front()?;
        let request = first.next().and_then(|(message, _)| wire::read_request(message).ok());
        if request.is_some_and(|(head, request)| self.can_begin(head, &request)) {
            return Some(first);
        }
        self.clients.of(image).held.push_front(first);
        None
    }

    /// Whether a request can begin now, if no message of its image is held before it.
    pub(super) fn can_begin(&mut self, head: Head, request: &Request<'_>) -> bool {
        if let Request::After(dependencies) = request
            && !self.has_executed(*dependencies)
        {
            self.is_dependent = true;
            return false;
        }
        let in_use = self.memory_in_use();
        self.clients.of(head.origin).can_begin(&self.host.limits, head, request, in_use)
    }

    /// Whether these messages are executed. Those of an image that has failed may be lost.
    fn has_executed(&self, dependencies: Dependencies<'_>) -> bool {
        let images = self.host.peers.images();
        dependencies.iter().all(|Dependency { image, messages }| {
            // An image that does not exist is refused when this executes.
            image.index() >= images
                || self.clients.executed(image) >= messages
                || self.host.job.state(image) == ImageState::Failed
        })
    }

    /// Executes [`Request::After`]: its dependencies are met.
    pub(super) fn after(&self, dependencies: Dependencies<'_>) -> Result<Outcome> {
        let images = self.host.peers.images();
        match dependencies.iter().find(|dependency| dependency.image.index() >= images) {
            None => Ok(Outcome::Done),
            Some(Dependency { image, .. }) => {
                Err(Error::Invalid(format!("a dependency on {image}, which does not exist")))
            }
        }
    }

    pub(super) fn memory_in_use(&self) -> InUse {
        InUse { incoming: self.staged, outgoing: self.outbox.staged() }
    }

    pub(super) fn note_busy(&mut self, image: Rank) {
        if !self.busy.contains(&image) {
            self.busy.push_back(image);
        }
    }
}
