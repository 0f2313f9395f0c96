//! Requests that wait: for earlier requests of their origins, for messages of other images, or for memory of the server.

use super::Server;
use crate::error::{Error, Result};
use crate::job::page::ImageState;
use crate::rank::Rank;
use crate::server::clients::{Client, InUse, QueuedMessage};
use crate::server::fabric::Fabric;
use crate::server::incoming::Incoming;
use crate::server::requests::Outcome;
use crate::server::wire::{self, Dependencies, Dependency, Head, Request};

impl Server {
    pub(super) fn hold(&mut self, image: Rank, held: QueuedMessage) {
        self.note_busy(image);
        self.clients.of(image).held.push_back(held);
    }

    /// Holds a request that another server has forwarded with others.
    pub(super) fn hold_copy(&mut self, image: Rank, request: &[u8]) {
        let mut buffer = self.buffer();
        buffer[..request.len()].copy_from_slice(request);
        self.hold(image, QueuedMessage::Request { buffer, len: request.len() });
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
            // The messages of the next one come after all of this one's.
            if !incoming.is_posted() {
                break;
            }
        }
        // In order: of overlapping sections the last one stays.
        while let Some(done) = self.clients.of(image).take_done() {
            progress = true;
            self.complete(fabric, done)?;
        }
        while let Some(held) = self.take_held(fabric, image) {
            progress = true;
            if let Some(rest) = self.execute_next(fabric, held)? {
                self.clients.of(image).held.push_front(rest);
            }
        }
        Ok(progress)
    }

    /// Executes the next request of a message that was held; returns the rest of the message.
    fn execute_next(
        &mut self,
        fabric: &mut dyn Fabric,
        mut held: QueuedMessage,
    ) -> Result<Option<QueuedMessage>> {
        let next = held.next().map(|(request, is_last)| (wire::read_request(request), is_last));
        let Some((request, is_last)) = next else { return Ok(None) };
        let (head, request) = request?;
        self.execute(fabric, head, request, is_last)?;
        match &mut held {
            QueuedMessage::Rest(requests) if !is_last => {
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
    fn take_held(&mut self, fabric: &dyn Fabric, image: Rank) -> Option<QueuedMessage> {
        let (message, _) = self.clients.get(image)?.held.front()?.next()?;
        let (head, request) = wire::read_request(message).ok()?;
        if self.can_begin(fabric, head, &request) {
            return self.clients.of(image).held.pop_front();
        }
        self.has_dependent |= matches!(request, Request::After(_));
        None
    }

    /// Whether a request can begin now, if no message of its image is held before it.
    pub(super) fn can_begin(&self, fabric: &dyn Fabric, head: Head, request: &Request<'_>) -> bool {
        if let Request::After(dependencies) = request
            && !dependencies.iter().all(|dependency| self.is_met(fabric, head, dependency))
        {
            return false;
        }
        let in_use = self.memory_in_use();
        let begins = |client: &Client| client.can_begin(&self.host.limits, head, request, in_use);
        self.clients.get(head.origin).map_or_else(|| begins(&Client::default()), begins)
    }

    /// Whether the messages are executed, or will never be.
    fn is_met(&self, fabric: &dyn Fabric, head: Head, dependency: Dependency) -> bool {
        let Dependency { image, messages } = dependency;
        if !self.is_possible(head, dependency) {
            // It is refused when it executes.
            return true;
        }
        let client = self.clients.get(image);
        if client.is_some_and(|client| client.executed >= messages) {
            return true;
        }
        // Those of a process that has died may be lost. What has come is executed first, unless it waits for bytes that have not.
        let goes_on = |client: &Client| {
            client.is_busy() && client.incoming.front().is_none_or(Incoming::is_done)
        };
        self.host.job.state(image) == ImageState::Failed
            && !fabric.has_requests_of(image)
            && !client.is_some_and(goes_on)
    }

    /// Whether an image may send this dependency: on another image of its host.
    fn is_possible(&self, head: Head, Dependency { image, .. }: Dependency) -> bool {
        let peers = &self.host.peers;
        image.index() < peers.images()
            && image != head.origin
            && peers.host(image) == peers.host(head.origin)
    }

    /// Executes [`Request::After`]: its dependencies are met.
    pub(super) fn after(&self, head: Head, dependencies: Dependencies<'_>) -> Result<Outcome> {
        match dependencies.iter().find(|&dependency| !self.is_possible(head, dependency)) {
            None => Ok(Outcome::Done),
            Some(Dependency { image, .. }) => Err(Error::Invalid(format!(
                "a request of {} depends on {image}, which is no other image of its host",
                head.origin
            ))),
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
