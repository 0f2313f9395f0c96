//! Requests to handlers of the doors.

use super::{Got, Origin};
use crate::error::{Error, Result};
use crate::rank::Rank;
use crate::server::wire::{Payload, Request};

impl Origin {
    /// Has a handler work at the host of `target`; its answer is appended to `reply`.
    ///
    /// # Errors
    /// That of the handler, as its text; when the host cannot be reached, or there is no memory for the answer.
    pub fn call(
        &self,
        target: Rank,
        handler: u16,
        payload: &[u8],
        reply: &mut Vec<u8>,
    ) -> Result<()> {
        let to = self.to(target);
        let id = if payload.len() <= self.limits.inline as usize {
            self.send_request(to, &Request::Call { handler, data: Payload::Inline(payload) })?
        } else {
            let data = Payload::Follows(payload.len() as u64);
            let id = self.send_request(to, &Request::Call { handler, data })?;
            // SAFETY: borrowed until all is sent.
            unsafe { self.send_data(to.link, payload.as_ptr(), payload.len())? };
            id
        };
        let (len, follows) = match self.reply(to.link, id)? {
            Got::Data(len) => (len, false),
            Got::Follows(len) => (len as usize, true),
            Got::Value(_) => (0, false),
        };
        reply.try_reserve(len).map_err(|_| Error::OutOfMemory {
            heap: "process's memory for an answer",
            requested: len as u64,
            available: 0,
        })?;
        let end = reply.len();
        reply.resize(end + len, 0);
        // SAFETY: the room that was just made.
        unsafe {
            match follows {
                true => self.receive_data(to.link, reply.as_mut_ptr().add(end), len)?,
                false => self.take_data(reply.as_mut_ptr().add(end), len),
            }
        }
        Ok(())
    }
}
