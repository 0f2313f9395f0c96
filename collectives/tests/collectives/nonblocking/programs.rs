//! Programs with many operations in flight.

use crate::common::{Dice, random, sets};
use std::rc::Rc;
use xmp_collectives::nonblocking::{self, Handle};
use xmp_collectives::{Op, barrier};
use xmp_core::image_set::{ImageSet, Members};
use xmp_core::transport::threads;
use xmp_core::{Image, Rank, Result};

/// What an image got from one operation.
type Outcome = (usize, Vec<u64>);

/// An operation in flight: its number in the program, and what it will give.
enum InFlight<'i> {
    Barrier(usize, Handle<'i, ()>),
    Data(usize, Handle<'i, Vec<u64>>),
}

impl InFlight<'_> {
    fn test(&self) -> Result<bool> {
        match self {
            InFlight::Barrier(_, handle) => handle.test(),
            InFlight::Data(_, handle) => handle.test(),
        }
    }

    fn wait(self) -> Result<Outcome> {
        match self {
            InFlight::Barrier(number, handle) => handle.wait().map(|()| (number, vec![])),
            InFlight::Data(number, handle) => handle.wait().map(|data| (number, data)),
        }
    }
}

/// What image `rank` brings to operation `number`.
fn operand(rank: Rank, number: usize, len: usize) -> Vec<u64> {
    (0..len).map(|i| random(rank.index(), i, number as u64)).collect()
}

/// The operation that the dice choose: begun, and what its data should be in the end if this image gets some.
fn begin<'i>(
    image: &'i Image,
    set: &ImageSet,
    number: usize,
    dice: &Dice,
) -> (InFlight<'i>, Option<Vec<u64>>) {
    let kind = dice.roll(5);
    let len = [0, 1, 3, 1000, 1024, 2500, 12_000][dice.roll(7)];
    let root = dice.roll(set.len());
    let is_root = set.position() == Some(root);
    let root_rank = set.rank_at(root).unwrap();
    let mine = operand(image.rank(), number, len);
    let sum = || {
        let mut sum = vec![0u64; len];
        for rank in set.ranks() {
            sum.iter_mut()
                .zip(operand(rank, number, len))
                .for_each(|(x, y)| *x = x.wrapping_add(y));
        }
        sum
    };
    let (handle, expected) = match kind {
        0 => return (InFlight::Barrier(number, nonblocking::barrier(image, set)), Some(vec![])),
        1 => {
            let data = if is_root { mine } else { vec![0; len] };
            let expected = Some(operand(root_rank, number, len));
            (nonblocking::broadcast(image, set, root, data).unwrap(), expected)
        }
        2 => {
            let handle = nonblocking::reduce(image, set, root, mine, Op::Sum).unwrap();
            (handle, is_root.then(sum))
        }
        3 => (nonblocking::allreduce(image, set, mine, Op::Sum), Some(sum())),
        _ => {
            let all = set.ranks().flat_map(|rank| operand(rank, number, len)).collect();
            (nonblocking::allgather(image, set, &mine), Some(all))
        }
    };
    (InFlight::Data(number, handle), expected)
}

/// All images go through the same list of operations on several sets - each leaves out those on sets that it is
/// not in - and complete them in an order of their own, some of them during blocking operations.
fn random_program(image: &Image, seed: u64) {
    let all = image.executing();
    let mut sets: Vec<(bool, Rc<ImageSet>)> = Vec::new();
    let n = image.job().images() as u32;
    for list in [
        (0..n).collect::<Vec<u32>>(),
        (0..n).rev().collect(),
        (0..n).step_by(2).collect(),
        (0..n.div_ceil(2)).collect(),
        (n / 2..n).collect(),
    ] {
        let ranks: Vec<Rank> = list.into_iter().map(Rank::new).collect();
        let set = image.set(Members::from_list(&ranks).unwrap()).unwrap();
        sets.push((set.position().is_some(), set));
    }
    let common = Dice::new(seed * 10_000);
    let own = Dice::new(seed * 10_000 + 5000 + 100 * u64::from(image.rank().get()));
    let mut in_flight = Vec::new();
    let mut expected = Vec::new();
    let mut outcomes = Vec::new();
    for number in 0..40 {
        let (member, set) = &sets[common.roll(sets.len())];
        let dice = Dice::new(seed * 10_000 + 3000 + 10 * number as u64);
        if *member {
            let (handle, result) = begin(image, set, number, &dice);
            in_flight.push(handle);
            expected.push((number, result));
        }
        match common.roll(12) {
            0 => barrier(image, &all).unwrap(),
            1 => {
                let mut data = [1.0; 300];
                xmp_collectives::allreduce(image, &all, &mut data, Op::Sum).unwrap();
                assert_eq!(data, [f64::from(n); 300]);
            }
            _ => {}
        }
        match own.roll(4) {
            0 if !in_flight.is_empty() => {
                // Waiting for the oldest cannot deadlock: each image begins it before it waits for a later one.
                outcomes.push(in_flight.remove(0).wait().unwrap());
            }
            1 => in_flight.retain(|handle| !handle.test().unwrap() || own.roll(2) == 0),
            _ => {}
        }
    }
    while !in_flight.is_empty() {
        let at = own.roll(in_flight.len());
        outcomes.push(in_flight.swap_remove(at).wait().unwrap());
    }
    for (number, data) in outcomes {
        let (_, result) = expected.iter().find(|(known, _)| *known == number).unwrap();
        assert!(result.as_ref().is_none_or(|result| *result == data), "operation {number}");
    }
    // Handles that were dropped leave operations that go on after this.
    barrier(image, &all).unwrap();
}

#[test]
fn random_programs() {
    for images in [1, 2, 3, 4, 7, 8] {
        for hosts in (1..=2).filter(|&hosts| hosts <= images) {
            for seed in 1..=3 {
                let seed = seed + u64::from(100 * images + 10 * hosts);
                threads::run(images, hosts, |image| random_program(image, seed)).unwrap();
            }
        }
    }
}

/// Image 0 waits for an operation that the others have begun before they wait, blocked, for image 0.
#[test]
fn an_image_in_a_blocking_wait_goes_on_with_its_operations() {
    for (images, hosts) in [(2, 1), (2, 2), (5, 1), (5, 2), (8, 3)] {
        threads::run(images, hosts, |image| {
            for set in sets(image).into_iter().take(2) {
                for len in [1, 1000, 100_000] {
                    let sum = nonblocking::allreduce(image, &set, vec![1u32; len], Op::Sum);
                    if image.rank().get() == 0 {
                        assert_eq!(sum.wait().unwrap(), vec![images; len]);
                        barrier(image, &set).unwrap();
                    } else {
                        barrier(image, &set).unwrap();
                        assert_eq!(sum.wait().unwrap(), vec![images; len]);
                    }
                }
            }
        })
        .unwrap();
    }
}

/// Two sets, and two images that begin their operations in different order.
#[test]
fn operations_of_different_sets_have_no_order() {
    threads::run(3, 1, |image| {
        let all = image.executing();
        let pair = image.set(Members::range(Rank::new(0), 1, 2).unwrap()).unwrap();
        let big = vec![u64::from(image.rank().get()); 50_000];
        let of_all = || nonblocking::allreduce(image, &all, big.clone(), Op::Max);
        let of_pair = || nonblocking::allreduce(image, &pair, big.clone(), Op::Max);
        for _ in 0..3 {
            match image.rank().get() {
                0 => {
                    let first: Vec<_> = (0..50).map(|_| of_pair()).collect();
                    assert_eq!(of_all().wait().unwrap(), vec![2; 50_000]);
                    first.into_iter().for_each(|h| assert_eq!(h.wait().unwrap()[0], 1));
                }
                1 => {
                    assert_eq!(of_all().wait().unwrap(), vec![2; 50_000]);
                    (0..50).for_each(|_| assert_eq!(of_pair().wait().unwrap()[9], 1));
                }
                _ => assert_eq!(of_all().wait().unwrap(), vec![2; 50_000]),
            }
        }
    })
    .unwrap();
}

/// Operations whose handles are dropped or forgotten are completed all the same, for the others.
#[test]
fn an_operation_without_a_handle_goes_on() {
    for hosts in [1, 2] {
        threads::run(4, hosts, |image| {
            let set = image.executing();
            for round in 0..20u64 {
                let sum = nonblocking::allreduce(image, &set, vec![round; 30_000], Op::Sum);
                match (image.rank().get() as u64 + round) % 4 {
                    0 => drop(sum),
                    1 => std::mem::forget(sum),
                    _ => assert_eq!(sum.wait().unwrap(), vec![4 * round; 30_000]),
                }
            }
            barrier(image, &set).unwrap();
            nonblocking::barrier(image, &set).wait().unwrap();
        })
        .unwrap();
    }
}

/// An image computes while the others wait; what it looks after now and then is complete at last.
#[test]
fn operations_go_on_when_they_are_looked_after() {
    threads::run(4, 2, |image| {
        let set = image.executing();
        let sum = nonblocking::allreduce(image, &set, vec![1.0; 10_000], Op::Sum);
        let mut x = 1.0f64;
        while !sum.test().unwrap() {
            (0..1000).for_each(|i| x = (x + f64::from(i)).sqrt());
        }
        assert!(x.is_finite());
        assert_eq!(sum.test(), Ok(true));
        assert_eq!(sum.wait().unwrap(), [4.0; 10_000]);
    })
    .unwrap();
}
