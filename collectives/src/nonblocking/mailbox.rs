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

/// Eager packets from each partner that may be unexpected at their receiver.
pub const EAGER: u64 = 32;
/// Credits that are returned at a time.
const RETURNED: u64 = EAGER / 4;
/// Number of refused operations whose packets are recognised. The last packets of one arrive before the next packet of
/// their sender.
const REFUSED: usize = 256;

/// The messages that this image expects, and the packets that have arrived too early.
#[derive(Debug, Default)]
pub struct Mailbox {
    expected: RefCell<HashMap<Name, Rc<Incoming>>>,
    early: RefCell<HashMap<Name, Early>>,
    /// Messages of this image that their receivers have cleared.
    cleared: RefCell<HashSet<Name>>,
    credits: RefCell<HashMap<Rank, Credits>>,
    /// The last operations that this image has refused or given up: set and number.
    refused: RefCell<VecDeque<(Key, u32)>>,
}

/// The first packet of a message that is not expected yet.
#[derive(Debug)]
enum Early {
    Packet(Header, Box<[u8]>),
    Request,
}

/// Eager packets to and from a partner.
#[derive(Debug, Default)]
struct Credits {
    /// Number of those sent to the partner.
    used: u64,
    /// Number of those from the partner that are expected by now and not returned yet.
    owed: u64,
}

impl Mailbox {
    /// Takes all packets that have arrived from `partner`. Returns whether there were any.
    ///
    /// # Safety
    /// The places of all expected messages are valid.
    pub unsafe fn collect(&self, image: &Endpoint, partner: Rank) -> Result<bool> {
        let link = Link::new(image, partner, Lane::Background);
        let mut moved = false;
        while let Some(end) = link.arrived() {
            // SAFETY: every packet on this lane ends with a header, after data of the length in the header. It stays there
            // until `take`.
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

    /// Takes a packet.
    ///
    /// # Safety
    /// The packet's data is valid, and so are the places of all expected messages.
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
                // SAFETY: the packet's data is valid (contract above).
                let data = unsafe { std::slice::from_raw_parts(data, header.bytes()) };
                self.early.borrow_mut().insert(name, Early::Packet(*header, data.into()));
            }
        }
        Ok(())
    }

    /// Expects a message from now on, and takes its packet if that has arrived.
    ///
    /// # Safety
    /// The place of the message is valid, and nothing else accesses it, until it is complete and [`Mailbox::forget`] has
    /// been called.
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

    /// Drops the packets of an operation that this image refuses or gives up: those that have arrived, and later ones.
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

    /// Whether a message belongs to an operation that this image has refused or given up.
    fn is_refused(&self, name: &Name) -> bool {
        let refused = self.refused.borrow();
        !refused.is_empty() && refused.contains(&(name.set, name.sequence))
    }

    /// Expects a message no longer.
    pub fn forget(&self, name: &Name) {
        self.expected.borrow_mut().remove(name);
    }

    /// Whether the receiver has cleared a message; `true` once for each message.
    pub fn is_cleared(&self, name: &Name) -> bool {
        self.cleared.borrow_mut().remove(name)
    }

    /// Whether there is a credit for an eager packet.
    pub fn has_credit(&self, link: &Link<'_>) -> bool {
        let used = self.credits.borrow().get(&link.partner()).map_or(0, |credits| credits.used);
        // The partner counts those that it expects by now.
        used - link.partner_ready() < EAGER
    }

    /// Notes that an eager packet has been sent.
    pub fn use_credit(&self, link: &Link<'_>) {
        self.credits.borrow_mut().entry(link.partner()).or_default().used += 1;
    }

    /// Notes that an eager packet has been taken to its place, and returns credits.
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
