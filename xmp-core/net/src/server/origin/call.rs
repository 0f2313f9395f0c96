//! Requests to handlers of the front ends.

use super::Origin;
use super::link::{Link, ServerReply};
use crate::error::{Error, Result};
use crate::rank::Rank;
use crate::server::requests::call::REQUEST;
use crate::server::wire::{Payload, Request};

impl Origin {
    /// Executes a handler at the host of `target`; its answer is appended to `reply`.
    ///
    /// # Errors
    /// That of the handler: as its text, but for images that have ended. When the host cannot be reached; when request
    /// or answer are longer than [`Limits::payload`](crate::server::Limits::payload), or there is no memory for the
    /// answer.
    pub(super) fn call_handler(
        &self,
        target: Rank,
        handler: u16,
        payload: &[u8],
        reply: &mut Vec<u8>,
    ) -> Result<()> {
        self.limits.check_payload(REQUEST, payload.len() as u64)?;
        let to = self.to(target);
        let id = if payload.len() <= self.limits.inline as usize {
            self.send_request(to, &Request::Call { handler, data: Payload::Inline(payload) })?
        } else {
            let data = Payload::Follows(payload.len() as u64);
            let id = self.send_request(to, &Request::Call { handler, data })?;
            // SAFETY: the payload is borrowed until all is sent.
            unsafe { self.send_data(to.link, payload.as_ptr(), payload.len())? };
            id
        };
        let (len, follows) = match self.reply(to.link, id)? {
            ServerReply::Data(len) => (len, false),
            ServerReply::Follows(len) => (len as usize, true),
            ServerReply::Value(_) => (0, false),
        };
        let fits = self.limits.check_payload("a reply", len as u64);
        let room = fits.and_then(|()| reply.try_reserve(len).map_err(|_| no_memory(len)));
        if let Err(error) = room {
            // The next bytes from there belong to another request's reply.
            if follows {
                self.drop_data(to.link, len)?;
            }
            return Err(error);
        }
        let end = reply.len();
        reply.resize(end + len, 0);
        // SAFETY: the room that was just made.
        unsafe {
            if follows {
                self.receive_data(to.link, reply.as_mut_ptr().add(end), len)?
            } else {
                self.take_data(reply.as_mut_ptr().add(end), len)
            }
        }
        Ok(())
    }
    /// Receives the bytes that follow a reply, all into the same memory.
    fn drop_data(&self, link: &Link, len: usize) -> Result<()> {
        let chunk = self.limits.chunk as usize;
        let mut room = vec![0; chunk.min(len)];
        let mut left = len;
        while left > 0 {
            let part = chunk.min(left);
            // SAFETY: room for a message, which lives until the operation is over.
            let op = unsafe { self.post_data(link, room.as_mut_ptr(), part)? };
            self.complete(link, op)?;
            left -= part;
        }
        Ok(())
    }
}

fn no_memory(len: usize) -> Error {
    Error::OutOfMemory {
        heap: "process's memory for a reply",
        requested: len as u64,
        available: 0,
        remedy: String::new(),
    }
}
