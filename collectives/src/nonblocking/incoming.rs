//! The end of a message that receives.

use super::header::{Header, Kind, Name, packets};
use crate::leaders::CallStatus;
use std::cell::Cell;
use xmp_core::image::Endpoint;
use xmp_core::notify::{Lane, Link, PACKET};
use xmp_core::{Error, Result};

/// A message that is expected.
#[derive(Debug)]
pub struct Incoming {
    name: Name,
    start: *mut u8,
    len: usize,
    /// Packets that have arrived, and how many bytes there will be in all.
    arrived: Cell<u64>,
    total: Cell<Option<u64>>,
    call_status: Cell<CallStatus>,
    clear: Cell<Clear>,
}

/// Whether the sender is told that a message is cleared; once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Clear {
    NotAsked,
    Due,
    Said,
}

impl Incoming {
    /// The message `name`, of `len` bytes that go to `start`.
    pub fn new(name: Name, start: *mut u8, len: usize) -> Incoming {
        Incoming {
            name,
            start,
            len,
            arrived: Cell::new(0),
            total: Cell::new(None),
            call_status: Cell::new(CallStatus::GOOD),
            clear: Cell::new(if len > PACKET { Clear::Due } else { Clear::NotAsked }),
        }
    }

    /// Its name.
    pub fn name(&self) -> &Name {
        &self.name
    }

    /// The sender has asked for it to be cleared.
    pub fn requested(&self) {
        if self.clear.get() == Clear::NotAsked {
            self.clear.set(Clear::Due);
        }
    }

    /// Takes a packet; bytes that there is no room for - the images disagree on the length - are dropped.
    ///
    /// # Safety
    /// The packet's data is valid; the place of the message is valid and not accessed by anything else.
    pub unsafe fn accept(&self, header: &Header, data: *const u8) {
        let from = (header.index as usize).saturating_mul(PACKET).min(self.len);
        let bytes = header.bytes().min(self.len - from);
        // SAFETY: `from + bytes` is within the message's place.
        unsafe { std::ptr::copy_nonoverlapping(data, self.start.add(from), bytes) };
        if self.total.replace(Some(header.len)).is_none() {
            self.call_status.set(header.call_status);
            if header.len > PACKET as u64 {
                // Also one that sends more than is expected goes on.
                self.requested();
            }
        }
        self.arrived.set(self.arrived.get() + 1);
    }

    /// Tells the sender that the message is cleared, if it is to be told.
    ///
    /// # Errors
    /// When the transport fails.
    pub fn advance(&self, image: &Endpoint, moved: &mut bool) -> Result<()> {
        if self.clear.get() == Clear::Due {
            let link = Link::new(image, self.name.partner, Lane::Background);
            let header = Header::control(&self.name, Kind::Clear, self.len);
            if link.put(&[], &header.to_bytes())? {
                self.clear.set(Clear::Said);
                *moved = true;
            }
        }
        Ok(())
    }

    /// Whether everything is there.
    pub fn is_complete(&self) -> bool {
        self.total.get().is_some_and(|total| self.arrived.get() == packets(total))
    }

    /// What its sender knew of the operation.
    pub fn call_status(&self) -> CallStatus {
        self.call_status.get()
    }

    /// Whether both sides agree on the length.
    ///
    /// # Errors
    /// When they do not.
    pub fn check_len(&self) -> Result<()> {
        match self.total.get() {
            Some(total) if total != self.len as u64 => Err(Error::Invalid(format!(
                "non-blocking collective: {} sends {total} bytes where this image expects {}",
                self.name.partner, self.len
            ))),
            _ => Ok(()),
        }
    }
}
