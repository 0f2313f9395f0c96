//! The segments of all images, as far as this image reaches them by loads and stores.

use super::{Endpoint, Peer, SegmentTable};
use crate::job::SegmentLayout;
use crate::job::pair::Pair;
use crate::rank::Rank;

impl Endpoint {
    /// First byte of this image's segment.
    #[inline(always)]
    pub fn own_segment(&self) -> *mut u8 {
        self.own
    }

    /// The areas of a segment.
    pub fn layout(&self) -> &SegmentLayout {
        &self.layout
    }

    /// The address of `offset` in the segment of an image of the same host; `None` for other hosts.
    #[inline(always)]
    pub fn local_address(&self, rank: Rank, offset: u64) -> Option<*mut u8> {
        self.segments.local_address(rank, offset)
    }

    /// The same where loads and stores are all of an access; `None`, too, where races are looked for, so that the caller enters it.
    #[inline(always)]
    pub fn plain_address(&self, rank: Rank, offset: u64) -> Option<*mut u8> {
        self.segments.plain_address(rank, offset)
    }

    /// The segment that an address of this host is in, and the offset in it; `None` for addresses outside all
    /// segments.
    pub fn locate(&self, address: *const u8) -> Option<(Rank, u64)> {
        SegmentTable::locate(&self.job, address)
    }

    /// The offset in the segment of `rank` of an address in that image's own process; `None` outside the segment.
    /// Regions of other hosts have the same addresses as this one, so the address alone does not identify the segment.
    pub fn locate_of(&self, rank: Rank, address: *const u8) -> Option<u64> {
        self.segments.locate_of(&self.job, rank, address)
    }

    /// The counters by which `from` notifies `to`, where both or `to` alone is this image or one of its host.
    ///
    /// # Panics
    /// When `to` is on another host.
    #[inline]
    pub fn pair(&self, to: Rank, from: Rank) -> &Pair {
        let at = self.local_address(to, self.pair_offset(from)).expect("an image of this host");
        // SAFETY: the pairs area of every segment holds one Pair an image: atomics, valid when zeroed.
        unsafe { &*at.cast::<Pair>() }
    }

    /// Segment offset of the counters by which `from` notifies an image.
    #[inline(always)]
    pub fn pair_offset(&self, from: Rank) -> u64 {
        self.layout.pairs + u64::from(from.get()) * size_of::<Pair>() as u64
    }

    /// This image's side of the notifications with `rank`.
    ///
    /// # Panics
    /// When there is no such image.
    #[inline(always)]
    pub fn peer(&self, rank: Rank) -> &Peer {
        &self.peers[rank.index()]
    }
}
