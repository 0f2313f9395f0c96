//! Images that share cores: on which core each one runs, and an even distribution. The reasons and what was measured are in
//! `../wait/README.md`, "Where images run".

mod distribution;
mod pace;
mod system;
mod taken;

use crate::job::Job;
use crate::job::page::CoreSharers;
use crate::rank::Rank;
use crate::wait::CoreUse;
use distribution::{home, refuge, running, target};
use pace::Pace;
use std::cell::{Cell, OnceCell};
use std::time::{Duration, Instant};
use system::{current, involuntary_switches, move_to, permitted, run_delay};
use taken::Taken;

/// Waits between two looks at the cores of all images, at least.
const WAITS: usize = 32;

/// Looks at which some images slept before the others take it that they go on sleeping.
const CALM: u32 = 32;

/// Waits of a trial, the time after a move.
const TRIAL: usize = 64;

/// An image that could not run for longer from one wait to the next has met another program: its time slice was longer.
const SLICE: Duration = Duration::from_millis(1);

/// Waits between two readings of the clock, which tell whether another program has come.
const CLOCKED: usize = 4;

/// The number of times that a core ran something else between two looks, from which an image takes it that it shares the core with an
/// image that waits for it.
const SWITCHES: u64 = WAITS as u64 / 4;

/// The cores that an image shares with others, as far as it knows them. Cores are numbered from 1; 0: not known.
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
    /// The number of consecutive looks up to the last one at which no more images were awake than there are cores.
    calm: Cell<u32>,
    /// Whether in this many looks no other image was on this core, and none needed it.
    has_one: Cell<bool>,
    /// Whether the last look found that this image should move.
    uneven: Cell<bool>,
    /// Involuntary switches until the last look, where images of other hosts share the cores.
    switches: Cell<u64>,
    pace: Cell<Pace>,
    trial: Cell<Option<Trial>>,
    /// When the clock was last read.
    clocked: Cell<Option<Instant>>,
    /// [`run_delay`] then, if the waits before had taken long.
    delay: Cell<Option<Duration>>,
    taken: Taken,
}

/// The first waits on a new core. Another program may run there, and the system may have kept the images away from it.
#[derive(Clone, Copy, Debug)]
struct Trial {
    /// The core before the move.
    from: u32,
    /// When the last wait began.
    last: Instant,
    /// When the image moved, and [`run_delay`] then.
    start: Instant,
    delay: Duration,
    /// Waits still to come.
    left: usize,
}

impl Cores {
    /// Publishes the core on which the image `rank` runs.
    pub fn publish(&self, job: &Job, rank: Rank) {
        let core = current();
        if core != self.mine.replace(core) {
            job.entry(rank).doorbell.set_core(core);
        }
    }

    /// Called when the image `rank` is about to wait: now and then it publishes its core and corrects the distribution. Returns who
    /// used its core when it last looked.
    #[inline]
    pub fn begin_wait(&self, job: &Job, rank: Rank, asks: bool) -> CoreUse {
        self.correct(job, rank);
        if self.has_one.get() { CoreUse::Own } else { self.taken.begin_wait(asks, Instant::now) }
    }

    /// A yield has met something that computes.
    pub fn meets(&self) {
        self.taken.meets(Instant::now());
    }

    #[inline]
    fn correct(&self, job: &Job, rank: Rank) {
        if let Some(trial) = self.trial.get() {
            return self.go_on(trial, Instant::now(), run_delay);
        }
        let waits = self.waits.get() + 1;
        self.waits.set(waits);
        if waits.is_multiple_of(CLOCKED) {
            self.look_at_clock(job, rank);
        }
        // A look reads a line of each image.
        if waits >= WAITS.max(job.region_ranks().len()) {
            self.waits.set(0);
            self.look(job, rank);
        }
    }

    #[cold]
    fn look(&self, job: &Job, rank: Rank) {
        self.publish(job, rank);
        if job.other_hosts_share_cores() {
            let sharers = job.page().sharers;
            return self.look_at_own_core(job, rank, sharers, involuntary_switches());
        }
        let permitted = self.permitted.get_or_init(permitted);
        let images = running(job, permitted);
        let Some(me) = images.iter().position(|image| image.rank == rank) else { return };
        let awake = || images.iter().filter(|image| image.is_awake);
        let here = awake().filter(|image| image.core == self.mine.get()).count();
        let enough = awake().count() <= permitted.len();
        let calm = if enough { self.calm.get().saturating_add(1) } else { 0 };
        self.calm.set(calm);
        self.has_one.set(here <= 1 && calm >= CALM);
        // Others sleep, but may do so for a moment only.
        if enough && calm < CALM {
            return;
        }
        if !enough && !self.has_begun.replace(true) {
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

    /// The look where images of other hosts share the cores. It does not see where those run, but that this core ran something else,
    /// `switches` times by now.
    fn look_at_own_core(&self, job: &Job, rank: Rank, sharers: CoreSharers, switches: u64) {
        // The system does not tell the core.
        if self.mine.get() == 0 {
            return;
        }
        let permitted = self.permitted.get_or_init(permitted);
        let shares = switches.saturating_sub(self.switches.replace(switches)) >= SWITCHES;
        let slot = job.region_ranks().iter().position(|&its| its == rank);
        let Some(slot) = slot.filter(|_| shares && !permitted.is_empty()) else { return };
        let home = home(sharers.first as usize + slot, sharers.images as usize, permitted);
        if home != self.mine.get() {
            self.move_to(home);
        }
    }

    fn move_to(&self, core: u32) {
        let (mut pace, now) = (self.pace.get(), Instant::now());
        if pace.permits(now) {
            self.pace.set(pace);
            let (from, delay) = (self.mine.get(), run_delay().unwrap_or_default());
            tracing::debug!(from = from - 1, to = core - 1, "this image moves to another core");
            move_to(core);
            self.has_one.set(false);
            self.trial.set(Some(Trial { from, last: now, start: now, delay, left: TRIAL }));
        }
    }

    /// The next wait of a trial, which began at `now`. `run_delay` is [`run_delay`].
    #[inline]
    fn go_on(&self, trial: Trial, now: Instant, run_delay: impl Fn() -> Option<Duration>) {
        // Something else had the core for half of the time or more. Where that is not known, the time counts alone.
        let is_displaced =
            |delay: Duration| delay.saturating_sub(trial.delay) > (now - trial.start) / 2;
        let failed = now - trial.last > SLICE && run_delay().is_none_or(is_displaced);
        let goes_on = !failed && trial.left > 1;
        let next = Trial { last: now, left: trial.left - 1, ..trial };
        self.trial.set(goes_on.then_some(next));
        if failed {
            self.pace.set(self.pace.get().after_failure(now));
            move_to(trial.from);
        }
    }

    /// Whether something else had this core for half of the time or more. `passed` is the time of the last waits; short ones end the
    /// question.
    #[inline]
    fn is_displaced(&self, passed: Duration, run_delay: impl Fn() -> Option<Duration>) -> bool {
        if passed < SLICE * CLOCKED as u32 {
            self.delay.set(None);
            return false;
        }
        let delay = run_delay();
        let before = self.delay.replace(delay);
        let delayed = delay.zip(before).map(|(delay, before)| delay.saturating_sub(before));
        delayed.is_some_and(|delayed| delayed > passed / 2)
    }

    /// Judges the last waits by the time that they took.
    #[inline]
    fn look_at_clock(&self, job: &Job, rank: Rank) {
        let now = Instant::now();
        let Some(last) = self.clocked.replace(Some(now)) else { return };
        let slow = now - last >= SLICE * CLOCKED as u32;
        self.taken.waits_were_slow(slow);
        // Where images of other hosts run is not known.
        if job.other_hosts_share_cores() {
            return;
        }
        if self.is_displaced(now - last, run_delay) {
            self.leave(job, rank, now);
        } else if slow {
            // The others may wait as seldom, and must not take this image to be where it was long ago.
            self.publish(job, rank);
        }
    }

    /// Leaves the core to another program if no other image runs there: to the one with the most images.
    #[cold]
    fn leave(&self, job: &Job, rank: Rank, now: Instant) {
        self.publish(job, rank);
        let images = running(job, self.permitted.get_or_init(permitted));
        let mut pace = self.pace.get();
        if let Some(target) = refuge(&images, self.mine.get())
            && pace.permits(now)
        {
            self.pace.set(pace.after_failure(now));
            self.delay.set(None);
            self.has_one.set(false);
            move_to(target);
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::job::page::Geometry;
    use crate::job::{Part, Plan};
    use crate::region::Region;
    use crate::settings::Settings;

    #[test]
    fn an_image_leaves_a_core_that_another_program_has() {
        let start = Instant::now();
        let permitted = permitted();
        let trial = Trial {
            from: permitted.first().copied().unwrap_or(1),
            last: start,
            start,
            delay: Duration::ZERO,
            left: TRIAL,
        };
        let cores = Cores::default();
        cores.trial.set(Some(trial));
        let next = |now, delay| cores.go_on(cores.trial.get().unwrap(), now, || delay);
        for wait in 1..TRIAL as u32 - 1 {
            next(start + wait * SLICE / 2, None);
        }
        assert_eq!(cores.trial.get().unwrap().left, 2);
        assert!(cores.pace.get().permits(start));
        // The program itself computes between two waits, then another one does.
        next(start + (TRIAL as u32 + 2) * SLICE, Some(SLICE * 2));
        let failed = start + (TRIAL as u32 + 200) * SLICE;
        next(failed, Some(SLICE * 140));
        assert!(cores.trial.get().is_none());
        assert!(!cores.pace.get().permits(failed + SLICE));
        assert!(cores.pace.get().permits(failed + Duration::from_secs(9)));
        // Without that, the trial ends by itself.
        cores.trial.set(Some(Trial { left: 1, ..trial }));
        next(start, None);
        assert!(cores.trial.get().is_none());
    }

    #[test]
    fn a_program_that_comes_to_the_core_of_an_image_displaces_it_and_its_own_computation_does_not()
    {
        let cores = Cores::default();
        let waits = |delay| cores.is_displaced(8 * SLICE, || Some(SLICE * delay));
        // Its own computation, or sleep.
        assert!(![10, 10, 11, 12].map(waits).contains(&true));
        // Another program has half of the time.
        assert!(!waits(16) && waits(21));
        assert!(!cores.is_displaced(SLICE, || panic!("short waits")));
        assert!(!waits(100), "how long it lasted before is not known");
        assert!(!cores.is_displaced(8 * SLICE, || None));
    }

    #[test]
    fn an_image_whose_core_runs_others_too_goes_home_where_other_hosts_share_the_cores() {
        let settings = Settings::default();
        let permitted = permitted();
        let (Some(&first), Some(&last)) = (permitted.first(), permitted.last()) else { return };
        // The second of two hosts with an image each.
        let part = Part { images: 1, first_host: 1, hosts: 1 };
        let plan = Plan {
            geometry: Geometry::plan_part(2, 2, part, Some(1 << 26)).unwrap(),
            hosts: vec![0, 1],
            sharers: CoreSharers { first: 1, images: 2 },
            ..Plan::new(Geometry::plan(2, 2, None).unwrap(), Vec::new(), 2, &settings)
        };
        let region = Region::anonymous(plan.geometry.region_len()).unwrap();
        let (job, me) = (Job::create(region, &plan), Rank::new(1));
        let home = home(1, 2, &permitted);
        let cores = Cores::default();
        let look = |switches| {
            cores.look_at_own_core(&job, me, plan.sharers, switches);
            cores.trial.take().is_some()
        };
        // Where the system does not tell the core.
        assert!(!look(SWITCHES));
        cores.mine.set(if home == first { last } else { first });
        assert!(!look(SWITCHES - 1));
        assert!(look(2 * SWITCHES - 1));
        // At home, where another program runs, it stays.
        cores.mine.set(home);
        assert!(!look(9 * SWITCHES));
    }
}
