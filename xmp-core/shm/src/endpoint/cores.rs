//! Images that share cores: on which core each one runs, and an even distribution. The reasons and what was measured are in
//! `../wait/README.md`, "Where images run".

use crate::job::Job;
use crate::job::page::ImageState;
use crate::rank::Rank;
use crate::sync::Ordering;
use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};
use smallvec::{SmallVec, smallvec};
use std::cell::{Cell, OnceCell};
use std::time::{Duration, Instant};

/// Waits between two looks at the cores of all images, at least.
const WAITS: usize = 32;

/// Least and greatest time between two moves of an image.
const PAUSES: [Duration; 2] = [Duration::from_millis(1), Duration::from_secs(8)];

/// Waits of a trial, the time after a move.
const TRIAL: usize = 64;

/// A longer time from one wait to the next in a trial has met another program: its time slice was longer.
const SLICE: Duration = Duration::from_millis(1);

/// Pauses without a move after which the pause is halved.
const QUIET: u32 = 16;

/// What an image knows of the cores that it shares with others. Cores are numbered from 1; 0: not known.
#[derive(Debug, Default)]
pub struct Cores {
    /// The core that it has published.
    mine: Cell<u32>,
    /// Waits since the last look.
    waits: Cell<usize>,
    /// The cores on which it may run, in ascending order; none if there is no choice.
    permitted: OnceCell<Box<[u32]>>,
    /// Whether it has moved to its home.
    has_begun: Cell<bool>,
    /// Whether the last look found that this image should move.
    uneven: Cell<bool>,
    pace: Cell<Pace>,
    trial: Cell<Option<Trial>>,
}

/// The first waits on a new core. Another program may run there, and the system may have kept the images away from it.
#[derive(Clone, Copy, Debug)]
struct Trial {
    /// The core before the move.
    from: u32,
    /// When the last wait began.
    last: Instant,
    /// Waits still to come.
    left: usize,
}

impl Cores {
    /// Publishes the core on which the image `rank` runs.
    pub fn publish(&self, job: &Job, rank: Rank) {
        let core = sched_getcpu() as u32 + 1;
        if core != self.mine.replace(core) {
            job.entry(rank).doorbell.set_core(core);
        }
    }

    /// Called when the image `rank` is about to wait: now and then it publishes its core and corrects the distribution.
    #[inline]
    pub fn begin_wait(&self, job: &Job, rank: Rank) {
        if let Some(trial) = self.trial.get() {
            return self.go_on(trial, Instant::now());
        }
        let waits = self.waits.get() + 1;
        self.waits.set(waits);
        // A look reads a line of each image.
        if waits >= WAITS.max(job.region_ranks().len()) {
            self.waits.set(0);
            self.look(job, rank);
        }
    }

    #[cold]
    fn look(&self, job: &Job, rank: Rank) {
        self.publish(job, rank);
        let permitted = self.permitted.get_or_init(permitted);
        let images = running(job, permitted);
        // Images that could have a core each are left where the system has them: two that exchange messages while all
        // others sleep are often faster on one core.
        let awake = images.iter().filter(|image| image.is_awake).count();
        let me = images.iter().position(|image| image.rank == rank);
        let Some(me) = me.filter(|_| awake > permitted.len()) else { return };
        if !self.has_begun.replace(true) {
            let home = home(me, images.len(), permitted);
            if home != images[me].core {
                self.move_to(home);
            }
            return;
        }
        let target = target(&images, me, permitted);
        // A single look may have seen an image that the system is just moving.
        if self.uneven.replace(target.is_some())
            && let Some(target) = target
        {
            self.move_to(target);
        }
    }

    fn move_to(&self, core: u32) {
        let (mut pace, now) = (self.pace.get(), Instant::now());
        if pace.permits(now) {
            self.pace.set(pace);
            self.trial.set(Some(Trial { from: self.mine.get(), last: now, left: TRIAL }));
            move_to(core);
        }
    }

    /// The next wait of a trial, which began at `now`.
    #[cold]
    fn go_on(&self, trial: Trial, now: Instant) {
        let failed = now - trial.last > SLICE;
        let goes_on = !failed && trial.left > 1;
        self.trial.set(goes_on.then_some(Trial { last: now, left: trial.left - 1, ..trial }));
        if failed {
            self.pace.set(Pace { last: Some(now), pause: PAUSES[1] });
            move_to(trial.from);
        }
    }
}

/// An image that runs on one of the cores that this image may use.
#[derive(Clone, Copy, Debug)]
struct Running {
    rank: Rank,
    core: u32,
    /// Whether it does not sleep.
    is_awake: bool,
}

/// The images of this region that share the cores `permitted`, in the order of their ranks.
fn running(job: &Job, permitted: &[u32]) -> SmallVec<[Running; 16]> {
    let images = job.region_ranks().iter().map(|&rank| (rank, job.entry(rank)));
    // Relaxed: a hint.
    let images = images
        .filter(|(_, entry)| entry.state.load(Ordering::Relaxed) == ImageState::Running as u32);
    let images = images.map(|(rank, entry)| Running {
        rank,
        core: entry.doorbell.core(),
        is_awake: !entry.doorbell.is_parked(),
    });
    images.filter(|image| permitted.binary_search(&image.core).is_ok()).collect()
}

/// The core of the image at `position` of `images` images that are distributed over `permitted` in blocks.
fn home(position: usize, images: usize, permitted: &[u32]) -> u32 {
    permitted[position * permitted.len() / images]
}

/// The core to which the image at the position `me` should move, if its own has at least two images more than another one: its home, or
/// else the core with the fewest images. Of the images on its core only one moves, an image that is not at home if there is one.
fn target(images: &[Running], me: usize, permitted: &[u32]) -> Option<u32> {
    let is_at_home =
        |position: usize| home(position, images.len(), permitted) == images[position].core;
    let shares_core =
        |&position: &usize| images[position].is_awake && images[position].core == images[me].core;
    let here = || (0..images.len()).rev().filter(shares_core);
    let moves = here().find(|&position| !is_at_home(position)).or_else(|| here().next());
    if moves != Some(me) {
        return None;
    }
    let mut counts: SmallVec<[usize; 64]> = smallvec![0; permitted.len()];
    for image in images.iter().filter(|image| image.is_awake) {
        if let Ok(core) = permitted.binary_search(&image.core) {
            counts[core] += 1;
        }
    }
    let count = |core| permitted.binary_search(&core).map_or(0, |core| counts[core]);
    let is_better = |&core: &u32| count(core) + 2 <= count(images[me].core);
    let fewest = permitted.iter().copied().min_by_key(|&core| count(core));
    let home = home(me, images.len(), permitted);
    [Some(home), fewest].into_iter().flatten().find(is_better)
}

/// The cores on which this thread may run; none if it is bound to one, or if the system does not tell.
fn permitted() -> Box<[u32]> {
    let Ok(set) = sched_getaffinity(None) else { return Box::default() };
    let cores = (0..CpuSet::MAX_CPU).filter(|&core| set.is_set(core));
    let cores: Box<[u32]> = cores.map(|core| core as u32 + 1).collect();
    if cores.len() > 1 { cores } else { Box::default() }
}

/// Moves this thread to a core, from which the system may move it again. Where the system refuses, the thread stays.
fn move_to(core: u32) {
    let Ok(permitted) = sched_getaffinity(None) else { return };
    let mut only = CpuSet::new();
    only.set(core as usize - 1);
    if let Err(error) = sched_setaffinity(None, &only) {
        return tracing::debug!(%error, core, "the system does not move this image");
    }
    if let Err(error) = sched_setaffinity(None, &permitted) {
        tracing::warn!(%error, core, "this image stays bound to one core");
    }
}

/// How often an image may move. Each move doubles the pause after it, a long time without one halves it: where another program keeps a
/// core, the system undoes the moves, and each one costs a time slice.
#[derive(Clone, Copy, Debug, Default)]
struct Pace {
    last: Option<Instant>,
    pause: Duration,
}

impl Pace {
    /// Whether the image may move now. If so, it is taken to do so.
    fn permits(&mut self, now: Instant) -> bool {
        let [least, most] = PAUSES;
        let since = self.last.map_or(Duration::MAX, |last| now - last);
        if since < self.pause {
            return false;
        }
        let pause = if since > self.pause * QUIET { self.pause / 2 } else { self.pause * 2 };
        *self = Pace { last: Some(now), pause: pause.clamp(least, most) };
        true
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// Images that are awake on these cores.
    fn on(cores: &[u32]) -> Vec<Running> {
        let image = |(rank, &core)| Running { rank: Rank::new(rank), core, is_awake: true };
        (0..).zip(cores).map(image).collect()
    }

    /// Where each image moves.
    fn moves(images: &[Running], permitted: &[u32]) -> Vec<Option<u32>> {
        (0..images.len()).map(|me| target(images, me, permitted)).collect()
    }

    #[test]
    fn one_image_of_a_full_core_moves_and_rather_one_that_is_not_at_home() {
        let none = None::<u32>;
        assert_eq!(moves(&on(&[1, 1, 2, 2]), &[1, 2]), [none; 4]);
        assert_eq!(moves(&on(&[1, 2, 1, 2]), &[1, 2]), [none; 4]);
        assert_eq!(moves(&on(&[1, 1, 2]), &[1, 2]), [none; 3]);
        assert_eq!(moves(&on(&[1, 1, 1, 2]), &[1, 2]), [none, none, Some(2), none]);
        assert_eq!(moves(&on(&[1, 2, 2, 2]), &[1, 2]), [none, Some(1), none, none]);
        assert_eq!(moves(&on(&[2, 2, 2, 2]), &[1, 2]), [none, Some(1), none, none]);
        // The home of the fourth image has as many as its own core.
        let cores = [3, 3, 3, 3, 7, 7, 7, 9, 7];
        let expected = [none, none, none, Some(9), none, none, none, none, Some(9)];
        assert_eq!(moves(&on(&cores), &[3, 7, 9]), expected);
    }

    #[test]
    fn an_image_that_sleeps_takes_no_core() {
        let mut images = on(&[1, 1, 2, 2]);
        images[2].is_awake = false;
        images[3].is_awake = false;
        assert_eq!(moves(&images, &[1, 2]), [None, Some(2), None, None]);
    }

    #[test]
    fn repeated_moves_end_with_an_even_distribution() {
        for (images, cores) in [(3, 2), (4, 2), (7, 3), (8, 2), (9, 4), (33, 8)] {
            let permitted: Vec<u32> = (1..=cores).collect();
            let mut images = on(&vec![1; images]);
            while let Some((me, core)) = moves(&images, &permitted)
                .into_iter()
                .enumerate()
                .find_map(|(me, to)| Some((me, to?)))
            {
                images[me].core = core;
            }
            let count = |core| images.iter().filter(|image| image.core == core).count();
            let counts: Vec<usize> = permitted.iter().map(|&core| count(core)).collect();
            let (least, most) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
            assert!(most - least <= 1, "{counts:?}");
        }
    }

    #[test]
    fn an_image_leaves_a_core_that_another_program_has() {
        let start = Instant::now();
        let permitted = permitted();
        let trial =
            Trial { from: permitted.first().copied().unwrap_or(1), last: start, left: TRIAL };
        let cores = Cores::default();
        cores.trial.set(Some(trial));
        for wait in 1..TRIAL as u32 {
            cores.go_on(cores.trial.get().unwrap(), start + wait * SLICE / 2);
        }
        assert_eq!(cores.trial.get().unwrap().left, 1);
        assert!(cores.pace.get().permits(start));
        // A time slice passes between two waits.
        cores.go_on(cores.trial.get().unwrap(), start + (TRIAL as u32 + 2) * SLICE);
        assert!(cores.trial.get().is_none());
        assert!(!cores.pace.get().permits(start + PAUSES[1]));
        // Without that, the trial ends by itself.
        cores.trial.set(Some(Trial { left: 1, ..trial }));
        cores.go_on(cores.trial.get().unwrap(), start);
        assert!(cores.trial.get().is_none());
    }

    #[test]
    fn a_move_leaves_the_permitted_cores_as_they_were() {
        let cpus = || {
            let set = sched_getaffinity(None).unwrap();
            (0..CpuSet::MAX_CPU).filter(|&cpu| set.is_set(cpu)).collect::<Vec<_>>()
        };
        let before = cpus();
        for core in permitted() {
            move_to(core);
            assert_eq!(cpus(), before);
        }
    }

    #[test]
    fn moves_that_are_undone_become_rare_and_may_be_frequent_again() {
        let mut pace = Pace::default();
        let start = Instant::now();
        let mut now = start;
        let mut moves = 0;
        while now < start + Duration::from_secs(60) {
            moves += u32::from(pace.permits(now));
            now += Duration::from_millis(1);
        }
        assert!((20..40).contains(&moves), "{moves}");
        let mut waited = Duration::ZERO;
        while pace.pause > PAUSES[0] {
            waited += 17 * pace.pause;
            now += 17 * pace.pause;
            assert!(pace.permits(now));
        }
        assert!(waited < Duration::from_secs(300));
    }
}
