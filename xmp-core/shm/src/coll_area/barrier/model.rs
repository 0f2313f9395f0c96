//! Loom models of the barriers.

use super::*;
use crate::coll_area::groups::groups;
use crate::coll_area::layout::{Arrivals, Flows, Slot, nodes};
use crate::job::page::{Place, Status, Waiting};
use crate::sync::{AtomicU32, Padded};
use crate::wait::{AdaptiveSpin, Doorbell};
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
        Padded(Slot { epoch: AtomicU64::new(0), data: std::array::from_fn(|_| AtomicU64::new(0)) })
    };
    let word = || Padded(AtomicU64::new(0));
    let flags = || std::array::from_fn(|_| word());
    let description = || Padded(std::array::from_fn(|_| AtomicU64::new(0)));
    let flows = || {
        let word = || AtomicU64::new(0);
        Padded(Flows { epoch: word(), hash: word(), before: word(), last: word() })
    };
    Member {
        slots: [slot(), slot()],
        flags: [flags(), flags()],
        accessed: word(),
        descriptions: [description(), description()],
        flows: [flows(), flows()],
    }
}

fn node() -> Node {
    Node {
        arrivals: Padded(Arrivals { count: AtomicU64::new(0), calls: AtomicU64::new(0) }),
        release: Padded(Release {
            epochs: AtomicU64::new(0),
            differs: AtomicU64::new(0),
            sleepers: AtomicU32::new(0),
        }),
    }
}

/// The first two members share a cache.
fn place(member: usize) -> Place {
    Place { cache: member.saturating_sub(1) as u32, ..Place::ANYWHERE }
}

/// `epochs` barriers of `n` members, each with data that all members read. Loom reports a read or a write of a buffer
/// that the barrier does not order, and a member that is never woken.
fn model(kind: BarrierAlgorithm, n: usize, epochs: u64, preemptions: usize) {
    model_with_yields(kind, n, epochs, preemptions, 0, |_, _| 7);
}

/// The same of members that call what `call` says, by member and epoch: all find out whether that is the same.
fn model_of_calls(
    kind: BarrierAlgorithm,
    n: usize,
    epochs: u64,
    preemptions: usize,
    call: fn(usize, u64) -> u32,
) {
    model_with_yields(kind, n, epochs, preemptions, 0, call);
}

/// One member calls something else in the first epoch.
fn one_differs(me: usize, epoch: u64) -> u32 {
    if me == 1 && epoch == 1 { 8 } else { 7 }
}

/// With `yields` yields before an image sleeps, and an adaptive spin before a yield.
fn model_with_yields(
    kind: BarrierAlgorithm,
    n: usize,
    epochs: u64,
    preemptions: usize,
    yields: u32,
    call: fn(usize, u64) -> u32,
) {
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
            let spin = AdaptiveSpin::default();
            for epoch in 1..=epochs {
                let parity = (epoch % 2) as usize;
                // SAFETY: loom reports a read of this buffer while it is written.
                shared.data[me][parity].with_mut(|d| unsafe { *d = epoch });
                let waiting = Waiting { spin_ns: 0, yields, crowded: 1 };
                let same = ShmBarrier {
                    nodes: &shared.nodes,
                    groups: &groups,
                    ranks: &ranks,
                    members: &shared.members,
                    me,
                    epoch,
                    call: call(me, epoch),
                    waits: || Waits::new(&shared.doorbells[me], &shared.status, waiting, None),
                    watch: || Ok(()),
                    spin: &spin,
                    ring: |ranks: &[Rank]| {
                        ranks.iter().for_each(|r| shared.doorbells[r.index()].ring_if_parked());
                    },
                }
                .make(kind)
                .unwrap();
                assert_eq!(same, (1..n).all(|other| call(other, epoch) == call(0, epoch)));
                for data in &shared.data {
                    // SAFETY: loom reports a write of this buffer while it is read.
                    assert_eq!(data[parity].with(|d| unsafe { *d }), epoch);
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
    model(BarrierAlgorithm::Central, 2, 3, 2);
}

/// The last arrival and the release fall into each phase of a wait.
#[test]
fn loom_central_two_members_with_adaptive_spin() {
    model_with_yields(BarrierAlgorithm::Central, 2, 2, 2, 1, |_, _| 7);
}

#[test]
fn loom_central_three_members() {
    model(BarrierAlgorithm::Central, 3, 1, 2);
}

#[test]
fn loom_flat_two_members_three_steps() {
    model(BarrierAlgorithm::Flat, 2, 3, 2);
}

#[test]
fn loom_central_members_find_calls_that_differ() {
    model_of_calls(BarrierAlgorithm::Central, 2, 2, 2, one_differs);
    model_of_calls(BarrierAlgorithm::Central, 3, 1, 1, one_differs);
}

#[test]
fn loom_flat_members_find_calls_that_differ() {
    model_of_calls(BarrierAlgorithm::Flat, 2, 2, 2, one_differs);
}

#[test]
fn loom_dissemination_members_find_calls_that_differ() {
    model_of_calls(BarrierAlgorithm::Dissemination, 3, 1, 1, one_differs);
    model_of_calls(BarrierAlgorithm::Dissemination, 2, 3, 2, one_differs);
}

#[test]
fn loom_grouped_members_find_calls_that_differ() {
    model_of_calls(BarrierAlgorithm::Grouped, 2, 2, 2, one_differs);
    model_of_calls(BarrierAlgorithm::Grouped, 3, 1, 1, one_differs);
}

/// Two of the members are a group.
#[test]
fn loom_grouped_three_members() {
    model(BarrierAlgorithm::Grouped, 3, 1, 2);
}

#[test]
fn loom_grouped_two_members_three_steps() {
    model(BarrierAlgorithm::Grouped, 2, 3, 2);
}

#[test]
fn loom_dissemination_three_members() {
    model(BarrierAlgorithm::Dissemination, 3, 1, 1);
}

/// A member arrives and fails while it waits, or as the last arrival before it has compared what the members call. Of the two
/// others one knows of the failure when it waits, the other one may not: both make the barrier and find that the failed one
/// called something else, or neither makes it.
#[test]
fn loom_central_is_made_by_all_or_none() {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(2);
    builder.check(|| {
        let shared = Arc::new((
            [node()],
            [member(), member(), member()],
            [Doorbell::default(), Doorbell::default()],
            Status::default(),
        ));
        let run = |shared: &(_, [Member; 3], [Doorbell; 2], Status), me: usize| {
            let (nodes, members, doorbells, status): (&[Node; 1], _, _, _) =
                (&shared.0, &shared.1, &shared.2, &shared.3);
            let failed = || status.epoch.load(Ordering::Acquire) != 0;
            let watch = || {
                if failed() { Err(crate::error::Error::FailedImage(Rank::new(2))) } else { Ok(()) }
            };
            watch()?;
            ShmBarrier {
                nodes,
                groups: &[],
                ranks: &[Rank::new(0), Rank::new(1)],
                members,
                me,
                epoch: 1,
                call: 1,
                waits: || {
                    let waiting = Waiting { spin_ns: 0, yields: 0, crowded: 1 };
                    Waits::new(&doorbells[me], status, waiting, None)
                },
                watch,
                spin: &AdaptiveSpin::default(),
                ring: |ranks: &[Rank]| {
                    ranks.iter().for_each(|r| doorbells[r.index()].ring_if_parked());
                },
            }
            .make(BarrierAlgorithm::Central)
            .inspect(|&same| assert!(!same, "the third member calls another one"))
        };
        let other = {
            let shared = shared.clone();
            loom::thread::spawn(move || run(&shared, 1).is_ok())
        };
        let third = {
            let shared = shared.clone();
            loom::thread::spawn(move || {
                let (nodes, _, doorbells, status) = &*shared;
                nodes[0].arrivals.calls.fetch_add(2, Ordering::Relaxed);
                nodes[0].arrivals.count.fetch_add(1, Ordering::AcqRel);
                status.epoch.fetch_add(1, Ordering::Release);
                doorbells.iter().for_each(Doorbell::ring);
            })
        };
        let made = run(&shared, 0).is_ok();
        third.join().unwrap();
        assert_eq!(made, other.join().unwrap());
    });
}

/// Image 3 has arrived and failed. Image 0 is notified of that in another set, before it comes to the barrier
/// (`before`), or after it has made it. If before, it does not come. The two others make the barrier if image 0 has,
/// and neither of them hangs if it has not.
fn one_leaves(before: bool) {
    struct Shared {
        nodes: [Node; 1],
        members: [Member; 4],
        doorbells: [Doorbell; 3],
        status: Status,
        told: AtomicU64,
    }
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(2);
    builder.check(move || {
        let shared = Arc::new(Shared {
            nodes: [node()],
            members: [member(), member(), member(), member()],
            doorbells: std::array::from_fn(|_| Doorbell::default()),
            status: Status::default(),
            told: AtomicU64::new(0),
        });
        shared.members[3].slots[1].epoch.store(1, Ordering::Release);
        shared.status.epoch.store(1, Ordering::Release);
        let is_told = |shared: &Shared| {
            crate::failure::revocation::mark(&shared.told, 1);
            shared.status.epoch.fetch_add(1, Ordering::Release);
            shared.doorbells.iter().for_each(Doorbell::ring);
        };
        let run = |shared: &Shared, me: usize| {
            let failed = Err(crate::error::Error::FailedImage(Rank::new(3)));
            let watch = || {
                let made =
                    |member: usize| shared.members[member].slots[1].epoch.load(Ordering::Acquire);
                can_be_made(
                    shared.members.len(),
                    |member| made(member) == 1,
                    |member| if member == 3 { failed.clone() } else { Ok(()) },
                    |member| {
                        // The table as `revocation::of_any` reads it.
                        let left = member == 0 && shared.told.load(Ordering::SeqCst) != 0;
                        if left { failed.clone() } else { Ok(()) }
                    },
                )
            };
            watch()?;
            ShmBarrier {
                nodes: &shared.nodes,
                groups: &[],
                ranks: &[Rank::new(0), Rank::new(1), Rank::new(2)],
                members: &shared.members,
                me,
                epoch: 1,
                call: 0,
                waits: || {
                    let waiting = Waiting { spin_ns: 0, yields: 0, crowded: 1 };
                    Waits::new(&shared.doorbells[me], &shared.status, waiting, None)
                },
                watch,
                spin: &AdaptiveSpin::default(),
                ring: |ranks: &[Rank]| {
                    ranks.iter().for_each(|r| shared.doorbells[r.index()].ring_if_parked());
                },
            }
            .make(BarrierAlgorithm::Flat)
        };
        let others = [1, 2].map(|me| {
            let shared = shared.clone();
            loom::thread::spawn(move || run(&shared, me).is_ok())
        });
        if before {
            is_told(&shared);
        }
        let made = run(&shared, 0).is_ok();
        if !before {
            is_told(&shared);
        }
        assert_ne!(made, before);
        for other in others {
            assert_eq!(other.join().unwrap(), made);
        }
    });
}

#[test]
fn loom_flat_without_a_member_that_revoked_the_set() {
    one_leaves(true);
}

#[test]
fn loom_flat_with_a_member_that_revokes_the_set_after_it() {
    one_leaves(false);
}

/// A member is notified of the failure of another one, revokes the set, goes on in other sets, and stops. An image that
/// looks at it meanwhile gets that failure, or no error yet, but never that this member has stopped.
#[test]
fn loom_a_revoked_member_that_ended_is_not_the_cause() {
    loom::model(|| {
        let told = Arc::new(AtomicU64::new(0));
        let stopped = Arc::new(AtomicU64::new(0));
        let other = {
            let (told, stopped) = (told.clone(), stopped.clone());
            loom::thread::spawn(move || {
                crate::failure::revocation::mark(&told, 1);
                // The store of `failure::publish_stopped`.
                stopped.store(1, Ordering::Release);
            })
        };
        let failed = crate::error::Error::FailedImage(Rank::new(2));
        let outcome = can_be_made(
            1,
            |_| false,
            // The load of `failure::check`.
            |_| match stopped.load(Ordering::Acquire) {
                0 => Ok(()),
                _ => Err(crate::error::Error::StoppedImage(Rank::new(1))),
            },
            // The load of `revocation::of_any` for an image of the same host.
            |_| match told.load(Ordering::Acquire) {
                0 => Ok(()),
                _ => Err(failed.clone()),
            },
        );
        assert!(outcome.is_ok() || outcome == Err(failed));
        other.join().unwrap();
    });
}
