//! Bytes that are got ahead: requested before a barrier for what follows it, so that they come with the barrier's messages.
//!
//! The request ([`Request::GetAhead`]) travels with the message of the barrier. The server replies in any case, and with the bytes if
//! all images of its host have arrived at the barrier, too. The reply waits until this image needs it, or reads another one of that
//! server: replies are in order. An image has at most one such request in progress.
//!
//! Conditions: the job has two hosts, and this image is alone on its own. So when the server reads the bytes all images have arrived
//! at the barrier. What the images of its host have put there is in their memory; what this image has put the server has executed before
//! the request. So the bytes are those after the barrier, until this image synchronises again. Requests go directly to the target's
//! server, and messages by sockets.
//!
//! **One barrier before.** That reply is a message of its own, as the other image has sent its message of the barrier already. So where the
//! job has an image on each of two hosts, what is foreseen for the next barrier is requested with the message of the present one. The
//! server keeps the request until its image arrives at the next barrier (`serve/ahead.rs`), and replies together with that image's message
//! of it.
//!
//! 1. The server has the request in time. Its image leaves the present barrier after the server has executed the message of this image,
//!    which begins with the request.
//! 2. The bytes are those after the next barrier, unless this image has changed them since the request: its own operations may be executed
//!    after the reply is made. [`ReadCache`](crate::transport::ReadCache) forgets what was requested when this image puts to these
//!    bytes, changes a word of them, or has a handler executed. There is no third image.
//! 3. The reply comes. This image waits for it after the next barrier only. Messages of a barrier have its number in their label, so the
//!    other image has arrived then. Its server has replied right before it sent that message, or replies when it is polled. The other
//!    image may have ended instead; the server replies without bytes then.

use super::Origin;
use super::link::To;
use crate::error::Result;
use crate::rank::Rank;
use crate::server::wire::{self, Record, Request, Runs};
use crate::transport::{AheadTransport, Meeting, Run};

impl AheadTransport for Origin {
    fn gets_ahead(&self) -> bool {
        self.gets_ahead
    }

    fn arrives(&self) -> Result<()> {
        if self.gets_next { self.port.answer_awaiting() } else { Ok(()) }
    }

    fn request_ahead(&self, target: Rank, at: Meeting, runs: &[Run]) -> Result<bool> {
        let to = self.to(target);
        let len: usize = runs.iter().map(|run| run.len).sum();
        let gets_then = match at {
            Meeting::Present(_) => self.gets_ahead,
            Meeting::Next(_) => self.gets_next,
        };
        let is_possible = gets_then
            && !self.is_here(target)
            && to.link.ahead.get().is_none()
            && len <= self.limits.inline as usize;
        if !is_possible {
            return Ok(false);
        }
        to.link.came.take();
        self.with_places(0, runs, |places| self.coalesce_ahead(to, at, places))
    }

    fn take_ahead(&self, target: Rank) -> Result<Option<Vec<u8>>> {
        let link = self.to(target).link;
        if link.ahead.get().is_some() {
            // It may not have been sent.
            self.send_coalesced(link, false)?;
        }
        while link.ahead.get().is_some() {
            self.next_reply(link, None)?;
        }
        Ok(link.came.take())
    }
}

impl Origin {
    fn coalesce_ahead(&self, to: To<'_>, at: Meeting, from: Runs<'_>) -> Result<bool> {
        let len = from.count() as usize * wire::Run::BYTES;
        let (arrivals, is_awaited) = match at {
            Meeting::Present(arrivals) => (arrivals, false),
            Meeting::Next(arrivals) => (arrivals, true),
        };
        let request = Request::GetAhead { arrivals, is_awaited, from };
        let mut number = None;
        let write = |message: &mut Vec<u8>, head: wire::Head| {
            number = Some(head.id);
            wire::write_request(message, head, &request);
        };
        let is_coalesced = self.coalesce(to, len, write)?;
        to.link.ahead.set(number);
        Ok(is_coalesced)
    }
}
