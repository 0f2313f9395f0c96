//! The four barrier algorithms of a collective area. Protocols and orderings are proved in `README.md`.
//!
//! Written over the shared structures only, so that loom can model them.

use super::groups::Group;
use super::layout::{Member, Node, Release};
use crate::error::{Error, Result};
use crate::rank::Rank;
use crate::sync::{AtomicU64, Ordering, store_then_fence};
use crate::wait::{AdaptiveSpin, SpinHint, Waits};
use smallvec::SmallVec;

/// Flag in a count of arrivals: neither this barrier nor a later one is made.
const GIVEN_UP: u64 = 1 << 63;

/// The barrier algorithm of an area.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarrierAlgorithm {
    /// Arrival counter and release word.
    Central,
    /// Each member reads the slots of all members.
    Flat,
    /// Rounds of pairwise flags.
    Dissemination,
    /// Arrival counters and release words of groups, groups of groups and so on.
    Grouped,
}

impl BarrierAlgorithm {
    /// The best algorithm for `members` images, measured but for `split`. `crowded`: images share cores. `split`: they
    /// are bound to places that are not all equally near to one another.
    pub fn choose(members: usize, crowded: bool, split: bool) -> BarrierAlgorithm {
        match members {
            _ if crowded => BarrierAlgorithm::Central,
            0..=8 => BarrierAlgorithm::Flat,
            _ if split => BarrierAlgorithm::Grouped,
            _ => BarrierAlgorithm::Dissemination,
        }
    }

    /// The algorithm of this name, as in `XMP_COLL=barrier:central`.
    pub fn by_name(name: &str) -> Option<BarrierAlgorithm> {
        Some(match name {
            "central" => BarrierAlgorithm::Central,
            "flat" => BarrierAlgorithm::Flat,
            "dissemination" => BarrierAlgorithm::Dissemination,
            "grouped" => BarrierAlgorithm::Grouped,
            _ => return None,
        })
    }
}

/// One member's view of an area, for one barrier.
pub struct ShmBarrier<'a, P, W, R> {
    /// Shared counters of all members and of groups.
    pub nodes: &'a [Node],
    /// The groups of this member, the innermost first.
    pub groups: &'a [Group],
    /// All members.
    pub ranks: &'a [Rank],
    /// All members' lines, by position.
    pub members: &'a [Member],
    /// Position of this member.
    pub me: usize,
    /// The epoch, from 1.
    pub epoch: u64,
    /// Makes the waits; called only when the member must wait.
    pub waits: P,
    /// Checks that the wait can still end.
    pub watch: W,
    /// Experience of the adaptive spin for the last arrival.
    pub spin: &'a AdaptiveSpin,
    /// Rings the doorbells of those of these members that sleep.
    pub ring: R,
}

impl<'a, P: Fn() -> Waits<'a>, W: Fn() -> Result<()>, R: Fn(&[Rank])> ShmBarrier<'a, P, W, R> {
    /// Enters the barrier and returns when all members have.
    #[inline]
    pub fn make(&self, kind: BarrierAlgorithm) -> Result<()> {
        match kind {
            BarrierAlgorithm::Central => self.central(),
            BarrierAlgorithm::Flat => self.flat(),
            BarrierAlgorithm::Dissemination => self.dissemination(),
            BarrierAlgorithm::Grouped => self.grouped(),
        }
    }

    #[inline]
    fn central(&self) -> Result<()> {
        let release = &*self.nodes[0].release;
        // AcqRel: acquires what earlier arrivals wrote, releases what this member wrote.
        let arrivals = &*self.nodes[0].arrivals;
        let arrived = arrivals.fetch_add(1, Ordering::AcqRel) + 1;
        let all = self.epoch * self.members.len() as u64;
        if arrived == all {
            self.publish(&release.epochs);
            return Ok(());
        }
        let ready = || release.epochs.load(Ordering::Acquire) >= self.epoch;
        if ready() {
            return Ok(());
        }
        // Relaxed: only a hint, `ready` decides. When none is missing, the last arrival is about to release.
        let last_is_coming = || all.saturating_sub(arrivals.load(Ordering::Relaxed)) <= 1;
        let hint = SpinHint { spin: self.spin, is_soon: last_is_coming };
        let waited = (self.waits)().until_gate_soon(&release.sleepers, hint, &self.watch, ready);
        waited.or_else(|error| {
            // The ended member may have arrived. Then a member that does not know of its end may be the last to arrive,
            // and leave. AcqRel: as an arrival. Either that member arrives after this mark and finds another number
            // than `all`, or the barrier is made and this member leaves, too; it publishes the release because the last
            // arrival may have ended before it did.
            let give_up = |arrived| (arrived != all).then_some(arrived | GIVEN_UP);
            match arrivals.fetch_update(Ordering::AcqRel, Ordering::Acquire, give_up) {
                Ok(_) => Err(error),
                Err(_) => {
                    self.publish(&release.epochs);
                    Ok(())
                }
            }
        })
    }

    #[inline]
    fn flat(&self) -> Result<()> {
        let parity = (self.epoch % 2) as usize;
        self.publish(&self.members[self.me].slots[parity].epoch);
        for (position, member) in self.members.iter().enumerate() {
            if position == self.me {
                continue;
            }
            // Equality: no member is two epochs ahead, because the barrier between needs this member.
            let number = &member.slots[parity].epoch;
            self.wait_for(|| number.load(Ordering::Acquire) == self.epoch)?;
        }
        Ok(())
    }

    #[inline]
    fn dissemination(&self) -> Result<()> {
        let n = self.members.len();
        let mut distance = 1;
        let mut round = 0;
        while distance < n {
            let partner = &self.members[(self.me + distance) % n];
            self.publish(&partner.flags[round]);
            let mine = &self.members[self.me].flags[round];
            self.wait_for(|| mine.load(Ordering::Acquire) >= self.epoch)?;
            distance *= 2;
            round += 1;
        }
        self.publish_completion();
        Ok(())
    }

    fn grouped(&self) -> Result<()> {
        // The last arrival of a group arrives for it at the enclosing group.
        let is_last = |group: &&Group| {
            // AcqRel: acquires what earlier arrivals in the group wrote, releases what this part wrote.
            let arrived = self.nodes[group.node].arrivals.fetch_add(1, Ordering::AcqRel) + 1;
            arrived == self.epoch * group.parts
        };
        let complete = self.groups.iter().take_while(is_last).count();
        if let Some(group) = self.groups.get(complete) {
            let release = &*self.nodes[group.node].release;
            let ready = || release.epochs.load(Ordering::Acquire) >= self.epoch;
            self.wait_at(release, ready)?;
        }
        for group in self.groups[..complete].iter().rev() {
            let release = &*self.nodes[group.node].release;
            self.publish_at(release, &release.epochs, &group.ranks);
        }
        self.publish_completion();
        Ok(())
    }

    /// Publishes that this member has stored everything that others wait for in this epoch. From now on its end is no
    /// error for them.
    #[inline]
    fn publish_completion(&self) {
        let parity = (self.epoch % 2) as usize;
        // Release: a member that sees this word sees the stores that others wait for.
        self.members[self.me].slots[parity].epoch.store(self.epoch, Ordering::Release);
    }

    /// Stores the epoch for all members to see and wakes those that sleep.
    #[inline]
    fn publish(&self, word: &AtomicU64) {
        self.publish_at(&self.nodes[0].release, word, self.ranks);
    }

    /// Stores the epoch in `word` and wakes those of `ranks` that sleep at `gate`.
    #[inline]
    fn publish_at(&self, gate: &Release, word: &AtomicU64, ranks: &[Rank]) {
        // Release: everything this member wrote, and saw, before. The fence is the notifier's side of the gate protocol
        // (wait/README.md).
        store_then_fence(word, self.epoch);
        if gate.sleepers.load(Ordering::Relaxed) != 0 {
            (self.ring)(ranks);
        }
    }

    #[inline]
    fn wait_for(&self, ready: impl FnMut() -> bool) -> Result<()> {
        self.wait_at(&self.nodes[0].release, ready)
    }

    #[inline]
    fn wait_at(&self, gate: &Release, mut ready: impl FnMut() -> bool) -> Result<()> {
        if ready() {
            return Ok(());
        }
        (self.waits)().until_gate(&gate.sleepers, &self.watch, ready)
    }
}

/// Checks that each of `members` members has made the barrier, or done its part of a ring exchange, or still can. For
/// a position that has not, `end_of` returns the error if the member has ended, and `left` the error because of which
/// it has revoked the set. Of several ends that of a stopped image has precedence (as in [`crate::failure::check`]).
///
/// A member may end, or revoke the set, as soon as it has made the barrier, while others are still in it. Its slot says
/// so: with `flat` from its arrival on, which is all that others need; with `dissemination` and `grouped` when it has
/// sent all its notifications; with `central` never, but there no member leaves before all can.
///
/// A member that has revoked the set goes on in other sets, may complete its program there, and then ends: that end is
/// not the cause. It published the revocation before it ended. So this function reads the ends of all members first and
/// the revocations second: `left` is not called before `end_of` has been called for all.
///
/// The caller itself is checked, too, before it enters: an image that has revoked the set enters no more, because
/// others that have seen that may have given up the barrier.
pub fn can_be_made(
    members: usize,
    has_made_it: impl Fn(usize) -> bool,
    end_of: impl Fn(usize) -> Result<()>,
    left: impl Fn(usize) -> Result<()>,
) -> Result<()> {
    let missing = (0..members).filter(|&position| !has_made_it(position));
    let missing: SmallVec<[_; 8]> = missing.map(|position| (position, end_of(position))).collect();
    let mut outcome = Ok(());
    for (position, end) in missing {
        match left(position).and(end) {
            // The member may have made it, and then ended or revoked the set, between the read of its slot and the
            // reads of its state.
            Err(_) if has_made_it(position) => {}
            Err(error @ Error::FailedImage(_)) => outcome = outcome.and(Err(error)),
            Err(error) => return Err(error),
            Ok(()) => {}
        }
    }
    outcome
}

#[cfg(all(test, loom))]
mod model;
