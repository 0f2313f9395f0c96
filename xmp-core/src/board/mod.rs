//! Boards: where the images of a set that share a host meet. Read `README.md` beside this file.

mod delivery;
mod directory;
mod groups;
mod layout;
mod step;
mod stores;
mod windows;

pub use delivery::Delivery;
pub use layout::{SLOT_DATA, STAGING};
pub use step::StepKind;

use crate::error::Result;
use crate::failure::{self, told};
use crate::image::Image;
use crate::image_set::{ImageSet, Members};
use crate::job::page::ImageState;
use crate::rank::Rank;
use crate::sync::Ordering;
use crate::wait::Moment;
use groups::Group;
use layout::{
    LARGE_PIECE, Member, Node, Ring, board_len, members_offset, nodes, rings_offset, staging_at,
    staging_offset,
};
use smallvec::SmallVec;
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::{Rc, Weak};
use step::Stepper;
use stores::Stores;
use windows::Windows;

/// One member's handle of a board. Made once an image and member list, kept as long as the image lives,
/// because it counts the steps.
#[derive(Debug)]
pub struct Board {
    start: *mut u8,
    ranks: Box<[Rank]>,
    /// The set whose images of this host these are, where others are on other hosts, as often as it has been made. Kept not
    /// by the board, which stays when the set has gone, but by its levels: members may lie in a table that is to be freed.
    part_of: RefCell<SmallVec<[Weak<Members>; 1]>>,
    me: usize,
    kind: StepKind,
    /// The groups of this member.
    groups: Box<[Group]>,
    /// Whether images share cores.
    crowded: bool,
    /// Steps made.
    steps: Cell<u64>,
    /// Deliveries that this member is done with, and the last one for which its ring is known to have room.
    deliveries: Cell<u64>,
    room: Cell<u64>,
    /// What waits for the last arrival have learnt.
    moment: Moment,
    /// How to write to staging, and to other memory that members have read.
    stores: [Stores; 2],
    /// Memory of this member's staging of even and odd steps.
    windows: [Windows; 2],
}

impl Board {
    /// The board of the set for `ranks`, its images on this host, this image among them. `None` when the host has no room for
    /// another board; that is the same for all members.
    ///
    /// # Errors
    /// When a member ended while it was setting up the board.
    ///
    /// # Panics
    /// When this image is not among the ranks.
    pub(crate) fn open(image: &Image, set: &ImageSet, ranks: &[Rank]) -> Result<Option<Board>> {
        let me = ranks.iter().position(|&rank| rank == image.rank()).expect("member of its board");
        let Some(start) = directory::find(image, set.key(), ranks.len())? else {
            tracing::warn!(
                images = ranks.len(),
                "no room for another board: the collectives of a set go through messages"
            );
            return Ok(None);
        };
        let job = image.job();
        let placed: Vec<_> = ranks.iter().map(|&rank| (rank, job.entry(rank).place)).collect();
        let groups = groups::groups(&placed, image.rank());
        let split = groups.last().is_some_and(|all| all.parts < ranks.len() as u64);
        let crowded = job.page().waiting.crowded != 0;
        let kind =
            image.forced_step().unwrap_or_else(|| StepKind::choose(ranks.len(), crowded, split));
        let stores = [Stores::new(), Stores::new()];
        Ok(Some(Board {
            start,
            ranks: ranks.into(),
            part_of: RefCell::default(),
            me,
            kind,
            groups,
            crowded,
            steps: Cell::new(0),
            deliveries: Cell::new(0),
            room: Cell::new(0),
            moment: Moment::default(),
            stores,
            windows: Default::default(),
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

    /// Whether a step is made by all members or by none, also when one of them fails in the midst of it: where
    /// everybody looks at everybody's arrival, or the last one releases all. Not where flags are handed on: who fails
    /// may have sent some of them.
    pub fn all_or_none(&self) -> bool {
        matches!(self.kind, StepKind::Central | StepKind::Flat)
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

    /// Makes a step: returns when all members have made it. What each wrote before, in its buffers or
    /// elsewhere, is then visible to all.
    ///
    /// # Errors
    /// When a member has stopped or failed without making the step: nobody returns from it then.
    #[inline]
    pub fn step(&self, image: &Image) -> Result<()> {
        image.threads().only_one()?;
        let step = self.steps.get() + 1;
        // Asked before entering, too, by the same rule as later: a member that can never make the step is an error,
        // and nobody enters twice; but where all who have ended have made it, those who wait need this one.
        if !failure::all_running(image.job()) {
            self.watch(image, step)?;
        }
        Stepper {
            nodes: self.nodes(),
            groups: &self.groups,
            ranks: &self.ranks,
            members: self.members(),
            me: self.me,
            step,
            waits: || image.waits(),
            watch: || self.watch(image, step),
            moment: &self.moment,
            ring: |ranks: &[Rank]| ring(image, ranks),
        }
        .make(self.kind)?;
        self.steps.set(step);
        Ok(())
    }

    /// Whether all members have made the step or still can.
    #[cold]
    fn watch(&self, image: &Image, step: u64) -> Result<()> {
        // Acquire: what it has done before it made the step.
        let made = |member: &Member| member.slots[(step % 2) as usize].step.load(Ordering::Acquire);
        self.check(image, |position| made(&self.members()[position]) == step)
    }

    /// Whether all members have done their part of a step or a delivery, or still can.
    fn check(&self, image: &Image, has_done_it: impl Fn(usize) -> bool) -> Result<()> {
        let job = image.job();
        failure::check(job, [])?;
        let ended = OnceCell::new();
        step::can_be_made(
            self.len(),
            has_done_it,
            |position| failure::check(job, [self.ranks[position]]),
            |position| {
                // Found when the ends of members are known: what one of these was told of had ended before it.
                let ended = ended.get_or_init(|| self.ended(image)).iter().copied();
                told::of_any(image, self.ranks[position], ended)?.map_or(Ok(()), Err)
            },
        )
    }

    /// To be kept by the levels of `set`, as long as steps are made for it; `None` where all its images are of this host.
    pub(crate) fn serve(&self, set: &ImageSet) -> Option<Rc<Members>> {
        if self.ranks.len() == set.len() {
            return None;
        }
        let members = Rc::new(set.members().clone());
        let mut part_of = self.part_of.borrow_mut();
        part_of.retain(|other| other.strong_count() > 0);
        part_of.push(Rc::downgrade(&members));
        Some(members)
    }

    /// Those of the set that have ended, which may be images of other hosts.
    fn ended(&self, image: &Image) -> SmallVec<[Rank; 8]> {
        let has_ended = |rank: &Rank| image.job().state(*rank) != ImageState::Running;
        let set = self.part_of.borrow().iter().find_map(Weak::upgrade);
        match set {
            Some(set) => (0..set.len()).filter_map(|at| set.rank(at)).filter(has_ended).collect(),
            None => self.ranks.iter().copied().filter(has_ended).collect(),
        }
    }

    /// This member's data ([`SLOT_DATA`] bytes, 8-aligned) for the coming step: to be written before it.
    #[inline(always)]
    pub fn slot(&self) -> *mut u8 {
        self.slot_at(self.me, self.steps.get() + 1)
    }

    /// The data of a member in the last step: to be read before the next one.
    #[inline(always)]
    pub fn slot_of(&self, position: usize) -> *const u8 {
        self.slot_at(position, self.steps.get())
    }

    /// This member's staging for the coming step: `len` bytes, at most [`STAGING`], 64-aligned. All members ask
    /// for the same length in a step.
    #[inline]
    pub fn staging(&self, len: usize) -> *mut u8 {
        let step = self.steps.get() + 1;
        let staging = self.staging_at(self.me, step, len);
        if len >= LARGE_PIECE {
            self.windows[(step % 2) as usize].reach(
                staging_at(step, len, self.crowded),
                staging,
                len,
                STAGING,
            );
        }
        staging
    }

    /// The staging of a member in the last step, for which `len` bytes were asked.
    #[inline(always)]
    pub fn staging_of(&self, position: usize, len: usize) -> *const u8 {
        self.staging_at(position, self.steps.get(), len)
    }

    /// Copies `len` bytes to this member's staging, the way that is fastest now.
    ///
    /// # Safety
    /// `dst` is within [`Board::staging`]; `src` is valid for `len` bytes and elsewhere.
    #[inline]
    pub unsafe fn stage(&self, dst: *mut u8, src: *const u8, len: usize) {
        // SAFETY: the caller's guarantee.
        unsafe { self.stores[0].copy(dst, src, len) };
    }

    /// Copies `len` bytes to memory of another member, the way that is fastest now; it is to be read after the next
    /// step.
    ///
    /// # Safety
    /// Both are valid for `len` bytes and do not overlap.
    #[inline]
    pub unsafe fn give(&self, dst: *mut u8, src: *const u8, len: usize) {
        // SAFETY: the caller's guarantee.
        unsafe { self.stores[1].copy(dst, src, len) };
    }

    #[inline(always)]
    fn nodes(&self) -> &[Node] {
        // SAFETY: every board starts with its nodes, atomics, valid when zeroed, alive with the job.
        unsafe { std::slice::from_raw_parts(self.start.cast::<Node>(), nodes(self.len())) }
    }

    /// First of the member lines.
    #[inline(always)]
    fn lines(&self) -> *mut Member {
        self.start.wrapping_add(members_offset(self.len())).cast()
    }

    #[inline(always)]
    fn members(&self) -> &[Member] {
        // SAFETY: the nodes are followed by one Member for each rank. They are accessed through atomics;
        // slot data only through raw pointers.
        unsafe { std::slice::from_raw_parts(self.lines(), self.len()) }
    }

    /// First of the rings.
    #[inline(always)]
    fn first_ring(&self) -> *mut Ring {
        self.start.wrapping_add(rings_offset(self.len())).cast()
    }

    #[inline(always)]
    fn rings(&self) -> &[Ring] {
        // SAFETY: the lines are followed by one Ring for each rank. They are accessed through atomics; what is given
        // only through raw pointers.
        unsafe { std::slice::from_raw_parts(self.first_ring(), self.len()) }
    }

    #[inline(always)]
    fn slot_at(&self, position: usize, step: u64) -> *mut u8 {
        debug_assert!(position < self.len());
        // SAFETY: in bounds of the board; only an address is computed.
        unsafe {
            let first = self.lines();
            (&raw mut (*first.add(position)).slots[(step % 2) as usize].0.data).cast::<u8>()
        }
    }

    #[inline(always)]
    fn staging_at(&self, position: usize, step: u64, len: usize) -> *mut u8 {
        debug_assert!(position < self.len());
        let buffer = position * 2 + (step % 2) as usize;
        let at =
            staging_offset(self.len()) + buffer * STAGING + staging_at(step, len, self.crowded);
        debug_assert!(at + len <= board_len(self.len()));
        self.start.wrapping_add(at)
    }
}

/// Wakes those of these images that sleep.
#[cold]
fn ring(image: &Image, ranks: &[Rank]) {
    for &rank in ranks.iter().filter(|&&rank| rank != image.rank()) {
        image.job().entry(rank).doorbell.ring_if_parked();
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
