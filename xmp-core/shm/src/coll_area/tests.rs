//! Tests of barriers and ring exchanges on threads.

use super::layout::RING;
use super::{CollArea, Direction, Flow, RingExchange};
use crate::error::{Error, Result};
use crate::failure::{publish_failed, revocation};
use crate::image::Image;
use crate::rank::Rank;
use crate::settings::Settings;
use crate::sync::Ordering;
use crate::thread_images as threads;
use std::sync::atomic::{AtomicBool, AtomicU32};
use std::time::{Duration, Instant};

/// Settings with these values.
fn settings(pairs: &[(&str, &str)]) -> Settings {
    Settings::from_pairs(pairs).unwrap()
}

/// Slot and staging of every epoch hold the data of that epoch.
fn steps_carry_data(images: u32, epochs: u64, settings: &Settings) {
    threads::run_with(settings.clone(), images, 1, |image| {
        let set = image.executing();
        let area = set.levels(image).unwrap().area().unwrap();
        let me = area.position() as u64;
        for epoch in 0..epochs {
            // SAFETY: own buffers of the coming epoch, then all buffers of the epoch just completed.
            unsafe {
                *area.slot().cast::<u64>() = 1000 * epoch + me;
                *area.staging(8).cast::<u64>() = 7000 * epoch + me;
                area.barrier(image).unwrap();
                for other in 0..u64::from(images) {
                    let at = other as usize;
                    assert_eq!(*area.slot_of(at).cast::<u64>(), 1000 * epoch + other);
                    assert_eq!(*area.staging_of(at, 8).cast::<u64>(), 7000 * epoch + other);
                }
            }
        }
    })
    .unwrap();
}

#[test]
fn barriers_of_every_kind_carry_data() {
    for images in [2, 3, 4, 7, 8] {
        steps_carry_data(images, 300, &settings(&[]));
        for kind in ["central", "flat", "dissemination", "grouped"] {
            let forced = format!("barrier:{kind}");
            steps_carry_data(images, 100, &settings(&[("XMP_COLL", &*forced)]));
        }
    }
}

/// One level, several with groups of different sizes, groups of one member, more groups than members.
#[test]
fn barriers_of_groups_carry_data() {
    let small = ("XMP_SEGMENT_SIZE", "64M");
    let forced = ("XMP_COLL", "barrier:grouped");
    for groups in ["1", "2", "3", "2x2", "3x2x2", "2x4x8"] {
        for images in [2, 3, 5, 6, 8, 13] {
            let groups = ("XMP_VIRTUAL_GROUPS", groups);
            steps_carry_data(images, 40, &settings(&[groups, forced, small]));
        }
        let groups = ("XMP_VIRTUAL_GROUPS", groups);
        steps_carry_data(64, 5, &settings(&[groups, forced, small]));
    }
}

/// A member that has made its last barrier may end while others are still in it.
#[test]
fn a_member_may_end_after_the_barrier() {
    for kind in ["central", "flat", "dissemination", "grouped"] {
        let coll = format!("barrier:{kind}");
        let settings = settings(&[
            ("XMP_COLL", &*coll),
            ("XMP_VIRTUAL_GROUPS", "2x2"),
            ("XMP_SEGMENT_SIZE", "64M"),
        ]);
        for _ in 0..20 {
            let outcomes = threads::run_with(settings.clone(), 7, 1, |image| {
                let set = image.executing();
                let area = set.levels(image).unwrap().area().unwrap();
                [area.barrier(image), area.barrier(image)]
            });
            assert_eq!(outcomes.unwrap(), vec![[Ok(()), Ok(())]; 7], "{kind}");
        }
    }
}

/// A member that ends instead of making the barrier is an error for all others, now and later.
#[test]
fn a_missing_member_ends_the_barrier_for_all() {
    for kind in ["central", "flat", "dissemination", "grouped"] {
        a_missing_member_ends(&settings(&[
            ("XMP_COLL", &*format!("barrier:{kind}")),
            ("XMP_VIRTUAL_GROUPS", "2"),
        ]));
    }
}

fn a_missing_member_ends(settings: &Settings) {
    let outcomes = threads::run_with(settings.clone(), 4, 1, |image| {
        let set = image.executing();
        let area = set.levels(image).unwrap().area().unwrap();
        area.barrier(image).unwrap();
        if image.rank().get() == 2 {
            return None;
        }
        // Twice: a member that has not made a barrier tries the same one again.
        Some([area.barrier(image), area.barrier(image)])
    })
    .unwrap();
    // Which image they name is open: an image that has noticed the first end ends, too.
    for outcome in outcomes.into_iter().flatten().flatten() {
        let outcome = outcome.map_err(Error::from);
        assert!(matches!(outcome, Err(Error::StoppedImage(_))), "{outcome:?}");
    }
}

/// Image 3 has come to a barrier and fails. Image 1 was notified of that by an operation of another set, and comes no
/// more. The others must not wait for it, whenever they come.
fn one_has_left(early: bool) {
    let settings = settings(&[("XMP_COLL", "barrier:flat"), ("XMP_SEGMENT_SIZE", "64M")]);
    let through = AtomicU32::new(0);
    let left = AtomicU32::new(0);
    let wait = |what: &str, ready: &dyn Fn() -> bool| {
        let begin = Instant::now();
        while !ready() {
            assert!(begin.elapsed() < Duration::from_secs(600), "{what}");
            std::thread::yield_now();
        }
    };
    // No image ends before all have the error: none publishes a revocation here, and its own end would be reported
    // instead.
    let meet = || {
        through.fetch_add(1, Ordering::AcqRel);
        wait("the others wait", &|| through.load(Ordering::Acquire) == 3);
    };
    let failed = Rank::new(2);
    threads::run_with(settings, 4, 1, |image| {
        let set = image.executing();
        let area = set.levels(image).unwrap().area().unwrap();
        area.barrier(image).unwrap();
        let has_come = |member: u32| {
            let slot = &area.members()[member as usize].slots[0].epoch;
            super::layout::announces(slot.load(Ordering::Acquire), 2)
        };
        match image.rank().get() {
            0 => {
                wait("no image comes", &|| has_come(2) && (!early || (has_come(1) && has_come(3))));
                publish_failed(image.job(), failed);
                revocation::publish(image, &Error::FailedImage(failed)).unwrap();
                left.store(1, Ordering::Release);
                // It could make the barrier, but others may have seen that it has revoked the set.
                let outcome = area.barrier(image);
                assert_eq!(outcome, Err(Error::FailedImage(failed).into()));
                meet();
            }
            2 => drop(area.barrier(image)),
            _ => {
                wait("no image revokes", &|| early || left.load(Ordering::Acquire) == 1);
                assert_eq!(area.barrier(image), Err(Error::FailedImage(failed).into()));
                meet();
            }
        }
    })
    .unwrap();
}

#[test]
fn no_member_waits_for_one_that_revoked_the_set() {
    for _ in 0..10 {
        one_has_left(true);
        one_has_left(false);
    }
}

/// A ring exchange that brings one number from `root` to all.
fn deliver(area: &CollArea, image: &Image, root: usize, number: u64) -> Result<u64> {
    let flow = Flow::new(Direction::FromRoot, root);
    let ring_exchange = RingExchange::begin(area, image)?;
    // SAFETY: lines are 8-aligned and have room for a number.
    let number = unsafe {
        if area.position() == root {
            ring_exchange.line()?.cast::<u64>().write(number);
            ring_exchange.produce(0);
            number
        } else {
            ring_exchange.consume(root)?.cast::<u64>().read()
        }
    };
    ring_exchange.done(flow);
    Ok(number)
}

#[test]
fn ring_exchanges_and_barriers_mix_in_any_order() {
    for images in [2, 3, 5] {
        threads::run(images, 1, |image| {
            let set = image.executing();
            let area = set.levels(image).unwrap().area().unwrap();
            let me = area.position();
            for number in 0..6 * RING as u64 {
                // Each member is the root of many operations in a row, and of single ones.
                let root = (number / 100 + number % 7 / 6) as usize % images as usize;
                assert_eq!(deliver(area, image, root, number).unwrap(), number);
                if number % 50 == 49 {
                    // SAFETY: own slot of the coming epoch, then that of another member of the epoch just completed.
                    unsafe {
                        *area.slot().cast::<u64>() = number + me as u64;
                        area.barrier(image).unwrap();
                        let other = (me + 1) % images as usize;
                        assert_eq!(*area.slot_of(other).cast::<u64>(), number + other as u64);
                    }
                }
            }
        })
        .unwrap();
    }
}

/// No member consumes before the root has produced a ring full.
#[test]
fn a_root_waits_only_when_its_ring_is_full() {
    let given = AtomicBool::new(false);
    threads::run(3, 1, |image| {
        let set = image.executing();
        let area = set.levels(image).unwrap().area().unwrap();
        area.barrier(image).unwrap();
        while area.position() != 1 && !given.load(Ordering::Acquire) {
            std::thread::yield_now();
        }
        for number in 0..RING as u64 {
            assert_eq!(deliver(area, image, 1, number).unwrap(), number);
        }
        given.store(true, Ordering::Release);
    })
    .unwrap();
}

/// The root gets the error when its ring is full, or before; the others have got the lines that they need of it.
#[test]
fn a_missing_member_ends_ring_exchanges() {
    let outcomes = threads::run(3, 1, |image| {
        let set = image.executing();
        let area = set.levels(image).unwrap().area().unwrap();
        if image.rank().get() == 2 {
            return None;
        }
        let mut ring_exchanges = (0..2 * RING as u64).map(|number| deliver(area, image, 0, number));
        let error = ring_exchanges.find_map(Result::err);
        // Again: a member that gave up stays outside, and no barrier is made.
        Some([
            error.map_or(Ok(0), Err),
            deliver(area, image, 0, 0),
            area.barrier(image).map(|()| 0).map_err(Error::from),
        ])
    })
    .unwrap();
    for outcome in outcomes.into_iter().flatten().flatten() {
        assert!(matches!(outcome, Err(Error::StoppedImage(_))), "{outcome:?}");
    }
}

#[test]
fn a_missing_root_ends_a_ring_exchange_for_all() {
    let outcomes = threads::run(4, 1, |image| {
        let set = image.executing();
        let area = set.levels(image).unwrap().area().unwrap();
        deliver(area, image, 2, 1).unwrap();
        (image.rank().get() != 2).then(|| [(); 2].map(|()| deliver(area, image, 2, 2)))
    })
    .unwrap();
    for outcome in outcomes.into_iter().flatten().flatten() {
        assert!(matches!(outcome, Err(Error::StoppedImage(_))), "{outcome:?}");
    }
}

/// A root that has produced its last line may end before others consume it.
#[test]
fn a_root_may_end_after_its_part() {
    for _ in 0..20 {
        let outcomes = threads::run(5, 1, |image| {
            let set = image.executing();
            let area = set.levels(image).unwrap().area().unwrap();
            [0, 0, 3].map(|root| deliver(area, image, root, root as u64))
        });
        assert_eq!(outcomes.unwrap(), vec![[Ok(0), Ok(0), Ok(3)]; 5]);
    }
}
