//! An image that stops before, in and after each collective, with every algorithm between leaders: no image hangs,
//! none gets a wrong result, and the others go on.

use crate::common::{elements, message, random};
use std::time::{Duration, Instant};
use xmp_collectives::host::reduce::Operand;
use xmp_collectives::leaders::{CollCall, Vector, run_on_vector};
use xmp_collectives::plan::{self, Participant, VectorPlan};
use xmp_collectives::reduce::reduce_with;
use xmp_collectives::select::{
    Choices, Forced, HostMove, HostReduce, LeaderAllgather, LeaderAllreduce, LeaderBarrier,
    LeaderBroadcast, LeaderReduce, Named,
};
use xmp_collectives::{Op, Reduction};
use xmp_core::image_set::{ImageSet, Members};
use xmp_core::job::page::ImageState;
use xmp_core::transport::threads;
use xmp_core::{Error, Image, Rank, Result};

/// Images and hosts: leaders only, one host by messages, and both levels.
const SHAPES: [(u32, u32); 6] = [(2, 2), (3, 1), (5, 5), (6, 1), (7, 3), (8, 8)];
/// Doubles: fewer than participants, and more than fit into a packet.
const COUNTS: [usize; 2] = [3, 3000];

/// An operation of one image, which checks its result when it gets one.
struct Case {
    name: String,
    choices: Choices,
    run: fn(&Image, &ImageSet, usize, usize, &Choices) -> Result<()>,
    /// Who is sure to learn of an image that has stopped before: all, the root, or all when it is the root.
    learns: Learns,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Learns {
    All,
    Root,
    OfRoot,
}

/// Every algorithm, between hosts with collective areas on them and with messages everywhere.
fn cases() -> Vec<Case> {
    fn forced<H: Copy, L: Named>(messages: H) -> Vec<(&'static str, Forced<H, L>)> {
        let both = |&(name, leaders): &(&'static str, L)| {
            [None, Some(messages)].map(|host| (name, Forced { host, leaders: Some(leaders) }))
        };
        L::ALL.iter().flat_map(both).collect()
    }
    let case = |name, choices, run, learns| Case { name, choices, run, learns };
    let mut cases = Vec::new();
    for &(name, algorithm) in LeaderBarrier::ALL {
        let choices = Choices { barrier: Some(algorithm), ..Choices::default() };
        cases.push(case(format!("barrier {name}"), choices, barrier, Learns::All));
    }
    for (name, forced) in forced::<_, LeaderAllreduce>(HostReduce::Messages) {
        let choices = Choices { allreduce: forced, ..Choices::default() };
        cases.push(case(format!("allreduce {name}"), choices, allreduce, Learns::All));
    }
    for (name, forced) in forced::<_, LeaderAllgather>(HostMove::Messages) {
        let choices = Choices { allgather: forced, ..Choices::default() };
        cases.push(case(format!("allgather {name}"), choices, allgather, Learns::All));
    }
    for (name, forced) in forced::<_, LeaderReduce>(HostReduce::Messages) {
        let choices = Choices { reduce: forced, ..Choices::default() };
        cases.push(case(format!("reduce {name}"), choices, reduce, Learns::Root));
    }
    for (name, forced) in forced::<_, LeaderBroadcast>(HostMove::Messages) {
        let choices = Choices { broadcast: forced, ..Choices::default() };
        cases.push(case(format!("broadcast {name}"), choices, broadcast, Learns::OfRoot));
    }
    cases
}

fn barrier(image: &Image, set: &ImageSet, _: usize, _: usize, choices: &Choices) -> Result<()> {
    xmp_collectives::barrier::barrier_with(image, set, choices)
}

/// Whole numbers, so that sums are exact in any order.
fn number(image: usize, index: usize) -> f64 {
    (random(image, index, 4) % 1000) as f64
}

/// What an image of a set brings, and the sum of all.
fn operand(set: &ImageSet, count: usize) -> (Vec<f64>, Vec<f64>) {
    let me = set.ranks().nth(set.position().unwrap()).unwrap().index();
    let own = (0..count).map(|index| number(me, index)).collect();
    let sum = |index| set.ranks().map(|rank| number(rank.index(), index)).sum();
    (own, (0..count).map(sum).collect())
}

fn allreduce(
    image: &Image,
    set: &ImageSet,
    _: usize,
    count: usize,
    choices: &Choices,
) -> Result<()> {
    let (mut data, expected) = operand(set, count);
    let reduction = &Reduction::number::<f64>(Op::Sum);
    let all = Operand { elements: elements(&mut data, reduction), to: None };
    reduce_with(image, set, &all, choices)?;
    assert!(data == expected);
    Ok(())
}

fn reduce(
    image: &Image,
    set: &ImageSet,
    root: usize,
    count: usize,
    choices: &Choices,
) -> Result<()> {
    let (mut data, expected) = operand(set, count);
    let reduction = &Reduction::number::<f64>(Op::Sum);
    let one = Operand { elements: elements(&mut data, reduction), to: Some(root) };
    reduce_with(image, set, &one, choices)?;
    assert!(set.position() != Some(root) || data == expected);
    Ok(())
}

fn allgather(
    image: &Image,
    set: &ImageSet,
    _: usize,
    count: usize,
    choices: &Choices,
) -> Result<()> {
    use xmp_collectives::host::allgather::{Contribution, Offsets};
    let (own, _) = operand(set, count);
    let mine: Vec<u8> = own.into_iter().flat_map(f64::to_ne_bytes).collect();
    let mut all = vec![0; mine.len() * set.len()];
    let offsets = Offsets::Equal(mine.len());
    let mut contribution = Contribution { mine: &mine, all: &mut all, offsets };
    xmp_collectives::allgather::allgather_with(image, set, &mut contribution, choices)?;
    let expected = set.ranks().flat_map(|rank| (0..count).map(move |i| number(rank.index(), i)));
    assert!(expected.flat_map(f64::to_ne_bytes).eq(all));
    Ok(())
}

fn broadcast(
    image: &Image,
    set: &ImageSet,
    root: usize,
    count: usize,
    choices: &Choices,
) -> Result<()> {
    let mut data = vec![set.position().unwrap(); count];
    let message = message(&mut data, root);
    xmp_collectives::broadcast::broadcast_with(image, set, message, choices)?;
    assert!(data.iter().all(|&x| x == root));
    Ok(())
}

/// The images without one.
fn without(image: &Image, stopped: u32) -> std::rc::Rc<ImageSet> {
    let others = (0..image.job().images() as u32).filter(|&i| i != stopped).map(Rank::new);
    image.set(Members::from_list(&others.collect::<Vec<_>>()).unwrap()).unwrap()
}

/// A root and an image that stops, which depend on the shape.
fn chosen(images: u32, hosts: u32) -> (usize, u32) {
    let any = |salt| random(images as usize, hosts as usize, salt) % u64::from(images);
    (any(1) as usize, any(2) as u32)
}

#[test]
fn before() {
    for (images, hosts) in SHAPES {
        for (case, count) in cases().iter().flat_map(|case| COUNTS.map(|count| (case, count))) {
            let (root, stops) = chosen(images, hosts);
            let outcomes = threads::run(images, hosts, |image| {
                let set = image.executing();
                if image.rank().get() == stops {
                    return None;
                }
                // Twice: the channels stay in step after an error. Then with the others only.
                let outcomes = [0, 1].map(|_| (case.run)(image, &set, root, count, &case.choices));
                let others = without(image, stops);
                let last = (case.run)(image, &others, others.len() - 1, count, &case.choices);
                assert!(
                    last.is_ok(),
                    "{} of {count}: {images} on {hosts} hosts, {stops} stopped: {last:?}",
                    case.name
                );
                Some(outcomes)
            })
            .unwrap();
            for (position, outcome) in outcomes.into_iter().enumerate() {
                let sure = match case.learns {
                    Learns::All => true,
                    Learns::Root => position == root,
                    Learns::OfRoot => stops as usize == root,
                };
                for outcome in outcome.into_iter().flatten() {
                    let stopped = matches!(outcome, Err(Error::StoppedImage(_)));
                    assert!(
                        stopped || !sure && outcome.is_ok(),
                        "{} of {count}: {images} on {hosts} hosts: {outcome:?}",
                        case.name
                    );
                }
            }
        }
    }
}

/// Image 2 has stopped; image 1 is told of that, gives what the others need of it without waiting for them, and ends;
/// only then image 0 comes to the operation in which image 1 was told. What it is told is not that image 1 has stopped:
/// that one has done its part of what the others do without image 2. Images of three hosts, and of one.
#[test]
fn survivor_that_terminates_is_not_reported_as_root_cause() {
    fn wait_for_end(image: &Image, other: u32) {
        let begin = Instant::now();
        while image.job().state(Rank::new(other)) != ImageState::Stopped {
            assert!(begin.elapsed() < Duration::from_secs(600), "image {other} does not end");
            std::thread::yield_now();
        }
    }
    let give = |image: &Image, set: &ImageSet, case: &Case| {
        // Lines that are delivered, whatever the tables say.
        let host = Some(HostReduce::Slots);
        let choices = Choices { reduce: Forced { host, ..case.choices.reduce }, ..case.choices };
        (case.run)(image, set, 0, 3, &choices)
    };
    for (images, hosts) in [(7, 3), (3, 1)] {
        for case in cases().iter().filter(|case| case.learns == Learns::Root) {
            let outcomes = threads::run(images, hosts, |image| {
                let set = image.executing();
                match image.rank().get() {
                    0 => wait_for_end(image, 1),
                    1 => wait_for_end(image, 2),
                    2 => return None,
                    _ => {}
                }
                let outcome = give(image, &set, case);
                let last = give(image, &without(image, 2), case);
                assert!(last.is_ok(), "{}: {images} on {hosts} hosts: {last:?}", case.name);
                Some(outcome)
            })
            .unwrap();
            let told = |image: usize| outcomes[image].clone().unwrap();
            assert_eq!(told(1), Err(Error::StoppedImage(Rank::new(2))), "{}", case.name);
            // On one host no image passes on what it has learnt: there either end may be the error, and keeps no image
            // from other sets.
            let either = hosts == 1 && matches!(told(0), Err(Error::StoppedImage(_)));
            assert!(either || told(0) == told(1), "{}: {:?}", case.name, told(0));
        }
    }
}

#[test]
fn after() {
    for (images, hosts) in SHAPES {
        for (case, count) in cases().iter().flat_map(|case| COUNTS.map(|count| (case, count))) {
            let (root, stops) = chosen(images, hosts);
            let outcomes = threads::run(images, hosts, |image| {
                (case.run)(image, &image.executing(), root, count, &case.choices)?;
                if image.rank().get() != stops {
                    let others = without(image, stops);
                    (case.run)(image, &others, 0, count, &case.choices)?;
                }
                Ok::<_, Error>(())
            })
            .unwrap();
            assert!(outcomes.iter().all(Result::is_ok), "{}: {outcomes:?}", case.name);
        }
    }
}

/// What an image must have at the end of a plan, if it must have something.
type Expected = fn(&ImageSet, usize, usize) -> Option<Vec<f64>>;

/// Runs a plan among five images, one of which stops after each possible number of rounds: the others get to the end,
/// where the call status is good the result is right, and the channels between the others are in step afterwards.
fn stops_in(name: &str, plan: impl Fn(Participant) -> VectorPlan + Sync, expected: Expected) {
    const IMAGES: usize = 5;
    for (count, stops) in [(2, 1), (3000, 0), (3000, 4)] {
        let all_rounds = plan(Participant { n: IMAGES, position: stops }).rounds.count();
        for rounds in 0..all_rounds {
            threads::run(IMAGES as u32, IMAGES as u32, |image| {
                let who = Participant { n: IMAGES, position: image.rank().index() };
                let most = if who.position == stops { rounds } else { usize::MAX };
                let plan = || {
                    let plan = plan(who);
                    VectorPlan { rounds: Box::new(plan.rounds.take(most)), ..plan }
                };
                let set = image.executing();
                let (mut data, _) = operand(&set, count);
                let peer = |position| Rank::new(position as u32);
                let sum = Reduction::number::<f64>(Op::Sum);
                let vector = Vector::elements(&elements(&mut data, &sum));
                let mut coll = CollCall::new(image, &set);
                run_on_vector(image, peer, plan, vector, &mut coll).unwrap();
                if who.position == stops {
                    return;
                }
                let expected = expected(&set, who.position, count).filter(|_| coll.is_good());
                assert!(
                    expected.is_none_or(|expected| expected == data),
                    "{name} of {count}: {stops} stops after {rounds} of {all_rounds} rounds"
                );
                let others = without(image, stops as u32);
                allreduce(image, &others, 0, count, &Choices::default()).unwrap();
            })
            .unwrap();
        }
    }
}

#[test]
fn within() {
    const ROOT: usize = 2;
    for &(name, algorithm) in LeaderAllreduce::ALL {
        let plan = |who| plan::allreduce(algorithm, who);
        stops_in(name, plan, |set, _, count| Some(operand(set, count).1));
    }
    for &(name, algorithm) in LeaderReduce::ALL {
        let plan = |who| plan::reduce(algorithm, who, ROOT);
        stops_in(name, plan, |set, me, count| (me == ROOT).then(|| operand(set, count).1));
    }
    for &(name, algorithm) in LeaderBroadcast::ALL {
        let plan = |who| plan::broadcast(algorithm, who, ROOT, 24_000);
        stops_in(name, plan, |_, _, count| Some((0..count).map(|i| number(ROOT, i)).collect()));
    }
}
