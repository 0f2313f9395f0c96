//! One image executes a program.

use crate::case::End;
use crate::dice::Dice;
use crate::operation::Operation;
use crate::program::{Indices, Partners, Statement, TeamRegion, What};
use std::cell::Cell;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use xmp_coarray::front_end::lock::LOCK_LEN;
use xmp_coarray::front_end::{event, sync_all_active, sync_images, sync_images_all};
use xmp_core::image_set::ImageSet;
use xmp_core::job::page::ImageState;
use xmp_core::{Error, Image, Rank, Result, failure};
use xmp_teams::{Team, change_active, end_active, form_active, sync_active};

/// State that the images share without the runtime.
pub struct SharedState {
    /// For each image, one more than the index of the statement that it has reached.
    reached: Vec<AtomicUsize>,
    /// The image, from 1, that holds the lock of each image.
    pub holders: Vec<AtomicUsize>,
    /// The image, from 1, that is in the critical construct.
    pub within_critical: AtomicUsize,
    /// The offsets of coarrays, by statement and the images that have them.
    pub coarrays: Mutex<HashMap<(usize, Vec<Rank>), u64>>,
}

impl SharedState {
    /// At the start.
    pub fn new(images: usize) -> SharedState {
        let zeros = || (0..images).map(|_| AtomicUsize::new(0)).collect();
        SharedState {
            reached: zeros(),
            holders: zeros(),
            within_critical: AtomicUsize::new(0),
            coarrays: Mutex::default(),
        }
    }

    /// The statement that each image has reached.
    pub fn text(&self) -> String {
        let reached = self.reached.iter().map(|at| match at.load(Ordering::Relaxed) {
            AT_END => "end".to_string(),
            at => (at as i64 - 1).to_string(),
        });
        format!("images are at {:?}", reached.collect::<Vec<_>>())
    }
}

const AT_END: usize = usize::MAX;

/// Why an image leaves the program.
pub enum Leave {
    /// It ends in this way.
    Ends(End),
    /// Another one has stopped.
    GivesUp,
}

/// An image and what it is to do.
pub struct Run<'a> {
    pub image: &'a Image,
    pub shared: &'a SharedState,
    /// Its own.
    pub dice: &'a Dice,
    pub end: Option<(usize, End)>,
    pub gives_up: bool,
    /// Whether no image stops.
    pub only_failures: bool,
}

/// The payload with which an image unwinds that fails in the midst of an operation.
struct Fails;

impl Run<'_> {
    /// Executes it.
    pub fn program(&self, text: &[Statement]) {
        // Before anything can end: the same offsets on all images.
        let memory = self.image.memory();
        let event = memory.allocate_symmetric(event::EVENT_LEN as u64, 64).unwrap();
        let lock = memory.allocate_symmetric(LOCK_LEN as u64, 64).unwrap();
        let critical = memory.allocate_symmetric(LOCK_LEN as u64, 64).unwrap();
        let places = Places { event, lock, critical };
        let within = catch_unwind(AssertUnwindSafe(|| self.statements(text, &places)));
        match within {
            Ok(Ok(())) => self.reach(AT_END),
            Ok(Err(Leave::GivesUp | Leave::Ends(End::Stops))) => {}
            Ok(Err(Leave::Ends(End::Fails | End::FailsWithin))) => self.fails(),
            Err(panic) if panic.is::<Fails>() => self.fails(),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }

    fn fails(&self) {
        failure::publish_failed(self.image.job(), self.image.rank());
    }

    fn reach(&self, at: usize) {
        self.shared.reached[self.image.rank().index()].store(at, Ordering::Release);
    }

    fn statements(&self, text: &[Statement], places: &Places) -> std::result::Result<(), Leave> {
        for Statement { at, what } in text {
            let ends = self.end.filter(|(end, _)| end <= at).map(|(_, how)| how);
            match ends {
                Some(End::FailsWithin)
                    if matches!(what, What::Collective { kind: 0 | 1 | 8, .. }) => {}
                Some(how) => return Err(Leave::Ends(how)),
                None => {}
            }
            self.pause();
            self.reach(at + 1);
            self.statement(*at, what, places)?;
            if let Some(how) = ends {
                return Err(Leave::Ends(how));
            }
        }
        Ok(())
    }

    pub fn pause(&self) {
        match self.dice.roll(24) {
            0 => std::thread::sleep(Duration::from_micros(100 << self.dice.roll(5))),
            1..6 => std::thread::yield_now(),
            _ => {}
        }
    }

    fn statement(&self, at: usize, what: &What, places: &Places) -> std::result::Result<(), Leave> {
        let image = self.image;
        let set = image.executing();
        match what {
            What::SyncAll => {
                let before = self.stopped(&set);
                self.synchronised(at, &set, before, sync_all_active(image, &set))
            }
            What::SyncTeam(out) => {
                let team = Team::ancestor(image, *out);
                let before = self.stopped(team.set());
                self.synchronised(at, team.set(), before, sync_active(image, &team))
            }
            What::SyncImages(partners) => self.sync_images(at, &set, *partners),
            &What::Collective { out, kind, len, background } => {
                let set = Team::ancestor(image, out).set().clone();
                let left = Cell::new(match self.end {
                    Some((end, End::FailsWithin)) if end <= at => Some(self.dice.roll(len + 1)),
                    _ => None,
                });
                let before_adding = || match left.get() {
                    Some(0) => std::panic::resume_unwind(Box::new(Fails)),
                    Some(n) => left.set(Some(n - 1)),
                    None => {}
                };
                let before_adding = &before_adding;
                let operation =
                    Operation { image, set: &set, at, kind, len, background, before_adding };
                let outcome = operation.run();
                self.told(at, &set, &outcome)
            }
            What::Events => self.events(&set, places.event),
            What::Lock(of) => self.lock(at, &set, *of, places.lock),
            What::Critical => self.critical(at, places.critical),
            &What::Coarray { len, stays } => self.coarray(at, &set, len, stays),
            What::Team(region) => self.team(at, &set, region, places),
        }
    }

    /// Whether an image of the set is known to have stopped.
    pub fn stopped(&self, set: &ImageSet) -> bool {
        set.ranks().any(|rank| self.image.job().state(rank) == ImageState::Stopped)
    }

    /// Whether an image of the set is known to have failed: those that are left may have fewer indices than they ask
    /// for.
    fn has_lost_one(&self, set: &ImageSet) -> bool {
        set.ranks().any(|rank| self.image.job().state(rank) == ImageState::Failed)
    }

    /// Checks that the outcome is one that the standard allows.
    pub fn told(
        &self,
        at: usize,
        set: &ImageSet,
        outcome: &Result<()>,
    ) -> std::result::Result<(), Leave> {
        let me = self.image.rank().image();
        match *outcome {
            Ok(()) => Ok(()),
            Err(Error::StoppedImage(rank)) => {
                self.has_ended(at, set, rank, ImageState::Stopped);
                if self.gives_up { Err(Leave::GivesUp) } else { Ok(()) }
            }
            Err(Error::FailedImage(rank)) => {
                self.has_ended(at, set, rank, ImageState::Failed);
                Ok(())
            }
            Err(ref error) => panic!("at {at}, image {me}: {error}"),
        }
    }

    fn has_ended(&self, at: usize, set: &ImageSet, rank: Rank, how: ImageState) {
        let me = self.image.rank().image();
        assert!(set.position_of(rank).is_some(), "at {at}, image {me}: {rank} is no member");
        // Another image may have told this one before its host was told.
        let state = || self.image.job().state(rank);
        while state() == ImageState::Running {
            std::thread::yield_now();
        }
        assert_eq!(state(), how, "at {at}, image {me}: {rank}");
    }

    /// Also that the images that are left are synchronised, that a stopped image has precedence, and that an image of
    /// the set has ended before its part. (Between hosts the end of a failed image may come before the last that it has
    /// sent: then those that wait for that are told, though it was there. Fortran wants no more than that it has
    /// failed.)
    pub fn synchronised(
        &self,
        at: usize,
        set: &ImageSet,
        had_stopped: bool,
        outcome: Result<()>,
    ) -> std::result::Result<(), Leave> {
        let me = self.image.rank().image();
        if !matches!(outcome, Err(Error::StoppedImage(_))) {
            assert!(
                !had_stopped || outcome.is_ok(),
                "at {at}, image {me}: {outcome:?}, but one has stopped"
            );
            self.others_have_come(at, set.ranks());
        }
        let told = self.told(at, set, &outcome);
        let how = match outcome {
            Err(Error::StoppedImage(_)) => ImageState::Stopped,
            Err(Error::FailedImage(_)) => ImageState::Failed,
            _ => return told,
        };
        let may_be_early = how == ImageState::Failed && !self.image.one_host();
        let is_missing = |rank: Rank| {
            self.image.job().state(rank) == how && (may_be_early || self.reached_by(rank) <= at + 1)
        };
        assert!(
            set.ranks().any(is_missing),
            "at {at}, image {me}: {outcome:?}, but all have been there"
        );
        told
    }

    fn reached_by(&self, rank: Rank) -> usize {
        self.shared.reached[rank.index()].load(Ordering::Acquire)
    }

    fn others_have_come(&self, at: usize, others: impl IntoIterator<Item = Rank>) {
        for rank in others {
            let runs = self.image.job().state(rank) == ImageState::Running;
            let reached = self.reached_by(rank);
            let me = self.image.rank().image();
            assert!(!runs || reached > at, "image {me} has left {at}, {rank} has not come");
        }
    }

    fn sync_images(
        &self,
        at: usize,
        set: &ImageSet,
        partners: Partners,
    ) -> std::result::Result<(), Leave> {
        let (me, n) = (set.position().expect("a member") as i32 + 1, set.len() as i32);
        let before = |indices: &[i32]| {
            let rank = |index: &i32| set.rank_at(*index as usize - 1).expect("an index");
            indices.iter().map(rank).collect::<Vec<_>>()
        };
        let indices: Vec<i32> = match partners {
            Partners::First if me > 1 => vec![1],
            Partners::All | Partners::First => (1..=n).collect(),
            Partners::Pairs => vec![if me % 2 == 1 { (me + 1).min(n) } else { me - 1 }],
        };
        let ranks = before(&indices);
        let outcome = match partners {
            Partners::All => sync_images_all(self.image, set),
            _ => sync_images(self.image, set, &indices),
        };
        if !matches!(outcome, Err(Error::StoppedImage(_))) {
            self.others_have_come(at, ranks);
        }
        self.told(at, set, &outcome)
    }

    fn team(
        &self,
        at: usize,
        set: &Rc<ImageSet>,
        region: &TeamRegion,
        places: &Places,
    ) -> std::result::Result<(), Leave> {
        let &TeamRegion { split, indices, synchronises, ref body, end } = region;
        let image = self.image;
        let me = set.position().expect("a member");
        let number = split.number(me);
        let mut index = indices.index(split, me, set.len());
        let before = self.stopped(set);
        let mut formed = form_active(image, number, index);
        if matches!(formed, Err(Error::Team { .. })) {
            // The same on all that are left.
            assert_eq!(indices, Indices::Repeated, "at {at}: {formed:?}");
            index = None;
            formed = form_active(image, number, index);
        }
        let (team, outcome) = match formed {
            Ok(formed) => formed,
            Err(error) => {
                self.told(at, set, &Err(error))?;
                return Err(Leave::GivesUp);
            }
        };
        if let Some(index) = index {
            let (position, asked) = (team.set().position().expect("a member"), index as usize - 1);
            // The places of images that have failed are closed.
            let is_right = position == asked || position < asked && self.has_lost_one(set);
            assert!(is_right, "at {at}: NEW_INDEX={index}, but the place is {position}");
        }
        self.synchronised(at, set, before, outcome)?;
        if synchronises {
            let before = self.stopped(team.set());
            self.synchronised(at, team.set(), before, sync_active(image, &team))?;
        }
        let before = self.stopped(team.set());
        match change_active(image, &team) {
            Ok(outcome) => self.synchronised(at, team.set(), before, outcome)?,
            Err(error) => {
                self.told(at, team.set(), &Err(error))?;
                return Err(Leave::GivesUp);
            }
        }
        self.statements(body, places)?;
        self.reach(end + 1);
        let before = self.stopped(team.set());
        let outcome = end_active(image).unwrap().outcome();
        self.synchronised(end, team.set(), before, outcome)
    }
}

/// The offsets of variables that all images have.
struct Places {
    event: u64,
    lock: u64,
    critical: u64,
}
