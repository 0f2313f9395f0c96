//! Collective areas: shared memory of one image set on one host, for barriers and the exchange of data. Read
//! `README.md` beside this file.

mod access;
mod areas;
mod barrier;
mod directory;
mod flow;
mod groups;
mod layout;
mod ring_exchange;
mod single_copy;
mod staging;
mod stores;
mod windows;

pub use areas::Areas;
pub use barrier::BarrierAlgorithm;
pub use flow::{Direction, Flow, FlowDifference, FlowsOverHosts};
pub use layout::{DESCRIPTION, PIECE, SLOT_DATA, STAGING};
pub use ring_exchange::RingExchange;
pub use single_copy::SingleCopy;

use crate::endpoint::Endpoint;
use crate::error::{BoxedResult, Result};
use crate::failure::{self, revocation};
use crate::image_group::ImageGroup;
use crate::job::page::ImageState;
use crate::members::Members;
use crate::rank::Rank;
use crate::sync::Ordering;
use crate::wait::{AdaptiveSpin, Need, WaitKind};
use barrier::ShmBarrier;
use groups::Group;
use layout::{
    CROWDED_RING, LARGE_PIECE, Member, NODES_OFFSET, Node, PIECE_CLASSES, PIECES_LEN, PiecePlace,
    Ring, announces, area_len, members_offset, nodes, pieces_offset, rings_offset, staging_at,
    staging_offset,
};
use smallvec::SmallVec;
use staging::{RingUse, SharedRing};
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::{Rc, Weak};
use stores::Stores;
use windows::Windows;

/// What the members of an area find in a barrier when they compare their calls; the same on all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Comparison {
    /// No difference.
    Same,
    /// They call what differs.
    CallsDiffer,
    /// They gave different flows in ring exchanges before ([`CollArea::flows_that_differ`]).
    FlowsDiffer,
}

/// One member's handle of a collective area. An image makes one handle a member list and keeps it as long as it lives,
/// because the handle counts the epochs.
#[derive(Debug)]
pub struct CollArea {
    start: *mut u8,
    ranks: Box<[Rank]>,
    /// The set that this area serves, if it also has images on other hosts: one entry for each time the set was made.
    /// The strong references are held by the set's levels, not by the area, which outlives the set: members may lie in
    /// a table that is to be freed.
    part_of: RefCell<SmallVec<[Weak<Members>; 1]>>,
    me: usize,
    kind: BarrierAlgorithm,
    /// The groups of this member.
    groups: Box<[Group]>,
    /// How this member uses its staging.
    ring_use: RingUse,
    /// Epochs completed.
    epochs: Cell<u64>,
    /// Ring exchanges that this member has completed, and the last one for which its ring is known to have room.
    ring_exchanges: Cell<u64>,
    room: Cell<u64>,
    /// The hash of the flows of its ring exchanges since the last barrier, and the number of the last exchange before that.
    flows: Cell<u64>,
    compared: Cell<u64>,
    /// Experience of the adaptive spin for the last arrival.
    spin: AdaptiveSpin,
    /// How to write to staging, and to other memory that members have read.
    stores: [Stores; 2],
    /// Memory of this member's staging of even and odd epochs.
    windows: [Windows; 2],
    /// Memory of this member's pieces.
    windows_of_pieces: [Windows; PIECE_CLASSES],
    /// See [`CollArea::single_copy_from`], by operation.
    single_copy_from: [Cell<Option<u64>>; 2],
}

impl CollArea {
    /// The collective area of `set` on this host. `ranks`: the images of the set on this host, this image among them.
    /// `None` when the host's memory for areas is exhausted; all members get the same answer.
    ///
    /// # Errors
    /// When a member ended while it was setting up the area.
    ///
    /// # Panics
    /// When this image is not among the ranks.
    fn open(
        image: &Endpoint,
        set: &ImageGroup,
        ranks: &[Rank],
        forced: Option<BarrierAlgorithm>,
    ) -> Result<Option<CollArea>> {
        let me = ranks.iter().position(|&rank| rank == image.rank()).expect("member of its area");
        let Some(start) = directory::find(image, set.key(), ranks.len())? else {
            tracing::warn!(
                images = ranks.len(),
                "shared-memory collective area exhausted: the collectives of this image set use messages"
            );
            return Ok(None);
        };
        let job = image.job();
        let placed: Vec<_> = ranks.iter().map(|&rank| (rank, job.entry(rank).place)).collect();
        let groups = groups::groups(&placed, image.rank());
        let split = groups.last().is_some_and(|all| all.parts < ranks.len() as u64);
        let crowded = job.page().waiting.crowded != 0;
        let kind = forced.unwrap_or_else(|| BarrierAlgorithm::choose(ranks.len(), crowded, split));
        let stores = [Stores::new(), Stores::new()];
        Ok(Some(CollArea {
            start,
            ranks: ranks.into(),
            part_of: RefCell::default(),
            me,
            kind,
            groups,
            ring_use: RingUse::new(ranks.len(), if crowded { CROWDED_RING } else { STAGING }),
            epochs: Cell::new(0),
            ring_exchanges: Cell::new(0),
            room: Cell::new(0),
            flows: Cell::new(0),
            compared: Cell::new(0),
            spin: AdaptiveSpin::default(),
            stores,
            windows: Default::default(),
            windows_of_pieces: Default::default(),
            single_copy_from: Default::default(),
        }))
    }

    /// Number of members.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.ranks.len()
    }

    /// Never: this image is a member.
    pub fn is_empty(&self) -> bool {
        self.ranks.is_empty()
    }

    /// Whether a barrier is made by all members or by none, even when a member fails during it. True where each member
    /// reads every arrival, or the last arrival releases all members. False with multi-hop notification: a failing
    /// member may have sent some of its flags.
    pub fn all_or_none(&self) -> bool {
        matches!(self.kind, BarrierAlgorithm::Central | BarrierAlgorithm::Flat)
    }

    /// Position of this image among the members.
    #[inline(always)]
    pub fn position(&self) -> usize {
        self.me
    }

    /// The members.
    pub fn ranks(&self) -> &[Rank] {
        &self.ranks
    }

    /// The [`CollArea::barrier_of`] of members that compare nothing.
    #[cfg(test)]
    pub fn barrier(&self, image: &Endpoint) -> BoxedResult<()> {
        self.barrier_of(image, 0).map(drop)
    }

    /// Makes the barrier of the next epoch: returns when all members have called it. What each member wrote before, in
    /// its buffers or elsewhere, is then visible to all.
    ///
    /// The members compare the numbers of what they call, which are not `u32::MAX`; 0 is the number of a call that has no
    /// description. They also compare the flows of the ring exchanges since the last barrier.
    ///
    /// # Errors
    /// When a member has stopped or failed without making the barrier: then it returns on no member.
    #[inline]
    pub fn barrier_of(&self, image: &Endpoint, call: u32) -> BoxedResult<Comparison> {
        image.threads().only_one()?;
        let epoch = self.epochs.get() + 1;
        // Checked before entering, too, by the same rule as in the wait: a member that can never make the barrier is an
        // error, and no member enters twice. But where all ended members have made it, the waiting ones need this one.
        if !failure::all_running(image.job()) {
            self.watch(image, epoch)?;
        }
        let need = || self.need(epoch);
        let same = ShmBarrier {
            nodes: self.nodes(),
            groups: &self.groups,
            ranks: &self.ranks,
            members: self.members(),
            me: self.me,
            epoch,
            call: self.with_flows(epoch, call),
            waits: || image.waits().needing(&need),
            watch: || self.watch(image, epoch),
            spin: &self.spin,
            ring: |ranks: &[Rank]| ring(image, ranks),
        }
        .make(self.kind)?;
        self.epochs.set(epoch);
        if same {
            Ok(Comparison::Same)
        } else if self.flows_differ(image, epoch) {
            Ok(Comparison::FlowsDiffer)
        } else {
            Ok(Comparison::CallsDiffer)
        }
    }

    /// Checks that all members have made the barrier of this epoch or still can.
    #[cold]
    fn watch(&self, image: &Endpoint, epoch: u64) -> Result<()> {
        // Acquire: what the member did before it made the barrier.
        let made =
            |member: &Member| member.slots[(epoch % 2) as usize].epoch.load(Ordering::Acquire);
        let has_made_it = |position: usize| announces(made(&self.members()[position]), epoch);
        self.check(image, |position| self.writes_slots() && has_made_it(position))
    }

    /// Tells whether members write their slots in a barrier, so that the slots show which members have made it.
    fn writes_slots(&self) -> bool {
        self.kind != BarrierAlgorithm::Central
    }

    /// The members that have not arrived at the barrier of this epoch, which this image waits in. With `central`, and with
    /// multi-hop notification until a member has left the barrier, the slots do not tell who has arrived. So those that
    /// wait in the same barrier are not needed either.
    #[cold]
    fn need(&self, epoch: u64) -> Need {
        let made = |at: usize| {
            let slot = &self.members()[at].slots[(epoch % 2) as usize];
            at != self.me
                && self.writes_slots()
                && announces(slot.epoch.load(Ordering::Acquire), epoch)
        };
        // A member has left the barrier, so all have arrived: what is missing passes through other members.
        if !self.all_or_none() && (0..self.len()).any(made) {
            return Need { kind: WaitKind::Barrier, ..Need::default() };
        }
        let missing = (0..self.len()).filter(|&at| at != self.me && !made(at));
        let missing = missing.map(|at| self.ranks[at]);
        Need {
            barrier: [self.start.addr() as u64, epoch],
            ..Need::all_of(WaitKind::Barrier, missing)
        }
    }

    /// Checks that all members have done their part of a barrier or a ring exchange, or still can.
    fn check(&self, image: &Endpoint, has_done_it: impl Fn(usize) -> bool) -> Result<()> {
        let job = image.job();
        failure::check(job, [])?;
        let ended = OnceCell::new();
        barrier::can_be_made(
            self.len(),
            has_done_it,
            |position| failure::check(job, [self.ranks[position]]),
            |position| {
                // Computed when the ends of members are known: an image whose end made a member revoke the set had
                // ended before that member.
                let ended = ended.get_or_init(|| self.ended(image)).iter().copied();
                revocation::of_any(image, self.ranks[position], ended)?.map_or(Ok(()), Err)
            },
        )
    }

    /// A reference that the levels of `set` hold as long as barriers are made for the set; `None` if all its images are
    /// on this host.
    pub fn serve(&self, set: &ImageGroup) -> Option<Rc<Members>> {
        if self.ranks.len() == set.len() {
            return None;
        }
        let members = Rc::new(set.members().clone());
        let mut part_of = self.part_of.borrow_mut();
        part_of.retain(|other| other.strong_count() > 0);
        part_of.push(Rc::downgrade(&members));
        Some(members)
    }

    /// The ended images of the set, which may be images of other hosts.
    fn ended(&self, image: &Endpoint) -> SmallVec<[Rank; 8]> {
        let has_ended = |rank: &Rank| image.job().state(*rank) != ImageState::Running;
        let set = self.part_of.borrow().iter().find_map(Weak::upgrade);
        match set {
            Some(set) => (0..set.len()).filter_map(|at| set.rank(at)).filter(has_ended).collect(),
            None => self.ranks.iter().copied().filter(has_ended).collect(),
        }
    }

    /// This member's data of the coming epoch: [`SLOT_DATA`] bytes, 8-aligned, to be written before the barrier.
    #[inline(always)]
    pub fn slot(&self) -> *mut u8 {
        self.slot_at(self.me, self.epochs.get() + 1)
    }

    /// The place for the description of what this member calls in the coming epoch: [`DESCRIPTION`] bytes, 8-aligned, to be written
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

    /// This member's staging of the coming epoch: `len` bytes, at most [`STAGING`], 64-aligned. All members pass the
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
    /// [`RingExchange::piece`]. `src` is valid for `len` bytes and does not overlap them.
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
    fn staging_ring(&self) -> &SharedRing {
        // SAFETY: every area starts with it: an atomic, valid when zeroed, which lives as long as the job.
        unsafe { &*self.start.cast::<SharedRing>() }
    }

    #[inline(always)]
    fn nodes(&self) -> &[Node] {
        let first = self.start.wrapping_add(NODES_OFFSET).cast::<Node>();
        // SAFETY: every area has its nodes there: atomics, valid when zeroed, which live as long as the job.
        unsafe { std::slice::from_raw_parts(first, nodes(self.len())) }
    }

    /// First of the member lines.
    #[inline(always)]
    fn lines(&self) -> *mut Member {
        self.start.wrapping_add(members_offset(self.len())).cast()
    }

    #[inline(always)]
    fn members(&self) -> &[Member] {
        // SAFETY: the nodes are followed by one Member for each rank. They are accessed through atomics; slot data only
        // through raw pointers.
        unsafe { std::slice::from_raw_parts(self.lines(), self.len()) }
    }

    /// First of the rings.
    #[inline(always)]
    fn first_ring(&self) -> *mut Ring {
        self.start.wrapping_add(rings_offset(self.len())).cast()
    }

    #[inline(always)]
    fn rings(&self) -> &[Ring] {
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
    fn piece_of(&self, position: usize, place: PiecePlace) -> *mut u8 {
        debug_assert!(position < self.len());
        let at = pieces_offset(self.len()) + position * PIECES_LEN + place.offset();
        self.start.wrapping_add(at)
    }
}

/// Wakes those of `ranks` that sleep.
#[cold]
fn ring(image: &Endpoint, ranks: &[Rank]) {
    for &rank in ranks.iter().filter(|&&rank| rank != image.rank()) {
        image.job().entry(rank).doorbell.ring_if_parked();
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
