//! Packets to and from one partner.

use super::ring;
use crate::endpoint::{Endpoint, Ends};
use crate::error::Result;
use crate::job::pair::{Counters, HEADER, Lane, PACKET, Pair, SLOT, ring_len, rings_len};
use crate::rank::Rank;
use crate::settings::Techniques;
use crate::sync::AtomicU64;
use crate::transport::{Mark, Post};
use std::mem::offset_of;

/// The packet channel with one partner, in both directions.
#[derive(Clone, Copy, Debug)]
pub struct Link<'a> {
    image: &'a Endpoint,
    partner: Rank,
    lane: Lane,
    ends: &'a Ends,
}

impl<'a> Link<'a> {
    /// The link of `image` with `partner`.
    ///
    /// # Panics
    /// When there is no such image.
    #[inline]
    pub fn new(image: &'a Endpoint, partner: Rank, lane: Lane) -> Link<'a> {
        Link { image, partner, lane, ends: image.peer(partner).ends(lane) }
    }

    /// The partner.
    #[inline(always)]
    pub fn partner(&self) -> Rank {
        self.partner
    }

    /// Sends a packet of `data` with a `header` after it, if there is room. Returns whether there was.
    ///
    /// # Panics
    /// When data or header are longer than [`PACKET`] and [`HEADER`].
    #[inline]
    pub fn put(&self, data: &[u8], header: &[u8]) -> Result<bool> {
        assert!(data.len() <= PACKET && header.len() <= HEADER, "a packet is longer than its slot");
        let Ends { sent, known_taken, .. } = self.ends;
        let packet = sent.get();
        let mut known = known_taken.get();
        let has_room = ring::has_room(self.window(), packet, &mut known, &self.partners().taken);
        known_taken.set(known);
        if !has_room {
            return Ok(false);
        }
        let slot = self.slot(self.image.rank(), packet);
        let value = ring::mark_of(packet);
        let mark = if self.announce_themselves() {
            Mark::Trailing(value)
        } else {
            // As a count: the number of packets up to this one.
            Mark::Counter { offset: self.my(offset_of!(Counters, sent)), value }
        };
        // SAFETY: data and header end where the mark is, within the slot (asserted above). The slot is part of the
        // ring that the partner keeps for this image, and its last content has been taken (has_room). The only writer
        // of mark and counter is this image.
        unsafe {
            self.image
                .transport()
                .post(self.partner, Post::Packet { end: slot, parts: [data, header], mark })?;
        }
        sent.set(packet + 1);
        self.ends.answered.set(true);
        Ok(true)
    }

    /// The end of the next packet, if it has arrived. Data and header, of lengths that the receiver knows, are before
    /// that address and are valid until [`Link::take`].
    #[inline]
    pub fn arrived(&self) -> Option<*const u8> {
        let packet = self.ends.received.get();
        let slot = self.slot(self.partner, packet);
        let end = self.image.own_segment().wrapping_add(slot as usize);
        let arrived = if self.announce_themselves() {
            // SAFETY: the mark of a slot of this image's own ring: aligned, atomic, valid when zeroed.
            ring::is_marked(unsafe { &*end.cast::<AtomicU64>() }, packet)
        } else {
            ring::is_counted(&self.partners().sent, packet)
        };
        arrived.then_some(end.cast_const())
    }

    /// Returns the slot of the packet that has arrived to its sender. `more`: the sender has more to send now.
    #[inline]
    pub fn take(&self, more: bool) -> Result<()> {
        let received = &self.ends.received;
        let taken = received.get() + 1;
        received.set(taken);
        if !ring::is_due(self.window(), taken) {
            return Ok(());
        }
        let answered = self.ends.answered.replace(false);
        if !more && ring::may_be_late(self.window(), answered) {
            let counter = self.my(offset_of!(Counters, taken));
            // SAFETY: the counter's only writer is this image.
            return unsafe {
                self.image
                    .transport()
                    .post(self.partner, Post::NotifyLate { counter, value: taken })
            };
        }
        self.notify(offset_of!(Counters, taken), taken)
    }

    /// The readiness that the partner has announced last.
    #[inline]
    pub fn partner_ready(&self) -> u64 {
        // Acquire: what the partner did before it became ready is visible.
        self.partners().ready.load(crate::sync::Ordering::Acquire)
    }

    /// Announces to the partner that this image has become ready `more` more times; for lanes whose readiness is a
    /// count, from 0.
    pub fn announce_ready(&self, more: u64) -> Result<()> {
        self.announce_ready_for(self.ends.announced_ready.get() + more)
    }

    /// Announces to the partner what this image is ready for.
    pub(super) fn announce_ready_for(&self, ready: u64) -> Result<()> {
        self.ends.announced_ready.set(ready);
        self.notify(offset_of!(Counters, ready), ready)
    }

    /// Number of the packet that is put next, from 0.
    #[inline(always)]
    pub(super) fn sent(&self) -> u64 {
        self.ends.sent.get()
    }

    /// Number of the packet that is taken next, from 0.
    #[inline(always)]
    pub(super) fn received(&self) -> u64 {
        self.ends.received.get()
    }

    /// Packets that may be in transit.
    #[inline(always)]
    fn window(&self) -> u64 {
        if self.image.techniques().has(Techniques::WORK_BUFFERS) { self.packets() } else { 1 }
    }

    /// Packets of a ring, a power of two.
    #[inline(always)]
    fn packets(&self) -> u64 {
        self.image.layout().packets
    }

    #[inline(always)]
    fn announce_themselves(&self) -> bool {
        self.image.techniques().has(Techniques::CANARY)
    }

    /// The counters by which the partner notifies this image.
    #[inline(always)]
    fn partners(&self) -> &'a Counters {
        &self.image.pair(self.image.rank(), self.partner).lanes[self.lane as usize]
    }

    /// Offset, in the partner's segment, of a counter by which this image notifies it.
    #[inline(always)]
    fn my(&self, counter: usize) -> u64 {
        let lane = offset_of!(Pair, lanes) + self.lane as usize * size_of::<Counters>();
        self.image.pair_offset(self.image.rank()) + (lane + counter) as u64
    }

    fn notify(&self, counter: usize, value: u64) -> Result<()> {
        // SAFETY: no data; the counter's only writer is this image.
        unsafe {
            let counter = self.my(counter);
            self.image.transport().post(self.partner, Post::Notify { counter, value })
        }
    }

    /// Segment offset of the mark of a packet from `sender`: the end of the packet's content.
    #[inline(always)]
    fn slot(&self, sender: Rank, packet: u64) -> u64 {
        let packets = self.packets();
        let ring =
            u64::from(sender.get()) * rings_len(packets) + self.lane as u64 * ring_len(packets);
        let slot = (packet & (packets - 1)) * SLOT;
        self.image.layout().rings + ring + slot + SLOT - size_of::<u64>() as u64
    }
}
