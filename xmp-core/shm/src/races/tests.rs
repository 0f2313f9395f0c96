//! Random programs, executed one step after the other: the races that are found are compared with the order of all
//! accesses, which the reference keeps as sets.

use super::access::SITES;
use super::{Bytes, Detector, Entry, Kind, Race, RaceAccess, Races, Site};
use crate::failure::publish_failed;
use crate::job::Job;
use crate::job::page::Geometry;
use crate::rank::Rank;
use crate::settings::Settings;
use crate::sync::Ordering;
use crate::thread_images::job;
use crate::transport::Local;
use proptest::prelude::*;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// A step of a program. Images, variables and synchronising images are chosen by their numbers.
#[derive(Clone, Debug)]
enum Step {
    Access { image: usize, of: usize, from: u64, len: u64, kind: Kind, is_held: bool },
    SyncAll,
    SyncImages(usize, usize),
    SyncMemory(usize),
    Release { image: usize, variable: u64 },
    Acquire { image: usize, variable: u64 },
    Atomic { image: usize, variable: u64, writes: bool },
}

/// The accesses that are ordered before the next one of each image, by their numbers in the program.
type Past = u128;

#[derive(Clone, Copy, Default)]
struct Reference {
    past: Past,
    released: Past,
    observed: Past,
}

impl Reference {
    fn begin_segment(&mut self) {
        self.past |= self.observed;
        self.released = self.past;
    }
}

fn races(images: u32) -> Vec<Races<'static>> {
    let geometry = Geometry::plan(images, 1, Some(1 << 26)).unwrap();
    let geometry = Geometry { base: 0, ..geometry }.with_shadow(true);
    let settings = Settings::default();
    let job: Arc<Job> = Arc::new(job(&settings, geometry).unwrap());
    let of = |number| {
        let detector = Detector::new(job.clone(), Rank::new(number), Duration::ZERO);
        let detector = Box::leak(Box::new(detector.unwrap()));
        Races::new(detector, Box::leak(Box::new(Local::new(job.clone(), Rank::new(number)))))
    };
    (0..images).map(of).collect()
}

const HEAP: u64 = 1 << 20;
const VARIABLES: u64 = HEAP + 4096;

fn overlaps(a: &Bytes, b: &Bytes) -> bool {
    a.of == b.of && a.offset < b.offset + b.len && b.offset < a.offset + a.len
}

thread_local! {
    /// The images of the program that this thread executes.
    static IMAGES: RefCell<Rc<[Races<'static>]>> = RefCell::new(Rc::new([]));
    /// The accesses that each of them holds back.
    static HELD: [RefCell<Vec<(Site, Bytes, Kind)>>; 4] = const { [const { RefCell::new(Vec::new()) }; 4] };
    /// The races that were reported.
    static FOUND: RefCell<Vec<Race>> = const { RefCell::new(Vec::new()) };
    /// The numbers of accesses by image and site.
    static NUMBERS: RefCell<HashMap<(usize, u16), usize>> = RefCell::default();
}

/// Enters the accesses that an image holds back.
fn flush<const IMAGE: usize>() {
    let held = HELD.with(|held| held[IMAGE].take());
    let images = IMAGES.with_borrow(Rc::clone);
    held.into_iter().for_each(|(site, bytes, kind)| images[IMAGE].access(site, bytes, kind));
}

fn note(race: &Race) -> Option<Entry> {
    FOUND.with_borrow_mut(|found| found.push(*race));
    None
}

/// Executes a program, and compares the races that are found with those that the reference has: none is invented, and - if `all`
/// are to be found - each conflict of two images is found where it is.
fn run(images: u32, steps: &[Step], all: bool) {
    let races: Rc<[Races<'static>]> = races(images).into();
    let flushes = [flush::<0>, flush::<1>, flush::<2>, flush::<3>];
    for (its, flush) in races.iter().zip(flushes) {
        its.set_flush(flush);
        its.set_report(note);
    }
    IMAGES.set(races.clone());
    FOUND.take();
    let accesses = execute(&races, steps);
    races.iter().for_each(Races::flush);
    IMAGES.set(Rc::new([]));
    let found = FOUND.take();
    let conflicts = |first: &Executed, second: &Executed| {
        first.image != second.image
            && overlaps(&first.bytes, &second.bytes)
            && first.kind.conflicts(second.kind)
            && second.past & 1 << first.number == 0
    };
    for race in &found {
        let [mine, other] = [race.mine, race.other].map(|it| &accesses[it.number()]);
        // Where accesses are of parts of a granule, the other statement may be a neighbour in the same segment.
        let is_true = |it: &Executed| {
            let (first, second) = if mine.number < it.number { (mine, it) } else { (it, mine) };
            (!all || it.number == other.number)
                && (it.image, it.kind) == (other.image, other.kind)
                && conflicts(first, second)
        };
        assert!(accesses.iter().any(is_true), "invented: {race:?}");
    }
    let pairs = accesses
        .iter()
        .enumerate()
        .flat_map(|(at, second)| accesses[..at].iter().map(move |first| (first, second)));
    for (first, second) in pairs.filter(|(first, second)| all && conflicts(first, second)) {
        let (one, other) = (&first.bytes, &second.bytes);
        let start = one.offset.max(other.offset);
        let len = (one.offset + one.len).min(other.offset + other.len) - start;
        let both = Bytes { of: one.of, offset: start, len };
        // Of a pair of sites one place is reported.
        let is_there = |race: &Race| {
            let sides = [race.mine, race.other].map(|side| &accesses[side.number()]);
            sides.iter().all(|side| overlaps(&side.bytes, &both))
        };
        assert!(found.iter().any(is_there), "missed: {first:?} and {second:?}");
    }
}

/// An access that a program has executed.
#[derive(Debug)]
struct Executed {
    number: usize,
    image: usize,
    bytes: Bytes,
    kind: Kind,
    /// The accesses that are ordered before it.
    past: Past,
}

impl RaceAccess {
    /// The number of the access.
    fn number(&self) -> usize {
        NUMBERS.with_borrow(|numbers| numbers[&(self.image.index(), self.site.number())])
    }
}

fn execute(races: &[Races<'_>], steps: &[Step]) -> Vec<Executed> {
    let mut images = vec![Reference::default(); races.len()];
    let mut variables = [Past::default(); 4];
    let mut accesses: Vec<Executed> = Vec::new();
    NUMBERS.take();
    for (number, step) in steps.iter().enumerate() {
        match *step {
            Step::Access { image, of, from, len, kind, is_held } => {
                let bytes = Bytes { of: Rank::new(of as u32), offset: HEAP + from, len };
                let site = races[image].site(&[number + 1]);
                let (number, past) = (accesses.len(), images[image].past);
                NUMBERS.with_borrow_mut(|it| it.insert((image, site.number()), number));
                accesses.push(Executed { number, image, bytes, kind, past });
                images[image].past |= 1 << number;
                if is_held {
                    HELD.with(|held| held[image].borrow_mut().push((site, bytes, kind)));
                } else {
                    races[image].access(site, bytes, kind);
                }
            }
            Step::SyncAll => {
                let ranks = || (0..races.len() as u32).map(Rank::new);
                races.iter().for_each(|its| its.announce(ranks()));
                races.iter().for_each(|its| its.meet(ranks()));
                images.iter_mut().for_each(Reference::begin_segment);
                let past = images.iter().fold(0, |past, it| past | it.past);
                images.iter_mut().for_each(|it| it.past = past);
                images.iter_mut().for_each(Reference::begin_segment);
            }
            Step::SyncImages(one, other) if one != other => {
                let rank = |image: usize| Some(Rank::new(image as u32));
                races[one].announce(rank(other));
                races[other].announce(rank(one));
                races[one].meet(rank(other));
                races[other].meet(rank(one));
                [one, other].into_iter().for_each(|it| images[it].begin_segment());
                let past = images[one].past | images[other].past;
                [one, other].into_iter().for_each(|it| {
                    images[it].past = past;
                    images[it].begin_segment();
                });
            }
            Step::SyncImages(..) => {}
            Step::SyncMemory(image) => {
                races[image].begin_segment();
                images[image].begin_segment();
            }
            Step::Release { image, variable } => {
                races[image].release(Rank::new(0), VARIABLES + 8 * variable);
                images[image].begin_segment();
                variables[variable as usize] |= images[image].past;
            }
            Step::Acquire { image, variable } => {
                races[image].acquire(Rank::new(0), VARIABLES + 8 * variable);
                images[image].past |= variables[variable as usize];
                images[image].begin_segment();
            }
            Step::Atomic { image, variable, writes } => {
                let at = VARIABLES + 8 * variable;
                if writes {
                    races[image].before_atomic(Rank::new(0), at);
                    variables[variable as usize] |= images[image].released;
                }
                races[image].after_atomic(Rank::new(0), at);
                images[image].observed |= variables[variable as usize];
            }
        }
    }
    accesses
}

fn kinds(atomic: bool) -> impl Strategy<Value = Kind> {
    let last = if atomic { 4 } else { 2 };
    (0..last)
        .prop_map(|at| [Kind::Read, Kind::Write, Kind::AtomicRead, Kind::AtomicWrite][at as usize])
}

/// Steps of `images` images; `whole`: accesses are of whole granules.
fn step(images: usize, whole: bool) -> impl Strategy<Value = Step> {
    let image = || 0..images;
    let place = (0..6u64, 1..20u64).prop_map(move |(at, len)| {
        if whole { (8 * (at % 3), 8 + len / 10 * 8) } else { (3 * at, len) }
    });
    let access = (image(), image(), place, kinds(!whole), any::<bool>());
    prop_oneof![
        6 => access.prop_map(|(image, of, (from, len), kind, held)| {
            // Atomic subroutines are executed at once.
            let is_held = held && matches!(kind, Kind::Read | Kind::Write);
            Step::Access { image, of, from, len, kind, is_held }
        }),
        1 => Just(Step::SyncAll),
        2 => (image(), image()).prop_map(|(one, other)| Step::SyncImages(one, other)),
        1 => image().prop_map(Step::SyncMemory),
        1 => (image(), 0..4u64).prop_map(|(image, variable)| Step::Release { image, variable }),
        1 => (image(), 0..4u64).prop_map(|(image, variable)| Step::Acquire { image, variable }),
        1 => (image(), 0..4u64, any::<bool>())
            .prop_map(|(image, variable, writes)| Step::Atomic { image, variable, writes }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn no_race_is_invented(steps in prop::collection::vec(step(4, false), 1..100)) {
        run(4, &steps, false);
    }

    /// Two images that read and write granules need no more slots than there are.
    #[test]
    fn every_race_of_two_images_is_found(steps in prop::collection::vec(step(2, true), 1..100)) {
        run(2, &steps, true);
    }
}

#[test]
fn the_order_of_atomic_subroutines_counts_from_the_next_segment_on() {
    let [one, other] = &races(2)[..] else { panic!("two images") };
    let flag = VARIABLES;
    let bytes = Bytes { of: Rank::new(0), offset: HEAP, len: 4 };
    let write = |races: &Races<'_>| races.access(races.site(&[1]), bytes, Kind::Write);
    other.set_report(note);
    write(one);
    one.before_atomic(Rank::new(0), flag);
    other.after_atomic(Rank::new(0), flag);
    other.begin_segment();
    write(other);
    assert_eq!(FOUND.take().len(), 1, "without SYNC MEMORY before the flag was set");
    one.begin_segment();
    one.before_atomic(Rank::new(0), flag);
    other.after_atomic(Rank::new(0), flag);
    other.begin_segment();
    other.access(other.site(&[2]), bytes, Kind::Write);
    assert_eq!(FOUND.take(), []);
}

#[test]
fn a_site_beyond_those_that_are_remembered_is_not_named() {
    let [one, other] = &races(2)[..] else { panic!("two images") };
    let at = |index: u64| Bytes { of: Rank::new(1), offset: HEAP + 8 * index, len: 8 };
    for number in 1..SITES + 1 {
        let site = one.site(&[77, number]);
        one.access(site, at(u64::from(number == SITES)), Kind::Write);
    }
    other.set_report(note);
    other.access(other.site(&[5]), at(1), Kind::Read);
    let writer = Rank::new(0);
    let found = FOUND.take();
    let [Race { of, other: its, .. }] = found[..] else { panic!("{found:?}") };
    assert_eq!((of, its.image, its.kind), (Rank::new(1), writer, Kind::Write));
    assert_eq!((its.site, other.statement(writer, its.site)), (Site::UNKNOWN, None));
    assert_eq!(one.shadows.site(writer, (SITES - 1) as u16), [77, SITES - 1]);
    assert_eq!(one.shadows.site(writer, 0), []);
    assert_eq!(one.site(&[77, SITES + 9]), Site::UNKNOWN);
}

thread_local! {
    /// The image that holds back a write, if there is one.
    static HOLDING: Cell<Option<&'static Races<'static>>> = const { Cell::new(None) };
}

const HERE: Bytes = Bytes { of: Rank::new(0), offset: HEAP, len: 8 };

#[test]
fn an_access_that_is_held_back_is_entered_before_the_order_changes() {
    let [one, other] = &*races(2).leak() else { panic!("two images") };
    one.set_flush(|| {
        if let Some(image) = HOLDING.take() {
            image.access(image.site(&[3]), HERE, Kind::Write);
        }
    });
    let both = || [0, 1].map(Rank::new);
    other.set_report(note);
    let read = || {
        other.access(other.site(&[4]), HERE, Kind::Read);
        FOUND.take().len()
    };
    let synchronise = || {
        [one, other].into_iter().for_each(|it| it.announce(both()));
        [one, other].into_iter().for_each(|it| it.meet(both()));
    };
    HOLDING.set(Some(one));
    synchronise();
    assert!(HOLDING.get().is_none());
    assert_eq!(read(), 0);
    synchronise();
    HOLDING.set(Some(one));
    one.begin_segment();
    assert_eq!(read(), 1);
}

#[test]
fn a_pair_of_sites_is_reported_once_and_counted() {
    let images: Rc<[Races<'static>]> = races(2).into();
    IMAGES.set(images.clone());
    let [one, other] = &images[..] else { panic!("two images") };
    other.set_report(|race| {
        note(race);
        let entered = IMAGES.with_borrow(|images| images[1].enter(77));
        entered.map(|(entry, _)| entry)
    });
    let at = |index: u64| Bytes { of: Rank::new(0), offset: HEAP + 64 * index, len: 24 };
    for index in 0..3 {
        one.access(one.site(&[1]), at(index), Kind::Write);
        other.access(other.site(&[2]), at(index), Kind::Read);
    }
    IMAGES.set(Rc::new([]));
    assert_eq!(FOUND.take().len(), 1);
    assert_eq!(one.whole_table().unwrap().races, [(3, String::new())]);
}

/// Image 1 writes, and posts the event: first the check learns of the post, then it is in the event.
fn write_and_post(image: &Races<'_>, index: u64) {
    let bytes = Bytes { of: POSTED, offset: HEAP + 8 * index, len: 8 };
    image.access(image.site(&[1]), bytes, Kind::Write);
    image.post(POSTED, VARIABLES);
    image.shadows.word(POSTED, VARIABLES).fetch_add(1, Ordering::Release);
}

/// The image of the event waits for a post.
fn wait(image: &Races<'_>) {
    image.shadows.word(POSTED, VARIABLES).fetch_sub(1, Ordering::Acquire);
    image.take_posts(VARIABLES);
}

/// The number of races when the image of the event reads there, in a statement of its own.
fn read_posted(image: &Races<'_>, index: u64, statement: usize) -> usize {
    let bytes = Bytes { of: POSTED, offset: HEAP + 8 * index, len: 8 };
    image.access(image.site(&[statement]), bytes, Kind::Read);
    FOUND.take().len()
}

/// The image of the event.
const POSTED: Rank = Rank::new(0);

#[test]
fn a_wait_orders_what_precedes_the_posts_that_it_takes_off() {
    let [other, one] = &races(2)[..] else { panic!("two images") };
    other.set_report(note);
    for index in 0..3 {
        write_and_post(one, index);
    }
    wait(other);
    wait(other);
    assert_eq!([0, 1].map(|index| read_posted(other, index, 2)), [0, 0]);
    assert_eq!(read_posted(other, 2, 3), 1, "the third post is not taken off yet");
    wait(other);
    assert_eq!(read_posted(other, 2, 4), 0);
}

#[test]
fn posts_that_follow_while_a_wait_is_entered_are_not_taken_off() {
    let images: Rc<[Races<'static>]> = races(2).into();
    IMAGES.set(images.clone());
    let [other, one] = &images[..] else { panic!("two images") };
    other.set_report(note);
    write_and_post(one, 0);
    // Between the wait itself and its entry: the image that posts runs ahead.
    other.set_flush(|| {
        let images = IMAGES.with_borrow(Rc::clone);
        (1..4).for_each(|index| write_and_post(&images[1], index));
    });
    wait(other);
    IMAGES.set(Rc::new([]));
    assert_eq!([0, 1, 2, 3].map(|it| read_posted(other, it, 2 + it as usize)), [0, 1, 1, 1]);
}

#[test]
fn an_event_that_several_images_post_orders_all_of_them() {
    let [other, one, third] = &races(3)[..] else { panic!("three images") };
    other.set_report(note);
    write_and_post(one, 0);
    write_and_post(third, 1);
    wait(other);
    assert_eq!([0, 1].map(|index| read_posted(other, index, 2)), [0, 0]);
}

#[test]
fn accesses_of_an_image_that_has_failed_precede_those_after_an_image_control_statement() {
    let races = races(2);
    let bytes = Bytes { of: Rank::new(0), offset: HEAP, len: 8 };
    FOUND.take();
    races[0].set_report(note);
    races[1].access(Site::from_number(1), bytes, Kind::Write);
    publish_failed(&races[0].job, Rank::new(1));
    races[0].begin_segment();
    races[0].access(Site::from_number(1), bytes, Kind::Read);
    assert!(FOUND.take().is_empty());
}
