//! The progress of an image with the notifications to and from one other image.

use crate::job::pair::Lane;
use std::cell::{Cell, RefCell};

/// This image's progress with the notifications to and from one other image.
#[derive(Debug, Default)]
pub struct Peer {
    sync_sent: Cell<u64>,
    sync_seen: Cell<u64>,
    held: RefCell<Vec<u64>>,
    ends: [Ends; Lane::ALL.len()],
}

impl Peer {
    /// SYNC IMAGES executed towards it.
    #[inline(always)]
    pub fn sync_sent(&self) -> &Cell<u64> {
        &self.sync_sent
    }

    /// SYNC IMAGES of it that were matched by this image.
    #[inline(always)]
    pub fn sync_seen(&self) -> &Cell<u64> {
        &self.sync_seen
    }

    /// Locks of its segment, on another host, that this image holds: their offsets. They are released without a reply.
    pub fn held(&self) -> &RefCell<Vec<u64>> {
        &self.held
    }

    /// The progress with the packets to and from it on one lane.
    #[inline(always)]
    pub fn ends(&self, lane: Lane) -> &Ends {
        &self.ends[lane as usize]
    }
}

/// Both ends of this image, on one lane.
#[derive(Debug, Default)]
pub struct Ends {
    /// Packets put into the partner's ring.
    pub sent: Cell<u64>,
    /// Of these, taken by the partner at the last look.
    pub known_taken: Cell<u64>,
    /// Packets taken from the partner.
    pub received: Cell<u64>,
    /// Whether a packet was put into the partner's ring since the last notification of how many were taken.
    pub answered: Cell<bool>,
    /// The readiness that this image has announced last.
    pub announced_ready: Cell<u64>,
}
