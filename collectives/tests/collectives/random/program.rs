//! The random programs of the images.

use super::operations::{self, Pending};
use crate::common::Dice;
use std::rc::Rc;
use xmp_core::image_set::{ImageSet, Members};
use xmp_core::{Error, Image, Rank, Result};

/// Operations of a program.
const OPERATIONS: usize = 40;

/// How an image ends that does not come to the end of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// All come to the end.
    Regular,
    /// It stops before an operation.
    Stops,
    /// It fails, in a reduction if that is the next operation.
    Fails,
}

/// Runs the program with this seed. All images roll the same dice for it, and dice of their own for what is their own
/// business: what is in segments, and when they complete what they have begun.
pub fn run(image: &Image, seed: u64, end: End) {
    let common = Dice::new(seed + 1_000_000);
    let own = Dice::new(seed + 2_000_000 + 100_000 * u64::from(image.rank().get()));
    let images = image.job().images();
    let sets: Vec<Rc<ImageSet>> = (0..4).map(|_| set(image, &common)).collect();
    let (victim, at) = (Rank::new(common.roll(images) as u32), common.roll(OPERATIONS));
    let mut pending: Vec<(Rc<ImageSet>, Pending<'_>)> = Vec::new();
    // What is done with a set of which an image has ended may fail; nothing else may.
    let check = |set: &ImageSet, outcome: Result<()>| match outcome {
        Ok(()) => {}
        Err(Error::StoppedImage(_) | Error::FailedImage(_))
            if end != End::Regular && set.position_of(victim).is_some() => {}
        Err(error) => panic!("{error}"),
    };
    for number in 0..OPERATIONS {
        let fails = end == End::Fails && number == at;
        if image.rank() == victim && number == at && end == End::Stops {
            return;
        }
        let set = &sets[common.roll(sets.len())];
        let dice = Dice::new(seed * 10_000 + number as u64 * 10);
        if set.position().is_some() {
            let operation = operations::Operation { image, set, number, dice: &dice, own: &own };
            match (fails, common.clone().roll(3)) {
                (true, _) => check(set, operation.reduction_in_which_fails(victim)),
                (_, 0) => pending.push((set.clone(), operation.begin())),
                _ => check(set, operation.run()),
            }
        } else if fails && image.rank() == victim {
            operations::fail();
        }
        common.roll(3);
        match own.roll(6) {
            // Waiting for the oldest is always possible: each image begins it before it waits for a later one.
            0 if !pending.is_empty() => {
                let (set, operation) = pending.remove(0);
                check(&set, operation.wait());
            }
            1 => pending.iter().for_each(|(_, operation)| operation.test()),
            _ => {}
        }
    }
    while !pending.is_empty() {
        let (set, operation) = pending.swap_remove(own.roll(pending.len()));
        check(&set, operation.wait());
    }
}

/// Some of the images in the order of their ranks, or in another if the host may have collective areas for it.
fn set(image: &Image, dice: &Dice) -> Rc<ImageSet> {
    let images = image.job().images();
    let mut ranks: Vec<Rank> = image.job().ranks().collect();
    match dice.roll(4) {
        0 => {}
        1 => ranks.truncate(1 + dice.roll(images)),
        _ => {
            ranks.retain(|_| dice.roll(3) > 0);
            if ranks.is_empty() {
                ranks.push(Rank::new(dice.roll(images) as u32));
            }
        }
    }
    if dice.roll(4) == 0 {
        let middle = dice.roll(ranks.len());
        ranks.rotate_left(middle);
    }
    image.set(Members::from_list(&ranks).unwrap()).unwrap()
}
