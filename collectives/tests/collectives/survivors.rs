//! Those that are left after failures meet, wherever they are and however their hosts make steps.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use xmp_collectives::check::Call;
use xmp_collectives::survivors::SurvivorSync;
use xmp_collectives::{
    BarrierStatement, Op, allreduce, barrier_of_active, greatest_active, nonblocking,
};
use xmp_core::image_set::Members;
use xmp_core::job::Job;
use xmp_core::job::page::ImageState;
use xmp_core::settings::{Checks, Settings};
use xmp_core::transport::threads;
use xmp_core::{Error, Image, Rank, Result, failure};

const SYNC_ALL: BarrierStatement = BarrierStatement::plain("sync all");
const SYNC_TEAM: BarrierStatement = BarrierStatement::plain("sync team");

/// The second image fails at the 28th step at the latest.
const STEPS: u64 = 36;
/// Images compare their calls.
const CALLS: Checks = Checks { calls: true, races: false };

fn runs(job: &Job, rank: Rank) -> bool {
    job.state(rank) == ImageState::Running
}

/// Two images of all fail, at different times and at different places of their programs.
fn go_on_without_two(images: u32, hosts: u32, separate: bool, step: Option<&str>, seed: u64) {
    let mut settings = Settings { separate_hosts: separate, ..Settings::default() };
    settings.collectives.extend(step.map(|step| ("barrier".to_string(), step.to_string())));
    let came: Vec<AtomicU64> = (0..images).map(|_| AtomicU64::new(0)).collect();
    let through = AtomicU64::new(0);
    let agreed = Mutex::new(HashMap::new());
    let left = threads::run_with(settings, images, hosts, |image| {
        let me = image.rank().get();
        let doomed = [(seed % u64::from(images)) as u32, (seed / 7 % u64::from(images)) as u32];
        let set = match seed % 3 {
            0 => image.executing(),
            _ => {
                let turned: Vec<Rank> = (0..images).rev().map(Rank::new).collect();
                image.set(Members::from_list(&turned).unwrap()).unwrap()
            }
        };
        for step in 1..=STEPS {
            let dies = |k: usize| me == doomed[k] && step == 5 + 11 * k as u64 + seed % 13;
            if dies(0) {
                failure::publish_failed(image.job(), image.rank());
                return None;
            }
            came[me as usize].store(step, Ordering::Release);
            let outcome = match step % 2 {
                0 => barrier_of_active(image, &set, SYNC_ALL),
                _ => {
                    // The same for all that find one, and at least what those give that are left.
                    let word = 100 * step + u64::from(me);
                    greatest_active(image, &set, word, "change team").and_then(
                        |(greatest, outcome)| {
                            assert!((word..100 * (step + 1)).contains(&greatest), "{greatest}");
                            let mut agreed = agreed.lock().unwrap();
                            assert_eq!(
                                *agreed.entry(step).or_insert(greatest),
                                greatest,
                                "at {step}"
                            );
                            outcome
                        },
                    )
                }
            };
            assert!(matches!(outcome, Ok(()) | Err(Error::FailedImage(_))), "{outcome:?}");
            for other in (0..images).filter(|other| !doomed.contains(other)) {
                let other = came[other as usize].load(Ordering::Acquire);
                assert!(other == step || other == step + 1, "at {step}: {other}");
            }
            if dies(1) {
                failure::publish_failed(image.job(), image.rank());
                return None;
            }
        }
        // No image ends before: it would have stopped for those that are late. (An image that panics has failed.)
        through.fetch_add(1, Ordering::AcqRel);
        let running = || image.job().ranks().filter(|&rank| runs(image.job(), rank)).count() as u64;
        while through.load(Ordering::Acquire) < running() {
            std::thread::yield_now();
        }
        Some(())
    });
    let doomed = if seed % u64::from(images) == seed / 7 % u64::from(images) { 1 } else { 2 };
    assert_eq!(left.unwrap().into_iter().flatten().count(), images as usize - doomed);
}

#[test]
fn on_several_hosts() {
    for seed in 0..12 {
        for (images, hosts) in [(3, 3), (5, 2), (6, 3)] {
            go_on_without_two(images, hosts, false, None, 1 + 5 * seed);
        }
    }
}

#[test]
fn on_hosts_without_common_memory() {
    for seed in 0..6 {
        for (images, hosts) in [(3, 3), (5, 2)] {
            go_on_without_two(images, hosts, true, None, 2 + 5 * seed);
        }
    }
}

#[test]
fn however_a_host_makes_steps() {
    for seed in 0..6 {
        for step in ["central", "flat", "dissemination", "grouped"] {
            for hosts in [1, 2] {
                go_on_without_two(6, hosts, false, Some(step), 3 + 7 * seed);
            }
        }
    }
}

/// Spins, without any wait of the runtime, until this is true.
fn spin_until(what: &str, condition: impl Fn() -> bool) {
    let begin = Instant::now();
    while !condition() {
        assert!(begin.elapsed() < Duration::from_secs(600), "no other image came: {what}");
        std::thread::yield_now();
    }
}

/// One image ends, another one knows that and goes to a synchronisation at once, and then does nothing for the others.
/// They are in an operation before that synchronisation, and take its messages for those of this operation.
fn one_is_ahead(images: u32, hosts: u32, separate: bool, len: usize, stops: bool) {
    let settings = Settings { separate_hosts: separate, ..Settings::default() };
    let through = AtomicU64::new(0);
    let is_told = |outcome: Result<()>| {
        if stops {
            assert!(matches!(outcome, Err(Error::StoppedImage(_))), "{outcome:?}")
        } else {
            assert_eq!(outcome, Err(Error::FailedImage(Rank::new(1))))
        }
    };
    threads::run_with(settings, images, hosts, |image: &Image| {
        let set = image.executing();
        barrier_of_active(image, &set, SYNC_ALL).unwrap();
        match image.rank().get() {
            0 => {
                spin_until("the end", || !runs(image.job(), Rank::new(1)));
                is_told(barrier_of_active(image, &set, SYNC_ALL));
                let others = u64::from(images) - 2;
                spin_until("the others", || through.load(Ordering::Acquire) == others);
            }
            1 if stops => {}
            1 => failure::publish_failed(image.job(), image.rank()),
            _ => {
                is_told(allreduce(image, &set, &mut vec![1.0; len], Op::Sum));
                is_told(barrier_of_active(image, &set, SYNC_ALL));
                through.fetch_add(1, Ordering::AcqRel);
            }
        }
    })
    .unwrap();
}

#[test]
fn an_image_that_is_ahead_leaves_no_image_behind() {
    for (images, hosts) in [(4, 2), (4, 4), (3, 2), (3, 3), (7, 2), (7, 3)] {
        for separate in [false, true] {
            for len in [1, 5000] {
                for stops in [false, true] {
                    one_is_ahead(images, hosts, separate, len, stops);
                }
            }
        }
    }
}

/// Image 1 ends. Image 0 is ready for a long message of image 2 when it learns of that, and leaves. Then image 2 comes,
/// and sends it, because image 0 has said that it is ready.
#[test]
fn a_long_message_to_one_that_has_left() {
    let settings = Settings { separate_hosts: true, ..Settings::default() };
    let left = AtomicU64::new(0);
    threads::run_with(settings, 3, 3, |image: &Image| {
        let set = image.executing();
        barrier_of_active(image, &set, SYNC_ALL).unwrap();
        let (send, mut receive) = (vec![1.0; 3 * 40_000], vec![0.0; 3 * 40_000]);
        match image.rank().get() {
            1 => return failure::publish_failed(image.job(), image.rank()),
            2 => spin_until("image 1", || {
                let ended = [Rank::new(1)];
                failure::revocation::of_any(image, Rank::new(0), ended).unwrap().is_some()
            }),
            _ => {}
        }
        let outcome = xmp_collectives::alltoall(image, &set, &send, &mut receive);
        left.fetch_add(1, Ordering::AcqRel);
        assert_eq!(outcome, Err(Error::FailedImage(Rank::new(1))));
        spin_until("the other", || left.load(Ordering::Acquire) == 2);
    })
    .unwrap();
}

/// One image of all has ended, and all others have seen it. Two of the others have a set of their own: what one sends
/// in it, before it goes to a synchronisation of all images that are left, is there for the other one.
fn what_is_sent_before_a_meeting(shim: xmp_core::server::in_process::Shim) {
    let settings = Settings::default();
    let done = AtomicU64::new(0);
    threads::run_on_hosts(settings, 6, 3, shim, |image: &Image| {
        let all = image.executing();
        barrier_of_active(image, &all, SYNC_ALL).unwrap();
        let me = image.rank().get();
        if me == 5 {
            return failure::publish_failed(image.job(), image.rank());
        }
        let failed = Err(Error::FailedImage(Rank::new(5)));
        assert_eq!(barrier_of_active(image, &all, SYNC_ALL), failed);
        let two = [1, 3].map(Rank::new);
        let two =
            [1, 3].contains(&me).then(|| image.set(Members::from_list(&two).unwrap()).unwrap());
        for step in 0..200u64 {
            if let Some(two) = &two {
                let mut value = [if me == 1 { step } else { 0 }];
                let outcome = xmp_collectives::broadcast(image, two, 0, &mut value);
                assert_eq!((outcome, value), (Ok(()), [step]), "image {me}, {step}");
            }
            assert_eq!(barrier_of_active(image, &all, SYNC_ALL), failed);
        }
        done.fetch_add(1, Ordering::AcqRel);
        spin_until("all", || done.load(Ordering::Acquire) == 5);
    })
    .unwrap();
}

#[test]
fn a_survivor_barrier_comes_behind_what_was_sent() {
    for seed in 0..4 {
        what_is_sent_before_a_meeting(xmp_core::server::in_process::Shim {
            seed,
            delay: 4,
            eager: 1 << 16,
        });
    }
}

/// The last image arrives at a meeting and is killed in it. Others may have completed it by what that image has sent, so the meeting has
/// taken place for all of them, and the next one has not.
#[test]
fn all_active_images_get_one_outcome_of_a_meeting() {
    for separate in [false, true] {
        let settings = Settings { separate_hosts: separate, ..Settings::default() };
        threads::run_with(settings, 4, 2, |image: &Image| {
            let all = image.executing();
            barrier_of_active(image, &all, SYNC_ALL).unwrap();
            if image.rank().get() == 3 {
                SurvivorSync::to(image, &all, || Call::of("sync all"), [0; 2]).unwrap();
                return failure::publish_failed(image.job(), image.rank());
            }
            assert_eq!(barrier_of_active(image, &all, SYNC_ALL), Ok(()));
            let failed = Err(Error::FailedImage(Rank::new(3)));
            assert_eq!(barrier_of_active(image, &all, SYNC_ALL), failed);
        })
        .unwrap();
    }
}

/// What unwinds the image that fails in the midst of a step.
struct Fails;

/// Image 0 fails in the midst of a step in which flags are handed on: it has sent a flag to image 1, but none to image
/// 2. So image 1 makes the step, and goes on with messages, and image 2 does not, and does nothing more for the others.
fn a_step_fails_on_one_image(seen: &AtomicU64) {
    let mut settings = Settings { check: CALLS, ..Settings::default() };
    let ways = [("barrier", "dissemination"), ("broadcast", "messages"), ("broadcast", "flat")];
    settings.collectives.extend(ways.map(|(operation, way)| (operation.into(), way.into())));
    // 1: image 0 goes to the step. 2: it is there, and about to fail. 3: image 2 goes there. 4: it is told.
    let (stage, through) = (Arc::new(AtomicU64::new(0)), AtomicU64::new(0));
    threads::run_with(settings, 4, 1, |image: &Image| {
        let stage = stage.clone();
        let of = |ranks: &[u32]| {
            let ranks: Vec<Rank> = ranks.iter().copied().map(Rank::new).collect();
            image.set(Members::from_list(&ranks).unwrap()).unwrap()
        };
        let (three, pair) = (of(&[0, 1, 2]), of(&[0, 3]));
        let me = image.rank().get();
        barrier_of_active(image, &image.executing(), SYNC_ALL).unwrap();
        let failed = Err(Error::FailedImage(Rank::new(0)));
        // Image 0 is not needed for this, but for the agreement about it.
        let statement = || xmp_collectives::broadcast(image, &three, 2, &mut [1.0]);
        // Images give the same operation. It fails on image 0.
        let of_combine = stage.clone();
        let combine = move |a: u64, b: u64| {
            if me == 0 {
                of_combine.store(2, Ordering::Release);
                spin_until("image 2", || of_combine.load(Ordering::Acquire) >= 3);
                // It is in the step, if it is not unlucky.
                std::thread::sleep(Duration::from_millis(20));
                std::panic::resume_unwind(Box::new(Fails))
            }
            a + b
        };
        match me {
            0 => {
                let fails = || {
                    let data = vec![1_u64];
                    let _pending = nonblocking::allreduce_by(image, &pair, data, combine);
                    stage.store(1, Ordering::Release);
                    let _ = statement();
                };
                let fails = std::panic::AssertUnwindSafe(fails);
                let panic = std::panic::catch_unwind(fails).unwrap_err();
                assert!(panic.is::<Fails>());
                failure::publish_failed(image.job(), image.rank());
            }
            1 => {
                spin_until("image 2", || stage.load(Ordering::Acquire) >= 3);
                assert_eq!(statement(), failed);
                through.store(1, Ordering::Release);
                // If image 2 comes to the step late, it is not to find that this one has stopped.
                spin_until("image 2, told", || stage.load(Ordering::Acquire) == 4);
            }
            2 => {
                spin_until("image 0", || stage.load(Ordering::Acquire) == 2);
                stage.store(3, Ordering::Release);
                assert_eq!(statement(), failed);
                stage.store(4, Ordering::Release);
                spin_until("image 1", || through.load(Ordering::Acquire) == 1);
                seen.fetch_add(1, Ordering::Relaxed);
            }
            _ => {
                spin_until("image 0", || stage.load(Ordering::Acquire) >= 1);
                std::thread::sleep(Duration::from_millis(2));
                // It may have its sum before image 0 fails.
                let _ = nonblocking::allreduce_by(image, &pair, vec![1], combine).wait();
            }
        }
    })
    .unwrap();
}

#[test]
fn a_step_that_failed_on_one_image_only_leaves_no_image_behind() {
    let seen = AtomicU64::new(0);
    for _ in 0..5 {
        a_step_fails_on_one_image(&seen);
    }
    assert_eq!(seen.into_inner(), 5);
}

/// Image 2 comes to an operation of images 0 to 2, which share a host, and fails. Image 0 has been told of that by a
/// set with an image of another host, in an operation that image 2 has left out (no program may do that; all the same
/// no image may hang). So it refuses the operation, and image 1 is not to wait for it.
#[test]
fn one_that_has_left_is_not_waited_for_on_one_host() {
    for way in ["flat", "central", "dissemination", "grouped"] {
        let mut settings = Settings { check: CALLS, ..Settings::default() };
        settings.collectives.push(("barrier".into(), way.into()));
        let through = AtomicU64::new(0);
        threads::run_with(settings, 6, 2, |image: &Image| {
            let of = |ranks: [u32; 3]| {
                image.set(Members::from_list(&ranks.map(Rank::new)).unwrap()).unwrap()
            };
            let failed = Err(Error::FailedImage(Rank::new(2)));
            let sum =
                |set: &xmp_core::image_set::ImageSet| allreduce(image, set, &mut [1.0; 3], Op::Sum);
            let me = image.rank().get();
            match me {
                0 => {
                    spin_until("image 2", || through.load(Ordering::Acquire) > 0);
                    // It is in the step, if it is not unlucky.
                    std::thread::sleep(Duration::from_millis(20));
                    failure::publish_failed(image.job(), Rank::new(2));
                    assert_eq!(sum(&of([0, 2, 3])), failed);
                    assert_eq!(sum(&of([0, 1, 2])), failed, "{way}");
                }
                1 => assert_eq!(sum(&of([0, 1, 2])), failed, "{way}"),
                2 => {
                    through.fetch_add(1, Ordering::AcqRel);
                    let _ = sum(&of([0, 1, 2]));
                }
                _ => {}
            }
            if me < 2 {
                through.fetch_add(1, Ordering::AcqRel);
            }
            // No image stops before.
            spin_until("the others", || through.load(Ordering::Acquire) == 3);
        })
        .unwrap();
    }
}

/// Who has been told of an end leaves alone what it has given for the step that it has not made: others may have made
/// it, where flags are handed on, and still read that.
#[test]
fn what_was_given_for_a_step_stays_when_later_ones_are_refused() {
    for check in [false, true] {
        let mut settings =
            Settings { check: Checks { calls: check, races: false }, ..Settings::default() };
        settings.collectives.push(("barrier".into(), "dissemination".into()));
        let through = AtomicU64::new(0);
        threads::run_with(settings, 3, 1, |image: &Image| {
            let set = image.executing();
            barrier_of_active(image, &set, SYNC_ALL).unwrap();
            if image.rank().get() == 0 {
                return failure::publish_failed(image.job(), image.rank());
            }
            let area = set.levels(image).unwrap().area().unwrap();
            let given = || {
                let places = [(area.slot(), 48), (area.staging(256), 256)];
                // SAFETY: this image's own, of the coming step.
                places.map(|(at, len)| unsafe { std::slice::from_raw_parts(at, len) }.to_vec())
            };
            let failed = Err(Error::FailedImage(Rank::new(0)));
            assert_eq!(allreduce(image, &set, &mut [7_u64], Op::Sum), failed);
            let before = given();
            assert_eq!(allreduce(image, &set, &mut [9_u64], Op::Sum), failed);
            assert_eq!(xmp_collectives::broadcast(image, &set, 1, &mut [11_u64]), failed);
            assert_eq!(barrier_of_active(image, &set, SYNC_ALL), failed);
            let (_, outcome) = greatest_active(image, &set, 13, "change team").unwrap();
            assert_eq!(outcome, failed);
            assert_eq!(given(), before);
            // No image stops before.
            through.fetch_add(1, Ordering::AcqRel);
            spin_until("the other", || through.load(Ordering::Acquire) == 2);
        })
        .unwrap();
    }
}

/// More sets than an image counts synchronisations of: nothing is different until an image has failed. Then those of
/// the sets that were the first ones meet, and for the others there is an error that says why they do not.
#[test]
fn more_sets_than_there_is_room_for() {
    let settings = Settings::default();
    let through = AtomicU64::new(0);
    let sets = failure::arrivals::SETS as u32;
    threads::run_with(settings, 6, 3, |image: &Image| {
        // All orders of six images, one after the other.
        let order = |mut k: u32| {
            let mut left: Vec<Rank> = (0..6).map(Rank::new).collect();
            let ranks = (1..=6).rev().map(|n| {
                let next = left.remove((k % n) as usize);
                k /= n;
                next
            });
            image.set(Members::from_list(&ranks.collect::<Vec<_>>()).unwrap()).unwrap()
        };
        for k in 0..sets + 5 {
            assert_eq!(barrier_of_active(image, &order(k), SYNC_TEAM), Ok(()));
            assert_eq!(greatest_active(image, &order(k), 7, "change team"), Ok((7, Ok(()))));
        }
        if image.rank().get() == 5 {
            return failure::publish_failed(image.job(), image.rank());
        }
        let failed = Err(Error::FailedImage(Rank::new(5)));
        for k in [3, sets + 1, 200, sets + 3, sets - 1] {
            if k < sets {
                through.fetch_add(1, Ordering::AcqRel);
                assert_eq!(barrier_of_active(image, &order(k), SYNC_TEAM), failed);
                assert_eq!(through.load(Ordering::Acquire) % 5, 0, "not all have come");
                assert_eq!(barrier_of_active(image, &order(k), SYNC_TEAM), failed);
            } else {
                let no_room = |outcome: Result<()>| match outcome {
                    Err(Error::Invalid(why)) => assert!(why.contains("255 sets"), "{why}"),
                    outcome => panic!("{outcome:?}"),
                };
                no_room(barrier_of_active(image, &order(k), SYNC_TEAM));
                no_room(greatest_active(image, &order(k), 7, "change team").map(drop));
            }
        }
        assert_eq!(barrier_of_active(image, &order(3), SYNC_TEAM), failed);
    })
    .unwrap();
}
