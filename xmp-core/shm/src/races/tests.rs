//! Random programs, executed one step after the other: what is found is compared with the order of all their accesses,
//! which the reference keeps as sets.

use super::access::SITES;
use super::{Bytes, Kind, Races, Site};
use crate::error::Error;
use crate::job::Job;
use crate::job::page::Geometry;
use crate::rank::Rank;
use crate::settings::{Checks, Settings};
use crate::thread_images::job;
use proptest::prelude::*;
use std::cell::Cell;
use std::sync::Arc;

/// A step of a program. Images, variables and synchronising images are chosen by their numbers.
#[derive(Clone, Debug)]
enum Step {
    Access { image: usize, of: usize, from: u64, len: u64, kind: Kind },
    SyncAll,
    SyncImages(usize, usize),
    SyncMemory(usize),
    Release { image: usize, variable: u64 },
    Acquire { image: usize, variable: u64 },
    Atomic { image: usize, variable: u64, writes: bool },
}

/// Which accesses are ordered before what an image does next, by their numbers in the program.
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

fn races(images: u32) -> Vec<Races> {
    let geometry = Geometry::plan(images, 1, Some(1 << 26)).unwrap();
    let geometry = Geometry { base: 0, ..geometry }.with_shadow(true);
    let settings = Settings::default();
    let job: Arc<Job> = Arc::new(job(&settings, geometry).unwrap());
    (0..images).map(|number| Races::new(job.clone(), Rank::new(number)).unwrap()).collect()
}

const HEAP: u64 = 1 << 20;
const VARIABLES: u64 = HEAP + 4096;

fn overlaps(a: &Bytes, b: &Bytes) -> bool {
    a.of == b.of && a.offset < b.offset + b.len && b.offset < a.offset + a.len
}

/// Executes a program. An access is a race exactly if the reference says so, or - unless all are found - only if it does.
fn run(images: u32, steps: &[Step], all: bool) {
    let races = races(images);
    let mut images = vec![Reference::default(); images as usize];
    let mut variables = [Past::default(); 4];
    let mut accesses: Vec<(usize, Bytes, Kind)> = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        match *step {
            Step::Access { image, of, from, len, kind } => {
                let bytes = Bytes { of: Rank::new(of as u32), offset: HEAP + from, len };
                let past = images[image].past;
                let conflicting = |other: Option<usize>| {
                    let mut before = accesses.iter().enumerate();
                    before.any(|(number, (it, its, its_kind))| {
                        *it != image
                            && other.is_none_or(|other| other == *it)
                            && overlaps(its, &bytes)
                            && its_kind.conflicts(kind)
                            && past & (1 << number) == 0
                    })
                };
                let found = races[image].access(races[image].site(&[number + 1]), bytes, kind);
                match found {
                    Err(Error::Race(race)) => {
                        assert!(conflicting(Some(race.other.index())), "{race:?} in step {number}");
                        // The job would end: the rest of the access is not entered.
                        if all {
                            return;
                        }
                    }
                    Err(error) => panic!("{error}"),
                    Ok(()) => assert!(!all || !conflicting(None), "missed in step {number}"),
                }
                images[image].past |= 1 << accesses.len();
                accesses.push((image, bytes, kind));
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
}

fn kinds(atomic: bool) -> impl Strategy<Value = Kind> {
    let last = if atomic { 4 } else { 2 };
    (0..last)
        .prop_map(|at| [Kind::Read, Kind::Write, Kind::AtomicRead, Kind::AtomicWrite][at as usize])
}

/// Steps of so many images; `whole`: accesses are of whole granules.
fn step(images: usize, whole: bool) -> impl Strategy<Value = Step> {
    let image = || 0..images;
    let place = (0..6u64, 1..20u64).prop_map(move |(at, len)| {
        if whole { (8 * (at % 3), 8 + len / 10 * 8) } else { (3 * at, len) }
    });
    let access = (image(), image(), place, kinds(!whole));
    prop_oneof![
        6 => access.prop_map(|(image, of, (from, len), kind)| Step::Access { image, of, from, len, kind }),
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
    let write = |races: &Races| races.access(races.site(&[1]), bytes, Kind::Write);
    write(one).unwrap();
    one.before_atomic(Rank::new(0), flag);
    other.after_atomic(Rank::new(0), flag);
    other.begin_segment();
    assert!(write(other).is_err(), "without SYNC MEMORY before the flag was set");
    one.begin_segment();
    one.before_atomic(Rank::new(0), flag);
    other.after_atomic(Rank::new(0), flag);
    other.begin_segment();
    write(other).unwrap();
}

#[test]
fn a_site_beyond_those_that_are_remembered_is_not_named() {
    let [one, other] = &races(2)[..] else { panic!("two images") };
    let at = |index: u64| Bytes { of: Rank::new(1), offset: HEAP + 8 * index, len: 8 };
    for number in 1..SITES + 1 {
        let site = one.site(&[77, number]);
        one.access(site, at(u64::from(number == SITES)), Kind::Write).unwrap();
    }
    let found = |index| match other.access(other.site(&[5]), at(index), Kind::Read) {
        Err(Error::Race(race)) => (race.of, race.other, race.verb, race.statement),
        outcome => panic!("{outcome:?}"),
    };
    let (of, writer) = (Rank::new(1), Rank::new(0));
    assert_eq!(found(1), (of, writer, "writes", None));
    assert_eq!(one.shadows.site(writer, (SITES - 1) as u16), [77, SITES - 1]);
    assert_eq!(one.shadows.site(writer, 0), []);
    assert_eq!(one.site(&[77, SITES + 9]), Site::UNKNOWN);
}

thread_local! {
    /// The image that holds back a write, if there is one.
    static HOLDING: Cell<Option<&'static Races>> = const { Cell::new(None) };
}

const HELD: Bytes = Bytes { of: Rank::new(0), offset: HEAP, len: 8 };

#[test]
fn an_access_that_is_held_back_is_entered_before_the_order_changes() {
    let [one, other] = &*races(2).leak() else { panic!("two images") };
    one.set_flush(|| {
        if let Some(image) = HOLDING.take() {
            image.access(image.site(&[3]), HELD, Kind::Write).unwrap();
        }
    });
    let both = || [0, 1].map(Rank::new);
    let read = || other.access(other.site(&[4]), HELD, Kind::Read);
    let synchronise = || {
        [one, other].into_iter().for_each(|it| it.announce(both()));
        [one, other].into_iter().for_each(|it| it.meet(both()));
    };
    HOLDING.set(Some(one));
    synchronise();
    assert!(HOLDING.get().is_none());
    read().unwrap();
    synchronise();
    HOLDING.set(Some(one));
    one.begin_segment();
    assert!(matches!(read(), Err(Error::Race(_))));
}

#[test]
fn several_hosts_are_refused() {
    let geometry = Geometry { base: 0, ..Geometry::plan(2, 2, Some(1 << 26)).unwrap() };
    let check = Checks { races: true, ..Checks::default() };
    let settings = Settings { check, ..Settings::default() };
    let job = Arc::new(job(&settings, geometry.with_shadow(true)).unwrap());
    let error = Races::new(job, Rank::new(0)).unwrap_err().to_string();
    assert!(error.contains("XMP_CHECK") && error.contains("2 hosts"), "{error}");
}
