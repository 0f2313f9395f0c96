//! The four ways to make a step; protocols and orderings are argued in `README.md`.
//!
//! Written over the shared structures only, so that loom can model them.

use super::groups::Group;
use super::layout::{Member, Node, Release};
use crate::error::{Error, Result};
use crate::rank::Rank;
use crate::sync::{AtomicU64, Ordering, store_then_fence};
use crate::wait::{Moment, Waits};
use smallvec::SmallVec;

/// In a count of arrivals: the step is not made, and none after it.
const GIVEN_UP: u64 = 1 << 63;

/// How the members of a board make a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// Arrival counter and release word.
    Central,
    /// Everybody looks at everybody's slot.
    Flat,
    /// Rounds of pairwise flags.
    Dissemination,
    /// Arrival counters and release words of groups, groups of groups and so on.
    Grouped,
}

impl StepKind {
    /// The best way for `members` images (`crowded`: images share cores; `split`: they are bound to places that
    /// are not all equally near to one another). Measured, but for `split`.
    pub fn choose(members: usize, crowded: bool, split: bool) -> StepKind {
        match members {
            _ if crowded => StepKind::Central,
            0..=8 => StepKind::Flat,
            _ if split => StepKind::Grouped,
            _ => StepKind::Dissemination,
        }
    }

    /// The way with this name, as in `XMP_COLL=barrier:central`.
    pub fn by_name(name: &str) -> Option<StepKind> {
        Some(match name {
            "central" => StepKind::Central,
            "flat" => StepKind::Flat,
            "dissemination" => StepKind::Dissemination,
            "grouped" => StepKind::Grouped,
            _ => return None,
        })
    }
}

/// One member's view of a board, for the length of one step.
pub struct Stepper<'a, P, W, R> {
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
    /// Number of the step, from 1.
    pub step: u64,
    /// How to wait, asked when there is something to wait for.
    pub waits: P,
    /// Whether the wait can still end.
    pub watch: W,
    /// What waits for the last arrival have learnt.
    pub moment: &'a Moment,
    /// Rings those of these members that sleep.
    pub ring: R,
}

impl<'a, P: Fn() -> Waits<'a>, W: Fn() -> Result<()>, R: Fn(&[Rank])> Stepper<'a, P, W, R> {
    /// Enters the step and returns when all members have.
    #[inline]
    pub fn make(&self, kind: StepKind) -> Result<()> {
        match kind {
            StepKind::Central => self.central(),
            StepKind::Flat => self.flat(),
            StepKind::Dissemination => self.dissemination(),
            StepKind::Grouped => self.grouped(),
        }
    }

    #[inline]
    fn central(&self) -> Result<()> {
        let release = &*self.nodes[0].release;
        // AcqRel: acquires what earlier arrivals wrote, releases what this one wrote.
        let arrivals = &*self.nodes[0].arrivals;
        let arrived = arrivals.fetch_add(1, Ordering::AcqRel) + 1;
        let all = self.step * self.members.len() as u64;
        if arrived == all {
            self.publish(&release.steps);
            return Ok(());
        }
        let ready = || release.steps.load(Ordering::Acquire) >= self.step;
        if ready() {
            return Ok(());
        }
        // Relaxed: only a hint, `ready` is what counts. When none is missing, the last one is about to release.
        let last_is_coming = || all.saturating_sub(arrivals.load(Ordering::Relaxed)) <= 1;
        let soon = (self.moment, last_is_coming);
        let waited = (self.waits)().until_gate_soon(&release.sleepers, soon, &self.watch, ready);
        waited.or_else(|error| {
            // A member has ended that may have arrived, so one that does not know that may be the last to arrive, and go on.
            // AcqRel: as an arrival. Either that one comes behind this, and finds another number than that of all, or the
            // step is made; who was to say so may have ended.
            let give_up = |arrived| (arrived != all).then_some(arrived | GIVEN_UP);
            match arrivals.fetch_update(Ordering::AcqRel, Ordering::Acquire, give_up) {
                Ok(_) => Err(error),
                Err(_) => {
                    self.publish(&release.steps);
                    Ok(())
                }
            }
        })
    }

    #[inline]
    fn flat(&self) -> Result<()> {
        let parity = (self.step % 2) as usize;
        self.publish(&self.members[self.me].slots[parity].step);
        for (position, member) in self.members.iter().enumerate() {
            if position == self.me {
                continue;
            }
            // Equality: nobody is two steps ahead, because the step between needs this member.
            let number = &member.slots[parity].step;
            self.wait_for(|| number.load(Ordering::Acquire) == self.step)?;
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
            self.wait_for(|| mine.load(Ordering::Acquire) >= self.step)?;
            distance *= 2;
            round += 1;
        }
        self.has_told_all();
        Ok(())
    }

    fn grouped(&self) -> Result<()> {
        // The last one of a group arrives for it at the group around it.
        let is_last = |group: &&Group| {
            // AcqRel: as in `central`, for the parts of the group.
            let arrived = self.nodes[group.node].arrivals.fetch_add(1, Ordering::AcqRel) + 1;
            arrived == self.step * group.parts
        };
        let complete = self.groups.iter().take_while(is_last).count();
        if let Some(group) = self.groups.get(complete) {
            let release = &*self.nodes[group.node].release;
            let ready = || release.steps.load(Ordering::Acquire) >= self.step;
            self.wait_at(release, ready)?;
        }
        for group in self.groups[..complete].iter().rev() {
            let release = &*self.nodes[group.node].release;
            self.publish_at(release, &release.steps, &group.ranks);
        }
        self.has_told_all();
        Ok(())
    }

    /// Says that this member has stored everything that others wait for in this step: its end from now on is no
    /// concern of those still waiting.
    #[inline]
    fn has_told_all(&self) {
        let parity = (self.step % 2) as usize;
        // Release: ordered after what others wait for, for who sees it.
        self.members[self.me].slots[parity].step.store(self.step, Ordering::Release);
    }

    /// Stores the step number for all members to see and wakes who sleeps.
    #[inline]
    fn publish(&self, word: &AtomicU64) {
        self.publish_at(&self.nodes[0].release, word, self.ranks);
    }

    /// Stores the step number for members to see that sleep at `gate`, and wakes them.
    #[inline]
    fn publish_at(&self, gate: &Release, word: &AtomicU64, ranks: &[Rank]) {
        // Release: everything this member wrote, and saw, before. The fence is the notifier's side of the
        // gate protocol (wait/README.md).
        store_then_fence(word, self.step);
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

/// Whether all of so many members have made the step, or done their part of a delivery, or still can. Of one that has not, by its
/// position, `end_of` says whether it has ended, and `left` whether it has left the set, and why. Of several ends that of a
/// stopped image has precedence (as in [`crate::failure::check`]).
///
/// A member may end, or leave the set, as soon as it has made the step, while others are still at it. Its slot says so (`flat`: when
/// it has arrived, which is all that it is needed for; `dissemination` and `grouped`: when it has told all whom it has to
/// tell; `central`: never, but there nobody leaves before all can).
///
/// Who has left goes on in other sets, where it may do all that it has to, and then ends: that is not the cause. It left before
/// it ended, so ends are looked at first, those of all members, and then who has left: `left` is not asked before `end_of` has
/// been of all.
///
/// This image itself is needed before it enters: who has left enters no more, or others that have seen that would give up a
/// step that is made.
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
            // It may have made it, and ended or left then, between the look at its slot and that at what has become of it.
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
