//! The matching of packets with expected messages, and the bound of unexpected packets.

use super::header::{Header, Kind, Name};
use super::incoming::Incoming;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::Rc;
use xmp_core::image::Endpoint;
use xmp_core::image_set::Key;
use xmp_core::notify::{Lane, Link};
use xmp_core::{Rank, Result};

/// Packets that may be sent to an image unasked for and not be expected there yet, from each partner.
pub const EAGER: u64 = 32;
/// Of these as many are given back at a time.
const RETURNED: u64 = EAGER / 4;
/// Refused operations whose packets are recognised. What is left of one comes soon: before the next packet of its
/// sender.
const REFUSED: usize = 256;

/// What has arrived, and what is expected.
#[derive(Debug, Default)]
pub struct Mailbox {
    expected: RefCell<HashMap<Name, Rc<Incoming>>>,
    early: RefCell<HashMap<Name, Early>>,
    /// Messages that this image may send.
    cleared: RefCell<HashSet<Name>>,
    credits: RefCell<HashMap<Rank, Credits>>,
    /// The last operations that this image has refused or given up.
    refused: RefCell<VecDeque<(Key, u32)>>,
}

/// What has arrived of a message that is not expected yet.
#[derive(Debug)]
enum Early {
    Packet(Header, Box<[u8]>),
    Request,
}

/// Packets sent unasked for to and from a partner.
#[derive(Debug, Default)]
struct Credits {
    /// Sent to it.
    used: u64,
    /// Received from it, expected by now, and not given back.
    owed: u64,
}

impl Mailbox {
    /// Takes all packets that have arrived from `partner`. Whether there were any.
    ///
    /// # Errors
    /// When the transport fails.
    ///
    /// # Safety
    /// The places of all messages that are expected are valid.
    pub unsafe fn collect(&self, image: &Endpoint, partner: Rank) -> Result<bool> {
        let link = Link::new(image, partner, Lane::Background);
        let mut moved = false;
        while let Some(end) = link.arrived() {
            // SAFETY: every packet on this lane ends with a header, and data of the length that the header says
            // is before it; it is there until `take`.
            unsafe {
                let header_at = end.sub(Header::LEN);
                let header = Header::from_bytes(&header_at.cast::<[u8; Header::LEN]>().read());
                let data = header_at.sub(header.bytes());
                self.deliver(&link, &header, data)?;
            }
            link.take(true)?;
            moved = true;
        }
        Ok(moved)
    }

    /// # Safety
    /// The packet's data is valid, and so are the places of all messages that are expected.
    unsafe fn deliver(&self, link: &Link<'_>, header: &Header, data: *const u8) -> Result<()> {
        let name = header.name(link.partner());
        if header.kind == Kind::Clear {
            if !self.is_refused(&name) {
                self.cleared.borrow_mut().insert(name);
            }
            return Ok(());
        }
        let expected = self.expected.borrow().get(&name).cloned();
        match (expected, header.kind) {
            (Some(message), Kind::Request) => message.requested(),
            (Some(message), _) => {
                // SAFETY: the destination of the message stays valid until it is complete (contract above).
                unsafe { message.accept(header, data) };
                if header.kind == Kind::Eager {
                    self.give_back(link)?;
                }
            }
            (None, kind) if self.is_refused(&name) => {
                if kind == Kind::Eager {
                    self.give_back(link)?;
                }
            }
            (None, Kind::Request) => {
                self.early.borrow_mut().insert(name, Early::Request);
            }
            (None, _) => {
                // SAFETY: the packet's data.
                let data = unsafe { std::slice::from_raw_parts(data, header.bytes()) };
                self.early.borrow_mut().insert(name, Early::Packet(*header, data.into()));
            }
        }
        Ok(())
    }

    /// Expects a message from now on; what has arrived of it is taken.
    ///
    /// # Errors
    /// When the transport fails.
    ///
    /// # Safety
    /// The place of the message is valid, and accessed by nothing else, until it is complete and
    /// [`Mailbox::forget`] has been called.
    pub unsafe fn expect(&self, image: &Endpoint, message: &Rc<Incoming>) -> Result<()> {
        let name = *message.name();
        self.expected.borrow_mut().insert(name, message.clone());
        let early = self.early.borrow_mut().remove(&name);
        match early {
            None => Ok(()),
            Some(Early::Request) => {
                message.requested();
                Ok(())
            }
            Some(Early::Packet(header, data)) => {
                // SAFETY: the destination of the message stays valid until it is complete (contract above).
                unsafe { message.accept(&header, data.as_ptr()) };
                self.give_back(&Link::new(image, name.partner, Lane::Background))
            }
        }
    }

    /// Drops what has arrived of an operation that this image refuses or gives up, and what will arrive of it.
    ///
    /// # Errors
    /// When the transport fails.
    pub fn drop_all_of(&self, image: &Endpoint, set: Key, sequence: u32) -> Result<()> {
        let mut refused = self.refused.borrow_mut();
        refused.push_back((set, sequence));
        if refused.len() > REFUSED {
            refused.pop_front();
        }
        let is_of = |name: &Name| (name.set, name.sequence) == (set, sequence);
        self.cleared.borrow_mut().retain(|name| !is_of(name));
        let mut owed = Vec::new();
        self.early.borrow_mut().retain(|name, early| {
            if is_of(name)
                && matches!(early, Early::Packet(header, _) if header.kind == Kind::Eager)
            {
                owed.push(name.partner);
            }
            !is_of(name)
        });
        owed.into_iter()
            .try_for_each(|partner| self.give_back(&Link::new(image, partner, Lane::Background)))
    }

    /// Whether a message is one of an operation that this image has refused or given up.
    fn is_refused(&self, name: &Name) -> bool {
        let refused = self.refused.borrow();
        !refused.is_empty() && refused.contains(&(name.set, name.sequence))
    }

    /// Expects a message no longer.
    pub fn forget(&self, name: &Name) {
        self.expected.borrow_mut().remove(name);
    }

    /// Whether the receiver has cleared a message; asked until it was true.
    pub fn is_cleared(&self, name: &Name) -> bool {
        self.cleared.borrow_mut().remove(name)
    }

    /// Whether a packet may be sent unasked for.
    pub fn has_credit(&self, link: &Link<'_>) -> bool {
        let used = self.credits.borrow().get(&link.partner()).map_or(0, |credits| credits.used);
        // The partner counts those that it has come to expect.
        used - link.partner_ready() < EAGER
    }

    /// A packet has been sent unasked for.
    pub fn use_credit(&self, link: &Link<'_>) {
        self.credits.borrow_mut().entry(link.partner()).or_default().used += 1;
    }

    /// A packet that was sent unasked for has been taken to its place.
    fn give_back(&self, link: &Link<'_>) -> Result<()> {
        let mut credits = self.credits.borrow_mut();
        let owed = &mut credits.entry(link.partner()).or_default().owed;
        *owed += 1;
        if *owed < RETURNED {
            return Ok(());
        }
        *owed = 0;
        link.announce_ready(RETURNED)
    }

    /// Number and bytes of the unexpected packets.
    #[cfg(test)]
    pub fn early(&self) -> (usize, usize) {
        let early = self.early.borrow();
        let bytes = |early: &Early| match early {
            Early::Packet(_, data) => data.len(),
            Early::Request => 0,
        };
        (early.len(), early.values().map(bytes).sum())
    }

    /// Whether nothing is left of past operations.
    #[cfg(test)]
    pub fn is_empty(&self) -> bool {
        let expected = self.expected.borrow().is_empty();
        expected && self.early.borrow().is_empty() && self.cleared.borrow().is_empty()
    }
}
