//! Every algorithm of every table, as the executor runs it: in messages with a header before the data, with
//! vectors of fewer elements than parts.

use super::*;
use crate::schedules::simulate::{
    Content, End, MAX_PARTICIPANTS, canonical_in_block, simulate_sized,
};
use crate::schedules::{OnReceipt, Transfer};
use crate::select::Named;

const NUMBERS: [usize; 14] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 33, 100];
const COUNTS: [usize; 4] = [0, 1, 5, 1000];

/// The counts, in Miri without the large one.
fn counts() -> impl Iterator<Item = usize> {
    COUNTS.into_iter().filter(|&count| count < 1000 || !cfg!(miri))
}

/// Those of the numbers that tests simulate.
fn numbers() -> impl Iterator<Item = usize> {
    NUMBERS.into_iter().filter(|&n| n <= MAX_PARTICIPANTS)
}

/// The executor exchanges the headers of a round's two messages before their data.
fn with_headers(rounds: Rounds) -> Vec<Round> {
    let header = |round: &Round| {
        let nothing = |transfer: &Transfer| Transfer { peer: transfer.peer, blocks: 0..0 };
        let receive = round.receive.as_ref().map(|(from, _)| (nothing(from), OnReceipt::Replace));
        Round { send: round.send.as_ref().map(nothing), receive, combine: None }
    };
    rounds.flat_map(|round| [header(&round), round]).collect()
}

/// Runs plans on `count` elements; participants start with the parts that `start` says.
fn run(
    n: usize,
    count: usize,
    start: impl Fn(usize, usize) -> Content,
    plan: impl Fn(Participant) -> VectorPlan,
) -> Vec<End> {
    let of = |position| plan(Participant { n, position });
    let size = |p: usize, block: usize| {
        let plan = of(p);
        let part = if block < plan.parts { block } else { plan.work.like };
        plan.first(part + 1, count) - plan.first(part, count)
    };
    let start = |p| {
        let plan = of(p);
        let parts = (0..plan.parts).map(|part| start(p, part));
        parts.chain((0..plan.work.count).map(|_| Content::Nothing)).collect()
    };
    simulate_sized(n, size, start, |p| with_headers(of(p).rounds))
}

fn combined(n: usize, end: &End, plan: VectorPlan) -> bool {
    (0..plan.parts).all(|part| end.blocks[part] == canonical_in_block(n, part))
}

#[test]
fn every_algorithm_reduces() {
    for (n, count) in numbers().flat_map(|n| counts().map(move |count| (n, count))) {
        for &(name, algorithm) in LeaderAllreduce::ALL {
            let plan = |who| allreduce(algorithm, who);
            for (position, end) in run(n, count, Content::in_block, plan).iter().enumerate() {
                assert!(combined(n, end, plan(Participant { n, position })), "{name} among {n}");
                assert_eq!(end.heard.count(), n, "{name}");
            }
        }
        for &(name, algorithm) in LeaderReduce::ALL {
            for root in [0, n / 2, n - 1] {
                let plan = |who| reduce(algorithm, who, root);
                let end = &run(n, count, Content::in_block, plan)[root];
                assert!(combined(n, end, plan(Participant { n, position: root })), "{name}, {n}");
                assert_eq!(end.heard.count(), n, "{name}");
            }
        }
    }
}

#[test]
fn every_algorithm_broadcasts() {
    for (n, count) in numbers().flat_map(|n| counts().map(move |count| (n, count))) {
        for &(name, algorithm) in LeaderBroadcast::ALL {
            for root in [0, n / 2, n - 1] {
                let start = |p, part| {
                    if p == root { Content::in_block(root, part) } else { Content::Nothing }
                };
                let plan = |who| broadcast(algorithm, who, root, 100 * count);
                for end in run(n, count, start, plan) {
                    let parts = (0..end.blocks.len()).map(|part| Content::in_block(root, part));
                    assert!(parts.eq(end.blocks), "{name} among {n}");
                }
            }
        }
    }
}

#[test]
fn every_algorithm_gathers() {
    for n in numbers() {
        for &(name, algorithm) in LeaderAllgather::ALL {
            let of = |position| allgather(algorithm, Participant { n, position });
            let owner = |p: usize, block: usize| (of(p).first + block) % n;
            let start = |p| {
                let own =
                    |block| if owner(p, block) == p { Content::leaf(p) } else { Content::Nothing };
                (0..n).map(own).collect()
            };
            let size = |p, block| owner(p, block) % 3;
            let ends = simulate_sized(n, size, start, |p| with_headers(of(p).rounds));
            for (p, end) in ends.into_iter().enumerate() {
                assert!(
                    (0..n).map(|block| Content::leaf(owner(p, block))).eq(end.blocks),
                    "{name}"
                );
                assert_eq!(end.heard.count(), n, "{name}");
            }
        }
    }
}

#[test]
fn every_barrier_waits_for_all() {
    for n in 1..=MAX_PARTICIPANTS {
        for &(name, algorithm) in LeaderBarrier::ALL {
            let rounds = |position| with_headers(barrier(algorithm, Participant { n, position }));
            for end in simulate_sized(n, |_, _| 0, |_| vec![], rounds) {
                assert_eq!(end.heard.count(), n, "{name}");
            }
        }
    }
}

#[test]
fn a_broadcast_between_two_needs_few_handshakes() {
    let segment = |n, algorithm| {
        let plan = broadcast(algorithm, Participant { n, position: 0 }, 0, 100 << 20);
        plan.segment(100 << 20, 1, FABRIC_CHUNK)
    };
    for algorithm in [LeaderBroadcast::Flat, LeaderBroadcast::Binomial] {
        assert_eq!([2, 3].map(|n| segment(n, algorithm)), [8 * FABRIC_CHUNK, FABRIC_CHUNK]);
    }
    assert_eq!(segment(2, LeaderBroadcast::Chain), 100 << 20);
}

#[test]
fn parts_cover_a_vector_once() {
    for (n, count) in [(1, 0), (3, 2), (7, 100), (8, 8), (5, usize::MAX)] {
        let plan = allreduce(LeaderAllreduce::Ring, Participant { n, position: 0 });
        assert_eq!((plan.first(0, count), plan.first(plan.parts, count)), (0, count));
        assert!((0..plan.parts).all(|part| plan.first(part, count) <= plan.first(part + 1, count)));
    }
}
