//! The memory of an area: what each member writes, and where the others read it.

use super::CollArea;
use super::layout::{
    LARGE_PIECE, Member, NODES_OFFSET, Node, PIECES_LEN, PiecePlace, Ring, STAGING, area_len,
    members_offset, nodes, pieces_offset, rings_offset, staging_at, staging_offset,
};
use super::staging::SharedRing;

impl CollArea {
    /// This member's data of the coming epoch: [`super::SLOT_DATA`] bytes, 8-aligned, to be written before the barrier.
    #[inline(always)]
    pub fn slot(&self) -> *mut u8 {
        self.slot_at(self.me, self.epochs.get() + 1)
    }

    /// The place for the description of what this member calls in the coming epoch: [`super::DESCRIPTION`] bytes, 8-aligned, to be written
    /// before the barrier. Others read it when calls differ only, so it costs no transfer.
    #[inline(always)]
    pub fn description(&self) -> *mut u8 {
        self.description_at(self.me, self.epochs.get() + 1)
    }

    /// The description of a member in the last epoch, to be read before the next barrier.
    pub fn description_of(&self, position: usize) -> *const u8 {
        self.description_at(position, self.epochs.get())
    }

    /// The number of the last epoch.
    #[inline(always)]
    pub fn epoch(&self) -> u64 {
        self.epochs.get()
    }

    /// The data of a member in the last epoch, to be read before the next barrier.
    #[inline(always)]
    pub fn slot_of(&self, position: usize) -> *const u8 {
        self.slot_at(position, self.epochs.get())
    }

    /// This member's staging of the coming epoch: `len` bytes, at most [`super::STAGING`], 64-aligned. All members pass the
    /// same length in an epoch.
    #[inline]
    pub fn staging(&self, len: usize) -> *mut u8 {
        let epoch = self.epochs.get() + 1;
        let staging = self.staging_at(self.me, epoch, len);
        if len >= LARGE_PIECE {
            let ring = self.staging_ring();
            self.ring_use.note(ring, epoch, len);
            let at = staging_at(epoch, len, ring.len(epoch));
            let start = staging.wrapping_sub(at);
            self.windows[(epoch % 2) as usize].reach(at, start, len, STAGING);
        }
        staging
    }

    /// This member's staging of the epoch after the coming one, for which `len` bytes will be requested: only an address.
    #[inline(always)]
    pub fn staging_after(&self, len: usize) -> *const u8 {
        self.staging_at(self.me, self.epochs.get() + 2, len)
    }

    /// The staging of a member in the last epoch, for which `len` bytes were requested.
    #[inline(always)]
    pub fn staging_of(&self, position: usize, len: usize) -> *const u8 {
        self.staging_at(position, self.epochs.get(), len)
    }

    /// Copies `len` bytes to this member's staging, or to its piece, through the cache or past it, whichever is faster now.
    ///
    /// # Safety
    /// `dst` is valid for `len` bytes within the memory that [`CollArea::staging`] returned for the coming epoch, or
    /// [`super::RingExchange::piece`]. `src` is valid for `len` bytes and does not overlap them.
    #[inline]
    pub unsafe fn stage(&self, dst: *mut u8, src: *const u8, len: usize) {
        // SAFETY: `dst` and `src` are valid for `len` bytes and do not overlap (contract of this function).
        unsafe { self.stores[0].copy(dst, src, len) };
    }

    /// Copies `len` bytes to memory of another member, through the cache or past it, whichever is faster now. The
    /// member may read them after the next barrier.
    ///
    /// # Safety
    /// `dst` and `src` are valid for `len` bytes and do not overlap.
    #[inline]
    pub unsafe fn give(&self, dst: *mut u8, src: *const u8, len: usize) {
        // SAFETY: `dst` and `src` are valid for `len` bytes and do not overlap (contract of this function).
        unsafe { self.stores[1].copy(dst, src, len) };
    }

    /// The part of the staging buffers that pieces of a page and more use.
    #[inline(always)]
    pub(super) fn staging_ring(&self) -> &SharedRing {
        // SAFETY: every area starts with it: an atomic, valid when zeroed, which lives as long as the job.
        unsafe { &*self.start.cast::<SharedRing>() }
    }

    #[inline(always)]
    pub(super) fn nodes(&self) -> &[Node] {
        let first = self.start.wrapping_add(NODES_OFFSET).cast::<Node>();
        // SAFETY: every area has its nodes there: atomics, valid when zeroed, which live as long as the job.
        unsafe { std::slice::from_raw_parts(first, nodes(self.len())) }
    }

    /// First of the member lines.
    #[inline(always)]
    pub(super) fn lines(&self) -> *mut Member {
        self.start.wrapping_add(members_offset(self.len())).cast()
    }

    #[inline(always)]
    pub(super) fn members(&self) -> &[Member] {
        // SAFETY: the nodes are followed by one Member for each rank. They are accessed through atomics; slot data only
        // through raw pointers.
        unsafe { std::slice::from_raw_parts(self.lines(), self.len()) }
    }

    /// First of the rings.
    #[inline(always)]
    pub(super) fn first_ring(&self) -> *mut Ring {
        self.start.wrapping_add(rings_offset(self.len())).cast()
    }

    #[inline(always)]
    pub(super) fn rings(&self) -> &[Ring] {
        // SAFETY: the member lines are followed by one Ring for each rank. They are accessed through atomics; line data
        // only through raw pointers.
        unsafe { std::slice::from_raw_parts(self.first_ring(), self.len()) }
    }

    #[inline(always)]
    fn slot_at(&self, position: usize, epoch: u64) -> *mut u8 {
        debug_assert!(position < self.len());
        // SAFETY: in bounds of the area; only an address is computed.
        unsafe {
            let first = self.lines();
            (&raw mut (*first.add(position)).slots[(epoch % 2) as usize].0.data).cast::<u8>()
        }
    }

    #[inline(always)]
    fn description_at(&self, position: usize, epoch: u64) -> *mut u8 {
        debug_assert!(position < self.len());
        // SAFETY: in bounds of the area; only an address is computed.
        unsafe {
            let first = self.lines();
            (&raw mut (*first.add(position)).descriptions[(epoch % 2) as usize].0).cast::<u8>()
        }
    }

    #[inline(always)]
    fn staging_at(&self, position: usize, epoch: u64, len: usize) -> *mut u8 {
        debug_assert!(position < self.len());
        let buffer = position * 2 + (epoch % 2) as usize;
        let ring = if len < LARGE_PIECE { 0 } else { self.staging_ring().len(epoch) };
        let at = staging_offset(self.len()) + buffer * STAGING + staging_at(epoch, len, ring);
        debug_assert!(at + len <= area_len(self.len()));
        self.start.wrapping_add(at)
    }

    /// The piece of a member at this place: 64-aligned.
    #[inline(always)]
    pub(super) fn piece_of(&self, position: usize, place: PiecePlace) -> *mut u8 {
        debug_assert!(position < self.len());
        let at = pieces_offset(self.len()) + position * PIECES_LEN + place.offset();
        self.start.wrapping_add(at)
    }
}
