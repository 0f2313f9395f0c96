//! The receiving end of a message.

use super::header::{Header, Kind, Name, packets};
use crate::leaders::CallStatus;
use std::cell::Cell;
use std::ptr::NonNull;
use xmp_core::counted::counted;
use xmp_core::image::Endpoint;
use xmp_core::notify::{Lane, Link, PACKET};
use xmp_core::{Error, Rank, Result};

/// A message that is expected.
#[derive(Debug)]
pub struct Incoming {
    name: Name,
    start: *mut u8,
    len: usize,
    /// Number of packets that have arrived, and number of bytes of the whole message.
    arrived: Cell<u64>,
    total: Cell<Option<u64>>,
    call_status: Cell<CallStatus>,
    clear: Cell<Clear>,
    /// What this image calls, and whether the sender calls something else.
    call: u32,
    differs: Cell<bool>,
}

/// Whether this image clears the message: at most once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Clear {
    NotAsked,
    Due,
    Sent,
}

impl Incoming {
    /// The message `name`, of `len` bytes that go to `start`.
    pub fn new(name: Name, start: *mut u8, len: usize, call: u32) -> Incoming {
        Incoming {
            name,
            start,
            len,
            arrived: Cell::new(0),
            total: Cell::new(None),
            call_status: Cell::new(CallStatus::GOOD),
            call,
            differs: Cell::new(false),
            clear: Cell::new(if len > PACKET { Clear::Due } else { Clear::NotAsked }),
        }
    }

    /// A message that only compares what its images call.
    pub fn without_data(name: Name, call: u32) -> Incoming {
        Incoming::new(name, NonNull::dangling().as_ptr(), 0, call)
    }

    /// The name of the message.
    pub fn name(&self) -> &Name {
        &self.name
    }

    /// Notes that the sender has asked for clearance.
    pub fn requested(&self) {
        if self.clear.get() == Clear::NotAsked {
            self.clear.set(Clear::Due);
        }
    }

    /// Takes a packet. Bytes for which there is no room, because the images disagree on the length, are dropped.
    ///
    /// # Safety
    /// The packet's data is valid; the place of the message is valid and not accessed by anything else.
    pub unsafe fn accept(&self, header: &Header, data: *const u8) {
        if header.call == self.call {
            let from = (header.index as usize).saturating_mul(PACKET).min(self.len);
            let bytes = header.bytes().min(self.len - from);
            // SAFETY: `from + bytes` is within the place of the message, which is valid (contract above).
            unsafe { std::ptr::copy_nonoverlapping(data, self.start.add(from), bytes) };
        } else {
            self.differs.set(true);
        }
        if self.total.replace(Some(header.len)).is_none() {
            self.call_status.set(header.call_status);
            if header.len > PACKET as u64 {
                // A sender that sends more than this image expects can complete, too.
                self.requested();
            }
        }
        self.arrived.set(self.arrived.get() + 1);
    }

    /// Clears the message, if that is due.
    pub fn advance(&self, image: &Endpoint, moved: &mut bool) -> Result<()> {
        if self.clear.get() == Clear::Due {
            let link = Link::new(image, self.name.partner, Lane::Background);
            let header = Header::control(&self.name, Kind::Clear, self.len);
            if link.put(&[], &header.to_bytes())? {
                self.clear.set(Clear::Sent);
                *moved = true;
            }
        }
        Ok(())
    }

    /// Whether all packets have arrived.
    pub fn is_complete(&self) -> bool {
        self.total.get().is_some_and(|total| self.arrived.get() == packets(total))
    }

    /// The reason for which this image refuses the call: the sender calls something else.
    pub fn difference(&self, me: Rank) -> Option<String> {
        let Name { partner, .. } = self.name;
        self.differs.get().then(|| match self.total.get() {
            // If only one length is 0, the images may name different roots. Then the lengths do not explain the difference.
            Some(total) if total != self.len as u64 && total.min(self.len as u64) > 0 => format!(
                "non-blocking collective: {partner} sends {} where {me} expects {}",
                counted(total, "byte"),
                self.len
            ),
            _ => differs(partner, me),
        })
    }

    /// The call status on the sender.
    pub fn call_status(&self) -> CallStatus {
        self.call_status.get()
    }

    /// Checks that both sides agree on the length.
    ///
    /// # Errors
    /// [`Error::Invalid`] with both lengths when they do not.
    pub fn check_len(&self) -> Result<()> {
        match self.total.get() {
            Some(total) if total != self.len as u64 => Err(Error::Invalid(format!(
                "non-blocking collective: {} sends {} where this image expects {}",
                self.name.partner,
                counted(total, "byte"),
                self.len
            ))),
            _ => Ok(()),
        }
    }
}

/// The reason of an image that refuses a call because `partner` calls something else.
pub fn differs(partner: Rank, me: Rank) -> String {
    format!(
        "non-blocking collective: {partner} and {me} give another operation, type, root or number of elements"
    )
}
