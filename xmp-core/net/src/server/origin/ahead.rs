//! Bytes that are got ahead: requested before a barrier for what follows it, so that they come with the barrier's messages.
//!
//! The request ([`Request::GetAhead`]) travels with the message of the barrier. The server replies in any case, and with the bytes if
//! all images of its host have arrived at the barrier, too. The reply waits until this image needs it, or reads another one of that
//! server: replies are in order. An image has at most one such request in progress.
//!
//! **Conditions.** The job has two hosts, and this image is alone on its own. So when the server reads the bytes all images have arrived
//! at the barrier. What the images of its host have put there is in their memory; what this image has put the server has executed before
//! the request. So the bytes are those after the barrier, until this image synchronises again. Requests go directly to the target's
//! server, and messages by sockets.

use super::Origin;
use super::link::To;
use crate::error::Result;
use crate::rank::Rank;
use crate::server::wire::{self, Record, Request, Runs};
use crate::transport::{AheadTransport, Run};

impl AheadTransport for Origin {
    fn gets_ahead(&self) -> bool {
        self.gets_ahead
    }

    fn request_ahead(&self, target: Rank, arrivals: u32, runs: &[Run]) -> Result<bool> {
        let to = self.to(target);
        let len: usize = runs.iter().map(|run| run.len).sum();
        let is_possible = self.gets_ahead
            && !self.is_here(target)
            && to.link.ahead.get().is_none()
            && len <= self.limits.inline as usize;
        if !is_possible {
            return Ok(false);
        }
        to.link.came.take();
        self.with_places(0, runs, |places| self.coalesce_ahead(to, arrivals, places))
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
    fn coalesce_ahead(&self, to: To<'_>, arrivals: u32, from: Runs<'_>) -> Result<bool> {
        let len = from.count() as usize * wire::Run::BYTES;
        let request = Request::GetAhead { arrivals, from };
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
