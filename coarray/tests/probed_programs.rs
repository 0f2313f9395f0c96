//! Random correct programs under constant probing: the images that continue are never found to wait for one another for
//! ever.
//!
//! `XMP_TEST_CASES=5000` runs more cases than a test run has time for.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;
use xmp_coarray::front_end::{Location, event, lock, sync_all, sync_images, sync_images_all};
use xmp_collectives::nonblocking::{self, Handle};
use xmp_collectives::{Op, allreduce};
use xmp_core::failure::probing::{Answers, Needs, deadlocked, probe, wait_number};
use xmp_core::image_set::{ImageSet, Members};
use xmp_core::job::Job;
use xmp_core::transport::threads;
use xmp_core::wait::unnamed;
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

/// A sum that an image has begun, and its value.
type Begun<'i> = (Handle<'i, Vec<u64>>, u64);

/// The sets of the operations that images begin: all images in their order, all backwards, and the two halves.
fn sets(image: &Image) -> Vec<Rc<ImageSet>> {
    let images = image.job().images() as u32;
    let set = |ranks: Vec<u32>| {
        let ranks: Vec<Rank> = ranks.into_iter().map(Rank::new).collect();
        image.set(Members::from_list(&ranks).unwrap()).unwrap()
    };
    let middle = images / 2;
    vec![
        image.executing(),
        set((0..images).rev().collect()),
        set((0..middle).collect()),
        set((middle..images).collect()),
    ]
}

/// Begins a sum to all images of a set, or to one of them.
fn begin<'i>(image: &'i Image, set: &ImageSet, dice: &Dice, begun: &mut Vec<Begun<'i>>) {
    let len = [1, 100, 2_000, 20_000][dice.below(4) as usize];
    let root = dice.below(image.job().images() as u32 * 2) as usize;
    let Some(position) = set.position() else { return };
    let mine = vec![1 + u64::from(image.rank().get()); len];
    let sum: u64 = set.ranks().map(|rank| 1 + u64::from(rank.get())).sum();
    if root >= set.len() {
        begun.push((nonblocking::allreduce(image, set, mine, Op::Sum), sum));
    } else {
        let handle = nonblocking::reduce(image, set, root, mine, Op::Sum).unwrap();
        begun.push((handle, if root == position { sum } else { 0 }));
    }
}

/// Waits for a sum. 0: it has no value on this image.
fn complete((handle, sum): Begun<'_>) {
    let data = handle.wait().unwrap();
    assert!(sum == 0 || data.iter().all(|&value| value == sum));
}

/// One statement of all images. `own`: numbers of this image alone.
fn statement<'i>(
    image: &'i Image,
    sets: &[Rc<ImageSet>],
    [dice, own]: [&Dice; 2],
    begun: &mut Vec<Begun<'i>>,
) {
    let (me, images) = (image.rank().get(), image.job().images() as u32);
    let set = image.executing();
    let other = dice.below(images);
    let next = (me + 1) % images;
    match dice.below(12) {
        0 => sync_all(image, &set).unwrap(),
        // Operations in the background go on in all the waits of the other statements.
        8 | 9 => begin(image, &sets[dice.below(4) as usize], dice, begun),
        // Each image completes those that it wants to, in an order of its own.
        10 => {
            for _ in 0..own.below(4) {
                if !begun.is_empty() {
                    complete(begun.swap_remove(own.below(begun.len() as u32) as usize));
                }
            }
        }
        1 => sync_images_all(image, &set).unwrap(),
        // A chain that begins at a random image, through events.
        2 => {
            let (first, own, its) = (other, word(image, me, 0), word(image, next, 0));
            // SAFETY: words that only events use.
            unsafe {
                if me != first {
                    event::wait(image, own.offset, 1, &unnamed).unwrap();
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
            event::wait(image, word(image, me, 1).offset, 2, &unnamed).unwrap();
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
    let first = probe(job, false, limit, None);
    let mut second = probe(job, false, limit, None);
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
                let seed = case.wrapping_mul(0x9e37_79b9_7f4a_7c15);
                let own = Dice(Cell::new(seed ^ (1 + u64::from(image.rank().get())) << 20));
                let (dice, sets) = (Dice(Cell::new(seed)), sets(image));
                let mut begun = Vec::new();
                for _ in 0..STATEMENTS {
                    statement(image, &sets, [&dice, &own], &mut begun);
                }
                begun.into_iter().for_each(complete);
            });
            sync_all(image, &image.executing()).unwrap();
        })
        .unwrap();
    }
    assert!(probes.load(Ordering::Relaxed) > cases, "{probes:?} probes found images that wait");
}
