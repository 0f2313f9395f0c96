//! Collective areas: shared memory of one image set on one host, for barriers and the exchange of data. Read
//! `README.md` beside this file.

mod access;
mod areas;
mod barrier;
mod directory;
mod ends;
mod flow;
mod groups;
mod hierarchy;
mod layout;
mod memory;
mod ring_exchange;
mod single_copy;
mod staging;
mod stores;
mod windows;

pub use areas::Areas;
pub use barrier::BarrierAlgorithm;
pub use flow::{Direction, Flow, FlowDifference};
pub use hierarchy::{Hierarchy, Nearness, Partition};
pub use layout::{DESCRIPTION, MAX_PIECE, SLOT_DATA, STAGING};
pub use ring_exchange::RingExchange;
pub use single_copy::SingleCopy;

use crate::endpoint::Endpoint;
use crate::error::{BoxedResult, Result};
use crate::failure;
use crate::failure::calls::CallLog;
use crate::image_group::ImageGroup;
use crate::members::Members;
use crate::rank::Rank;
use crate::wait::AdaptiveSpin;
use barrier::ShmBarrier;
use groups::Group;
use layout::{CROWDED_RING, PIECE_CLASSES};
use smallvec::SmallVec;
use staging::RingUse;
use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use stores::Stores;
use windows::Windows;

/// The result of a barrier in which the members of an area compare their calls. All members get the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Comparison {
    /// No difference.
    Same,
    /// The members called different statements, or with different arguments.
    CallsDiffer,
    /// The members gave different flows in ring exchanges before ([`CollArea::flows_that_differ`]).
    FlowsDiffer,
}

/// One member's handle of a collective area. An image makes one handle a member list and keeps it as long as it lives,
/// because the handle counts the epochs.
#[derive(Debug)]
pub struct CollArea {
    start: *mut u8,
    ranks: Box<[Rank]>,
    /// The set that this area serves, if it also has images on other hosts: one entry for each time the set was made.
    /// The strong references are held by the set's levels, not by the area, which outlives the set: members may be in
    /// a table that is to be freed.
    part_of: RefCell<SmallVec<[Weak<Members>; 1]>>,
    /// The log of the calls of that set.
    calls: RefCell<Option<Rc<CallLog>>>,
    me: usize,
    kind: BarrierAlgorithm,
    /// The groups of this member.
    groups: Box<[Group]>,
    hierarchy: Hierarchy,
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
        let split = groups::are_several(&placed);
        let places: Vec<_> = placed.iter().map(|&(_, place)| place).collect();
        let crowded = job.page().waiting.crowded != 0;
        let kind = forced.unwrap_or_else(|| BarrierAlgorithm::choose(ranks.len(), crowded, split));
        let stores = [Stores::new(), Stores::new()];
        Ok(Some(CollArea {
            start,
            ranks: ranks.into(),
            part_of: RefCell::default(),
            calls: RefCell::default(),
            me,
            kind,
            groups,
            hierarchy: Hierarchy::of(&places),
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

    /// Always false: this image is a member.
    pub fn is_empty(&self) -> bool {
        self.ranks.is_empty()
    }

    /// The members by the places they are bound to.
    pub fn hierarchy(&self) -> &Hierarchy {
        &self.hierarchy
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
        .make(self.kind)
        .inspect_err(|_| self.begin_no_access_epoch())?;
        self.epochs.set(epoch);
        if same {
            Ok(Comparison::Same)
        } else if self.flows_differ(image, epoch) {
            Ok(Comparison::FlowsDiffer)
        } else {
            Ok(Comparison::CallsDiffer)
        }
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
