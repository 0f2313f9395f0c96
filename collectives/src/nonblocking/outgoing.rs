//! The sending end of a message.

use super::header::{Header, Kind, Name, packets};
use super::mailbox::Mailbox;
use crate::leaders::CallStatus;
use crate::parts::bytes;
use std::ptr::NonNull;
use xmp_core::Result;
use xmp_core::image::Endpoint;
use xmp_core::notify::{Lane, Link, PACKET};

/// A message to send. Its first packet is sent eagerly if there is a credit for it. The other packets, and a first one
/// without a credit, are sent when the receiver has cleared the message.
#[derive(Debug)]
pub struct Outgoing {
    name: Name,
    start: *const u8,
    len: usize,
    call_status: CallStatus,
    next: u32,
    asked: bool,
    cleared: bool,
    /// What this image calls.
    call: u32,
}

impl Outgoing {
    /// The message `name` of `len` bytes at `start`.
    pub fn new(
        name: Name,
        start: *const u8,
        len: usize,
        call_status: CallStatus,
        call: u32,
    ) -> Outgoing {
        Outgoing { name, start, len, call_status, call, next: 0, asked: false, cleared: false }
    }

    /// A message that only compares what its images call.
    pub fn without_data(name: Name, call: u32) -> Outgoing {
        Outgoing::new(name, NonNull::dangling().as_ptr(), 0, CallStatus::GOOD, call)
    }

    /// The name of the message.
    pub fn name(&self) -> &Name {
        &self.name
    }

    /// Sends the packets that can be sent. Returns whether all have been sent.
    ///
    /// # Safety
    /// The bytes of the message are valid and do not change before all have been sent.
    pub unsafe fn advance(
        &mut self,
        image: &Endpoint,
        mailbox: &Mailbox,
        moved: &mut bool,
    ) -> Result<bool> {
        let link = Link::new(image, self.name.partner, Lane::Background);
        while u64::from(self.next) < packets(self.len as u64) {
            let first = self.next == 0 && !self.asked && !self.cleared;
            let eager = first && mailbox.has_credit(&link);
            if !eager && !self.cleared {
                self.cleared = mailbox.is_cleared(&self.name);
            }
            let kind = if self.cleared {
                Kind::Data
            } else if eager {
                Kind::Eager
            } else if first && self.len <= PACKET {
                Kind::Request
            } else {
                // The receiver clears long messages without a request.
                return Ok(false);
            };
            let header = Header {
                index: self.next,
                call_status: self.call_status,
                call: self.call,
                ..Header::control(&self.name, kind, self.len)
            };
            let from = self.next as usize * PACKET;
            // SAFETY: the message has these bytes, which are valid (contract above).
            let data = unsafe { bytes(self.start.wrapping_add(from), header.bytes()) };
            if !link.put(data, &header.to_bytes())? {
                return Ok(false);
            }
            *moved = true;
            match kind {
                Kind::Request => self.asked = true,
                _ => self.next += 1,
            }
            if kind == Kind::Eager {
                mailbox.use_credit(&link);
            }
        }
        Ok(true)
    }
}
