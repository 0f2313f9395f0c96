//! Waits for members: whom they need, and whether those can still do their parts.

use super::layout::{Member, announces};
use super::{BarrierAlgorithm, CollArea, barrier};
use crate::endpoint::Endpoint;
use crate::error::Result;
use crate::failure::calls::CallLog;
use crate::failure::{self, revocation};
use crate::image_group::ImageGroup;
use crate::job::page::ImageState;
use crate::members::Members;
use crate::rank::Rank;
use crate::sync::Ordering;
use crate::wait::{Need, WaitKind};
use smallvec::SmallVec;
use std::cell::OnceCell;
use std::rc::{Rc, Weak};

impl CollArea {
    /// Checks that all members have made the barrier of this epoch or still can.
    #[cold]
    pub(super) fn watch(&self, image: &Endpoint, epoch: u64) -> Result<()> {
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
    /// multi-hop notification until a member has left the barrier, the slots do not tell which members have arrived. So those that
    /// wait in the same barrier are not needed either.
    #[cold]
    pub(super) fn need(&self, epoch: u64) -> Need {
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
    pub(super) fn check(
        &self,
        image: &Endpoint,
        has_done_it: impl Fn(usize) -> bool,
    ) -> Result<()> {
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

    /// Has members that wait in a ring exchange look into the logs of one another.
    pub fn log_calls(&self, calls: Rc<CallLog>) {
        self.calls.replace(Some(calls));
    }

    /// Compares the call over hosts that this image is in with those of all other members.
    pub(super) fn compare_calls(&self, image: &Endpoint) -> Result<()> {
        let Some(calls) = self.calls.borrow().clone() else { return Ok(()) };
        self.ranks.iter().try_for_each(|&rank| calls.compare(image, rank))
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
}
