//! Random correct programs under constant probing: the images that continue are never found to wait for one another for
//! ever.
//!
//! `XMP_TEST_CASES=5000` runs more cases than a test run has time for.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;
use xmp_coarray::front_end::{Location, event, lock, sync_all, sync_images, sync_images_all};
use xmp_collectives::{Op, allreduce};
use xmp_core::failure::probing::{Answers, Needs, deadlocked, probe, wait_number};
use xmp_core::job::Job;
use xmp_core::transport::threads;
use xmp_core::{Image, Rank};

/// Cases of a test run.
const CASES: u64 = 20;
/// Statements of a program.
const STATEMENTS: u32 = 400;

/// Numbers that are the same on all images.
struct Dice(Cell<u64>);

impl Dice {
    /// A number below `bound` (xorshift64, Marsaglia 2003).
    fn below(&self, bound: u32) -> u32 {
        let mut state = self.0.get();
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        self.0.set(state);
        ((state >> 32) % u64::from(bound)) as u32
    }
}

/// Word number `word` after the start of the heap of an image.
fn word(image: &Image, of: u32, word: u64) -> Location {
    Location { rank: Rank::new(of), offset: image.layout().heap.start + 8 * word }
}

/// Sets a flag when it is dropped.
struct AtEnd<'a>(&'a AtomicBool);

impl Drop for AtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// One statement of all images.
fn statement(image: &Image, dice: &Dice) {
    let (me, images) = (image.rank().get(), image.job().images() as u32);
    let set = image.executing();
    let other = dice.below(images);
    let next = (me + 1) % images;
    match dice.below(8) {
        0 => sync_all(image, &set).unwrap(),
        1 => sync_images_all(image, &set).unwrap(),
        // A chain that begins at a random image, through events.
        2 => {
            let (first, own, its) = (other, word(image, me, 0), word(image, next, 0));
            // SAFETY: words that only events use.
            unsafe {
                if me != first {
                    event::wait(image, own.offset, 1).unwrap();
                }
                if next != first {
                    event::post(image, its).unwrap();
                }
            }
        }
        // Each image posts twice to the next one.
        3 => unsafe {
            // SAFETY: words that only events use.
            event::post(image, word(image, next, 1)).unwrap();
            event::post(image, word(image, next, 1)).unwrap();
            event::wait(image, word(image, me, 1).offset, 2).unwrap();
        },
        // Two locks in one order.
        4 => {
            let (one, two) = (word(image, other, 2), word(image, other, 3));
            // SAFETY: words that only locks use.
            unsafe {
                lock::acquire(image, one).unwrap();
                lock::acquire(image, two).unwrap();
                lock::release(image, one).unwrap();
                lock::release(image, two).unwrap();
            }
        }
        5 => {
            let mut partners = vec![next as i32 + 1, ((me + images - 1) % images) as i32 + 1];
            partners.dedup();
            sync_images(image, &set, &partners).unwrap();
        }
        6 => {
            let mut values = vec![me; [1, 8, 20_000][dice.below(3) as usize]];
            allreduce(image, &set, &mut values, Op::Sum).unwrap();
            assert_eq!(values[0], images * (images - 1) / 2);
        }
        // One image computes or sleeps while others may wait for it.
        _ if me == other => thread::sleep(Duration::from_micros(dice.below(300).into())),
        _ => {
            dice.below(300);
        }
    }
}

/// The images that wait and have waited without an interruption between two probes.
fn probe_twice(job: &Job) -> Answers {
    let limit = Duration::from_millis(20);
    let first = probe(job, false, limit);
    let mut second = probe(job, false, limit);
    second.retain(|rank, answered| first.get(rank).is_some_and(|it| it.wait == answered.wait));
    second
}

/// Probes until `done`. Returns how many probes found an image that waits.
fn watch(job: &Job, done: &AtomicBool, probes: &AtomicU64) {
    while !done.load(Ordering::Relaxed) {
        if job.ranks().any(|rank| wait_number(job, rank).is_some()) {
            let answers = probe_twice(job);
            let needs: Needs =
                answers.into_iter().map(|(rank, answered)| (rank, answered.need)).collect();
            let running: BTreeSet<Rank> = job.ranks().collect();
            let stuck = deadlocked(&needs, &running);
            assert!(stuck.is_empty(), "{stuck:?} are not stuck: {needs:?}");
            probes.fetch_add(u64::from(!needs.is_empty()), Ordering::Relaxed);
        }
        thread::yield_now();
    }
}

#[test]
fn images_of_correct_programs_are_never_stuck() {
    let cases = std::env::var("XMP_TEST_CASES").map_or(CASES, |cases| cases.parse().unwrap());
    let probes = AtomicU64::new(0);
    for case in 1..=cases {
        let (images, hosts) = [(2, 1), (3, 1), (8, 1), (4, 2), (5, 3)][case as usize % 5];
        threads::run(images, hosts, |image| {
            let done = AtomicBool::new(false);
            thread::scope(|scope| {
                let (job, done, probes) = (image.job(), &done, &probes);
                if image.rank().get() == 0 {
                    scope.spawn(move || watch(job, done, probes));
                }
                // Also when a statement panics.
                let _end = AtEnd(done);
                let dice = Dice(Cell::new(case.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
                for _ in 0..STATEMENTS {
                    statement(image, &dice);
                }
            });
            sync_all(image, &image.executing()).unwrap();
        })
        .unwrap();
    }
    assert!(probes.load(Ordering::Relaxed) > cases, "{probes:?} probes found images that wait");
}
