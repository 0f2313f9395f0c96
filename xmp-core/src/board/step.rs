//! The three ways to make a step; protocols and orderings are argued in `README.md`.
//!
//! Written over the shared structures only, so that loom can model them.

use super::layout::{Head, Member};
use crate::error::Result;
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
}

impl StepKind {
    /// The best way for `members` images, measured (`crowded`: images share cores).
    pub fn choose(members: usize, crowded: bool) -> StepKind {
        match members {
            _ if crowded => StepKind::Central,
            0..=8 => StepKind::Flat,
            _ => StepKind::Dissemination,
        }
    }

    /// The way with this name, as in `XMP_COLL=barrier:central`.
    pub fn by_name(name: &str) -> Option<StepKind> {
        Some(match name {
            "central" => StepKind::Central,
            "flat" => StepKind::Flat,
            "dissemination" => StepKind::Dissemination,
            _ => return None,
        })
    }
}

/// One member's view of a board, for the length of one step.
pub struct Stepper<'a, P, W, R> {
    /// Shared counters.
    pub head: &'a Head,
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
    /// Rings every member that sleeps.
    pub ring_all: R,
}

impl<'a, P: Fn() -> Waits<'a>, W: Fn() -> Result<()>, R: Fn()> Stepper<'a, P, W, R> {
    /// Enters the step and returns when all members have.
    #[inline]
    pub fn make(&self, kind: StepKind) -> Result<()> {
        match kind {
            StepKind::Central => self.central(),
            StepKind::Flat => self.flat(),
            StepKind::Dissemination => self.dissemination(),
        }
    }

    #[inline]
    fn central(&self) -> Result<()> {
        let release = &*self.head.release;
        // AcqRel: acquires what earlier arrivals wrote, releases what this one wrote.
        let arrived = self.head.arrivals.fetch_add(1, Ordering::AcqRel) + 1;
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
        let parity = (self.step % 2) as usize;
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
        // This member has sent all its flags: its end from now on is no concern of those still waiting. Release:
        // ordered after the flags for who sees it.
        self.members[self.me].slots[parity].step.store(self.step, Ordering::Release);
        Ok(())
    }

    /// Stores the step number for others to see and wakes who sleeps.
    #[inline]
    fn publish(&self, word: &AtomicU64) {
        // Release: everything this member wrote, and saw, before. The fence is the notifier's side of the
        // gate protocol (wait/README.md).
        store_then_fence(word, self.step);
        if self.head.release.sleepers.load(Ordering::Relaxed) != 0 {
            (self.ring_all)();
        }
    }

    #[inline]
    fn wait_for(&self, mut ready: impl FnMut() -> bool) -> Result<()> {
        if ready() {
            return Ok(());
        }
        (self.waits)().until_gate(&self.head.release.sleepers, &self.watch, ready)
    }
}

#[cfg(all(test, loom))]
mod model {
    use super::*;
    use crate::board::layout::{Release, Slot};
    use crate::job::page::{Status, Waiting};
    use crate::sync::{AtomicU32, Padded};
    use crate::wait::Doorbell;
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;

    struct Shared {
        head: Head,
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

    /// `steps` steps of `n` members, each with data that everybody reads: loom reports a read or a
    /// write of a buffer that the step does not order, and a member that is never woken.
    fn model(kind: StepKind, n: usize, steps: u64, preemptions: usize) {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(preemptions);
        builder.check(move || {
            let shared = Arc::new(Shared {
                head: Head {
                    arrivals: Padded(AtomicU64::new(0)),
                    release: Padded(Release {
                        steps: AtomicU64::new(0),
                        sleepers: AtomicU32::new(0),
                    }),
                },
                members: (0..n).map(|_| member()).collect(),
                doorbells: (0..n).map(|_| Doorbell::default()).collect(),
                status: Status::default(),
                data: (0..n).map(|_| std::array::from_fn(|_| UnsafeCell::new(0))).collect(),
            });
            let run = move |shared: &Shared, me: usize| {
                for step in 1..=steps {
                    let parity = (step % 2) as usize;
                    // SAFETY: loom checks that nobody reads this buffer now.
                    shared.data[me][parity].with_mut(|d| unsafe { *d = step });
                    let waiting = Waiting { spin_ns: 0, yields: 0, crowded: 1 };
                    Stepper {
                        head: &shared.head,
                        members: &shared.members,
                        me,
                        step,
                        waits: || Waits::new(&shared.doorbells[me], &shared.status, waiting),
                        watch: || Ok(()),
                        ring_all: || shared.doorbells.iter().for_each(Doorbell::ring_if_parked),
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

    #[test]
    fn loom_dissemination_three_members() {
        model(StepKind::Dissemination, 3, 1, 1);
    }
}
