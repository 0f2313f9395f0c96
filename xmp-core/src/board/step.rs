//! The four ways to make a step; protocols and orderings are argued in `README.md`.
//!
//! Written over the shared structures only, so that loom can model them.

use super::groups::Group;
use super::layout::{Member, Node, Release};
use crate::error::Result;
use crate::rank::Rank;
use crate::sync::{AtomicU64, Ordering, store_then_fence};
use crate::wait::Waits;

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
        let arrived = self.nodes[0].arrivals.fetch_add(1, Ordering::AcqRel) + 1;
        if arrived == self.step * self.members.len() as u64 {
            self.publish(&release.steps);
            return Ok(());
        }
        self.wait_for(|| release.steps.load(Ordering::Acquire) >= self.step)
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

#[cfg(all(test, loom))]
mod model {
    use super::*;
    use crate::board::groups::groups;
    use crate::board::layout::{Slot, nodes};
    use crate::job::page::{Place, Status, Waiting};
    use crate::sync::{AtomicU32, Padded};
    use crate::wait::Doorbell;
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;

    struct Shared {
        nodes: Vec<Node>,
        members: Vec<Member>,
        doorbells: Vec<Doorbell>,
        status: Status,
        data: Vec<[UnsafeCell<u64>; 2]>,
    }

    fn member() -> Member {
        let slot = || {
            Padded(Slot {
                step: AtomicU64::new(0),
                data: std::array::from_fn(|_| AtomicU64::new(0)),
            })
        };
        Member {
            slots: [slot(), slot()],
            flags: std::array::from_fn(|_| Padded(AtomicU64::new(0))),
        }
    }

    fn node() -> Node {
        Node {
            arrivals: Padded(AtomicU64::new(0)),
            release: Padded(Release { steps: AtomicU64::new(0), sleepers: AtomicU32::new(0) }),
        }
    }

    /// The first two members share a cache.
    fn place(member: usize) -> Place {
        Place { cache: member.saturating_sub(1) as u32, ..Place::ANYWHERE }
    }

    /// `steps` steps of `n` members, each with data that everybody reads: loom reports a read or a
    /// write of a buffer that the step does not order, and a member that is never woken.
    fn model(kind: StepKind, n: usize, steps: u64, preemptions: usize) {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(preemptions);
        builder.check(move || {
            let shared = Arc::new(Shared {
                nodes: (0..nodes(n)).map(|_| node()).collect(),
                members: (0..n).map(|_| member()).collect(),
                doorbells: (0..n).map(|_| Doorbell::default()).collect(),
                status: Status::default(),
                data: (0..n).map(|_| std::array::from_fn(|_| UnsafeCell::new(0))).collect(),
            });
            let run = move |shared: &Shared, me: usize| {
                let ranks: Vec<Rank> = (0..n as u32).map(Rank::new).collect();
                let placed: Vec<_> = ranks.iter().map(|&r| (r, place(r.index()))).collect();
                let groups = groups(&placed, ranks[me]);
                for step in 1..=steps {
                    let parity = (step % 2) as usize;
                    // SAFETY: loom checks that nobody reads this buffer now.
                    shared.data[me][parity].with_mut(|d| unsafe { *d = step });
                    let waiting = Waiting { spin_ns: 0, yields: 0, crowded: 1 };
                    Stepper {
                        nodes: &shared.nodes,
                        groups: &groups,
                        ranks: &ranks,
                        members: &shared.members,
                        me,
                        step,
                        waits: || Waits::new(&shared.doorbells[me], &shared.status, waiting, None),
                        watch: || Ok(()),
                        ring: |ranks: &[Rank]| {
                            ranks.iter().for_each(|r| shared.doorbells[r.index()].ring_if_parked());
                        },
                    }
                    .make(kind)
                    .unwrap();
                    for data in &shared.data {
                        // SAFETY: as above, for writes.
                        assert_eq!(data[parity].with(|d| unsafe { *d }), step);
                    }
                }
            };
            let threads: Vec<_> = (1..n)
                .map(|me| {
                    let shared = shared.clone();
                    loom::thread::spawn(move || run(&shared, me))
                })
                .collect();
            run(&shared, 0);
            threads.into_iter().for_each(|t| t.join().unwrap());
        });
    }

    #[test]
    fn loom_central_two_members_three_steps() {
        model(StepKind::Central, 2, 3, 2);
    }

    #[test]
    fn loom_central_three_members() {
        model(StepKind::Central, 3, 1, 2);
    }

    #[test]
    fn loom_flat_two_members_three_steps() {
        model(StepKind::Flat, 2, 3, 2);
    }

    /// Two of the members are a group.
    #[test]
    fn loom_grouped_three_members() {
        model(StepKind::Grouped, 3, 1, 2);
    }

    #[test]
    fn loom_grouped_two_members_three_steps() {
        model(StepKind::Grouped, 2, 3, 2);
    }

    #[test]
    fn loom_dissemination_three_members() {
        model(StepKind::Dissemination, 3, 1, 1);
    }
}
