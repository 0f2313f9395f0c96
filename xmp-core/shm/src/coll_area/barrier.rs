//! The four barrier algorithms of a collective area. Protocols and orderings are proved in `README.md`.
//!
//! Written over the shared structures only, so that loom can model them.

use super::groups::{Group, UNDIVIDED};
use super::layout::{Member, Node, Release, announcement, announces, call_of};
use crate::error::{BoxedResult, Error, Result};
use crate::rank::Rank;
use crate::sync::{AtomicU64, Ordering, store_then_fence};
use crate::wait::{AdaptiveSpin, SpinHint, Waits};
use smallvec::SmallVec;

/// What a part of `dissemination` announces that has found different calls; no call has this number.
const DIFFERENT: u32 = u32::MAX;

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
    /// Flags to the leaders of groups, of groups of groups and so on, and their release words.
    Grouped,
}

impl BarrierAlgorithm {
    /// The best algorithm for `members` images. `crowded`: images share cores. `split`: they are in several groups.
    ///
    /// Measured on 16 cores with a common cache: `flat` takes 0.36 us with 4 members and 0.41 with 8, `dissemination` 0.93 with
    /// 12 and 0.95 with 16. `flat` up to 16 is derived: each further member costs one more line of a stream, 0.0125 us,
    /// which makes 0.5 us. Its line also has the data of the members, which must be fetched anew after `dissemination`.
    /// `grouped` above that is derived, too: three signals one after the other and the lines of a group and of the leaders, where
    /// `dissemination` has at least five rounds of two signals.
    pub fn choose(members: usize, crowded: bool, split: bool) -> BarrierAlgorithm {
        match members {
            _ if crowded => BarrierAlgorithm::Central,
            0..=8 => BarrierAlgorithm::Flat,
            9..=UNDIVIDED if !split => BarrierAlgorithm::Flat,
            _ => BarrierAlgorithm::Grouped,
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
    /// What this member calls; 0 if that is not to be compared. Not `u32::MAX`.
    pub call: u32,
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
    /// Enters the barrier and returns when all members have. Returns whether they call the same.
    #[inline]
    pub fn make(&self, kind: BarrierAlgorithm) -> BoxedResult<bool> {
        match kind {
            BarrierAlgorithm::Central => self.central(),
            BarrierAlgorithm::Flat => self.flat(),
            BarrierAlgorithm::Dissemination => self.dissemination(),
            BarrierAlgorithm::Grouped => self.grouped(),
        }
    }

    #[inline]
    fn central(&self) -> BoxedResult<bool> {
        let node = &self.nodes[0];
        let release = &*node.release;
        let all = self.epoch * self.members.len() as u64;
        let arrived = self.arrive(node);
        if arrived == all {
            let same = self.settle(node);
            self.publish(&release.epochs, self.epoch);
            return Ok(same);
        }
        // Acquire: what the last arrival has settled. It is not settled anew before this member arrives again.
        let ready = || release.epochs.load(Ordering::Acquire) >= self.epoch;
        if ready() {
            return Ok(self.is_same(release));
        }
        let arrivals = &node.arrivals.count;
        // Relaxed: only a hint, `ready` decides. When none is missing, the last arrival is about to release.
        let last_is_coming = || all.saturating_sub(arrivals.load(Ordering::Relaxed)) <= 1;
        let hint = SpinHint { spin: self.spin, is_soon: last_is_coming };
        let waited = (self.waits)().until_gate_soon(&release.sleepers, hint, &self.watch, ready);
        if let Err(error) = waited {
            // The ended member may have arrived. Then a member that does not know of its end may be the last to arrive,
            // and leave. AcqRel: as an arrival. Either that member arrives after this mark and finds another number
            // than `all`, or the barrier is made and this member leaves, too; it publishes the release because the last
            // arrival may have ended before it did.
            let give_up = |arrived| (arrived != all).then_some(arrived | GIVEN_UP);
            match arrivals.fetch_update(Ordering::AcqRel, Ordering::Acquire, give_up) {
                Ok(_) => return Err(error.into()),
                Err(_) => {
                    self.settle_for_others(node);
                    self.publish(&release.epochs, self.epoch);
                }
            }
        }
        Ok(self.is_same(release))
    }

    /// Arrives at a node. Returns how many members have arrived in all epochs.
    #[inline]
    fn arrive(&self, node: &Node) -> u64 {
        if self.call != 0 {
            // Relaxed: ordered by the count, whose line it is on.
            node.arrivals.calls.fetch_add(self.call.into(), Ordering::Relaxed);
        }
        // AcqRel: acquires what earlier arrivals wrote, releases what this member wrote.
        node.arrivals.count.fetch_add(1, Ordering::AcqRel) + 1
    }

    /// The last arrival at a node finds out whether the members call the same, and notes it for them.
    #[inline]
    fn settle(&self, node: &Node) -> bool {
        // Relaxed: all have arrived, and none arrives again before the release, which orders the stores.
        let calls = node.arrivals.calls.load(Ordering::Relaxed);
        let same = calls == self.members.len() as u64 * u64::from(self.call);
        if !same {
            node.release.differs.store(self.epoch, Ordering::Relaxed);
        }
        if calls != 0 {
            // Release: a member that settles for the others, and finds nothing left, sees what was noted.
            node.arrivals.calls.store(0, Ordering::Release);
        }
        same
    }

    /// Notes for a complete barrier whose last arrival may have ended before it did whether the members call the same.
    #[cold]
    fn settle_for_others(&self, node: &Node) {
        // Acquire: with 0 the last arrival has cleared the sum, after it noted a difference; or no member compares.
        let calls = node.arrivals.calls.load(Ordering::Acquire);
        if calls != 0 && calls != self.members.len() as u64 * u64::from(self.call) {
            node.release.differs.store(self.epoch, Ordering::Relaxed);
        }
    }

    /// Whether the last arrival has found that all call the same; to be asked after the release of this epoch was seen.
    #[inline]
    fn is_same(&self, release: &Release) -> bool {
        release.differs.load(Ordering::Relaxed) != self.epoch
    }

    #[inline]
    fn flat(&self) -> BoxedResult<bool> {
        let parity = (self.epoch % 2) as usize;
        let own = announcement(self.epoch, self.call);
        self.publish(&self.members[self.me].slots[parity].epoch, own);
        let mut different = 0;
        for (position, member) in self.members.iter().enumerate() {
            if position == self.me {
                continue;
            }
            // Equality: no member is two epochs ahead, because the barrier between needs this member.
            different |= own ^ self.wait_for_announcement(&member.slots[parity].epoch)?;
        }
        Ok(different == 0)
    }

    #[inline]
    fn dissemination(&self) -> BoxedResult<bool> {
        let n = self.members.len();
        let parity = (self.epoch % 2) as usize;
        let mut distance = 1;
        let mut round = 0;
        // What this member and those before it call that it has heard of.
        let mut call = self.call;
        while distance < n {
            let partner = (self.me + distance) % n;
            let flag = &self.members[partner].flags[parity][round];
            // No other member waits for this flag.
            let sleeper = std::slice::from_ref(&self.ranks[partner]);
            let gate = &self.nodes[0].release;
            self.publish_at(gate, flag, announcement(self.epoch, call), sleeper);
            // Equality: the partner writes this flag again two epochs later, after a barrier that needs this member.
            let word = self.wait_for_announcement(&self.members[self.me].flags[parity][round])?;
            if call_of(word) != call {
                call = DIFFERENT;
            }
            distance *= 2;
            round += 1;
        }
        self.publish_completion();
        Ok(call != DIFFERENT)
    }

    fn grouped(&self) -> BoxedResult<bool> {
        let parity = (self.epoch % 2) as usize;
        // What this member, and the parts of groups that it arrives for, call.
        let mut call = self.call;
        let mut led = 0;
        let mut same = None;
        for group in self.groups {
            // The leader of a group arrives for it at the enclosing group.
            let Some(arrival) = &group.arrival else { break };
            let gate = &*self.nodes[group.node].release;
            let own = announcement(self.epoch, call);
            if !arrival.readers.is_empty() {
                let flag = &self.members[self.me].flags[parity][group.depth];
                self.publish_at(gate, flag, own, &arrival.readers);
            }
            let Some(awaited) = &arrival.awaited else {
                let ready = || gate.epochs.load(Ordering::Acquire) >= self.epoch;
                self.wait_at(gate, ready)?;
                same = Some(self.is_same(gate));
                break;
            };
            for &from in awaited {
                // Equality: the leader writes this flag again two epochs later, after a barrier that needs this member.
                let flag = &self.members[from].flags[parity][group.depth];
                if call_of(self.wait_for_announcement_at(gate, flag)?) != call {
                    call = DIFFERENT;
                }
            }
            led += 1;
        }
        // Leaders that have read the flags of all others wait for no release.
        let same = same.unwrap_or(call != DIFFERENT);
        for group in self.groups[..led].iter().rev().filter(|group| group.depth > 0) {
            let release = &*self.nodes[group.node].release;
            if !same {
                // Relaxed: before the release.
                release.differs.store(self.epoch, Ordering::Relaxed);
            }
            self.publish_at(release, &release.epochs, self.epoch, &group.ranks);
        }
        self.publish_completion();
        Ok(same)
    }

    /// Publishes that this member has stored everything that others wait for in this epoch. From now on its end is no
    /// error for them.
    #[inline]
    fn publish_completion(&self) {
        let parity = (self.epoch % 2) as usize;
        // Release: a member that sees this word sees the stores that others wait for.
        let word = announcement(self.epoch, self.call);
        self.members[self.me].slots[parity].epoch.store(word, Ordering::Release);
    }

    /// Stores a value for all members to see and wakes those that sleep.
    #[inline]
    fn publish(&self, word: &AtomicU64, value: u64) {
        self.publish_at(&self.nodes[0].release, word, value, self.ranks);
    }

    /// Stores a value in `word` and wakes those of `ranks` that sleep at `gate`.
    #[inline]
    fn publish_at(&self, gate: &Release, word: &AtomicU64, value: u64, ranks: &[Rank]) {
        // Release: everything this member wrote, and saw, before. The fence is the notifier's side of the gate protocol
        // (wait/README.md).
        store_then_fence(word, value);
        if gate.sleepers.load(Ordering::Relaxed) != 0 {
            (self.ring)(ranks);
        }
    }

    /// Waits until a word announces this epoch. Returns it.
    #[inline(always)]
    fn wait_for_announcement(&self, word: &AtomicU64) -> BoxedResult<u64> {
        let seen = word.load(Ordering::Acquire);
        if announces(seen, self.epoch) { Ok(seen) } else { self.keep_waiting_for(word) }
    }

    #[inline(never)]
    fn keep_waiting_for(&self, word: &AtomicU64) -> BoxedResult<u64> {
        self.wait_for_announcement_at(&self.nodes[0].release, word)
    }

    fn wait_for_announcement_at(&self, gate: &Release, word: &AtomicU64) -> BoxedResult<u64> {
        let mut seen = 0;
        self.wait_at(gate, || {
            seen = word.load(Ordering::Acquire);
            announces(seen, self.epoch)
        })?;
        Ok(seen)
    }

    #[inline]
    fn wait_at(&self, gate: &Release, mut ready: impl FnMut() -> bool) -> BoxedResult<()> {
        if ready() {
            return Ok(());
        }
        Ok((self.waits)().until_gate(&gate.sleepers, &self.watch, ready)?)
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
