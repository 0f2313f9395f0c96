//! The steps of a participant, from the plans and schedules that images execute.

use crate::engine::Step;
use std::ops::Range;
use xmp_collectives::plan::{AllgatherPlan, CHUNK, Rounds, VectorPlan};
use xmp_collectives::schedules::{OnReceipt, Round};

/// The steps of one participant.
pub type Steps = Box<dyn Iterator<Item = Step>>;

/// The steps of rounds without data.
pub fn of_rounds(rounds: Rounds) -> Steps {
    Box::new(rounds.map(|round| step(&round, |_| 0)))
}

/// The steps of a vector of `count` elements of `element` bytes: segment after segment goes through the plan.
pub fn of_vector(count: usize, element: usize, plan: impl Fn() -> VectorPlan + 'static) -> Steps {
    let segment = plan().segment(count, element, CHUNK).max(1);
    Box::new((0..count).step_by(segment).flat_map(move |from| {
        let count = segment.min(count - from);
        let VectorPlan { parts, work, rounds, .. } = plan();
        let first = move |part: usize| (part as u128 * count as u128 / parts as u128) as usize;
        let part_bytes = move |from: usize, to: usize| (first(to) - first(from)) * element;
        let bytes = move |blocks: &Range<usize>| match (blocks.is_empty(), blocks.start < parts) {
            (true, _) => 0,
            (false, true) => part_bytes(blocks.start, blocks.end),
            (false, false) => part_bytes(work.like, work.like + 1),
        };
        rounds.map(move |round| step(&round, bytes))
    }))
}

/// The steps of a gathering in which each member contributes `bytes`.
pub fn of_gathering(gathering: AllgatherPlan, bytes: usize) -> Steps {
    Box::new(gathering.rounds.map(move |round| step(&round, |blocks| blocks.len() * bytes)))
}

/// A message without data in both directions between any two of `n`, as in SYNC IMAGES.
pub fn of_all_pairs(n: usize, position: usize) -> Steps {
    Box::new((1..n).map(move |k| Step {
        send: Some(((position + k) % n, 0)),
        receive: Some(((position + n - k) % n, 0)),
        combine: 0,
    }))
}

fn step(round: &Round, bytes: impl Fn(&Range<usize>) -> usize) -> Step {
    let receive =
        round.receive.as_ref().map(|(from, then)| (from.peer, bytes(&from.blocks), *then));
    let received = match receive {
        Some((_, bytes, OnReceipt::Before | OnReceipt::After)) => bytes,
        _ => 0,
    };
    let operands = round.combine.as_ref().map_or(0, |operands| {
        bytes(&(operands.own..operands.own + 1)) * operands.all.len().saturating_sub(1)
    });
    Step {
        send: round.send.as_ref().map(|to| (to.peer, bytes(&to.blocks))),
        receive: receive.map(|(peer, bytes, _)| (peer, bytes)),
        combine: received + operands,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xmp_collectives::plan::{self, Participant};
    use xmp_collectives::select::{LeaderAllgather, LeaderAllreduce, LeaderBroadcast, Named};

    fn sent(steps: Steps) -> usize {
        steps.filter_map(|step| step.send).map(|(_, bytes)| bytes).sum()
    }

    #[test]
    fn a_ring_moves_the_minimum_and_recursive_doubling_all_data_each_round() {
        let total = |algorithm, n| -> usize {
            let of = |position| {
                of_vector(1000, 8, move || plan::allreduce(algorithm, Participant { n, position }))
            };
            (0..n).map(|position| sent(of(position))).sum()
        };
        assert_eq!(total(LeaderAllreduce::Ring, 5), 2 * 4 * 8000);
        assert_eq!(total(LeaderAllreduce::RecursiveDoubling, 8), 8 * 3 * 8000);
        assert_eq!(total(LeaderAllreduce::Rabenseifner, 8), 2 * 7 * 8000);
    }

    #[test]
    fn long_vectors_go_in_segments_and_lose_nothing() {
        let bytes = 20 * plan::CHUNK + 8;
        for &(name, algorithm) in LeaderBroadcast::ALL {
            let root = of_vector(bytes / 8, 8, move || {
                plan::broadcast(algorithm, Participant { n: 2, position: 0 }, 0, bytes)
            });
            assert!(sent(root) >= bytes, "{name}");
        }
    }

    #[test]
    fn every_member_gets_all_other_contributions() {
        for n in [2, 3, 8, 13] {
            for &(name, algorithm) in LeaderAllgather::ALL {
                let gathering = |position| plan::allgather(algorithm, Participant { n, position });
                let received = |position| -> usize {
                    let steps = of_gathering(gathering(position), 10);
                    steps.filter_map(|step| step.receive).map(|(_, bytes)| bytes).sum()
                };
                assert!((0..n).all(|position| received(position) >= 10 * (n - 1)), "{name}, {n}");
            }
        }
    }

    #[test]
    fn all_pairs_meet() {
        let partners: Vec<usize> =
            of_all_pairs(4, 1).filter_map(|step| step.send).map(|(to, _)| to).collect();
        assert_eq!(partners, [2, 3, 0]);
    }
}
