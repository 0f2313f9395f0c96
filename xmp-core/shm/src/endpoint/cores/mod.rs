//! Images that share cores: on which core each one runs, and an even distribution. The reasons and what was measured are in
//! `../wait/README.md`, "Where images run".

mod distribution;
mod pace;

use crate::job::Job;
use crate::job::page::CoreSharers;
use crate::rank::Rank;
use distribution::{home, running, target};
use pace::Pace;
use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};
use std::cell::{Cell, OnceCell};
use std::time::{Duration, Instant};

/// Waits between two looks at the cores of all images, at least.
const WAITS: usize = 32;

/// Waits of a trial, the time after a move.
const TRIAL: usize = 64;

/// A longer time from one wait to the next in a trial, in which the core ran something else, has met another program: its time slice
/// was longer.
const SLICE: Duration = Duration::from_millis(1);

/// An image whose core ran something else as often between two looks shares it with an image that waits for it.
const SWITCHES: u64 = WAITS as u64 / 4;

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
    /// [`switches`] at the last look, where images of other hosts share the cores.
    switches: Cell<u64>,
    pace: Cell<Pace>,
    trial: Cell<Option<Trial>>,
}

/// The first waits on a new core. Another program may run there, and the system may have kept the images away from it.
#[derive(Clone, Copy, Debug)]
struct Trial {
    /// The core before the move.
    from: u32,
    /// When the last wait began, and [`switches`] then.
    last: Instant,
    switches: u64,
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
            return self.go_on(trial, Instant::now(), switches());
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
        let sharers = job.page().sharers;
        if sharers.images as usize > job.region_ranks().len() {
            return self.look_at_own_core(job, rank, sharers, switches());
        }
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

    /// The look where images of other hosts share the cores. It does not see where those run, but that this core ran something else,
    /// `switches` times by now.
    fn look_at_own_core(&self, job: &Job, rank: Rank, sharers: CoreSharers, switches: u64) {
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
            let from = self.mine.get();
            move_to(core);
            self.trial.set(Some(Trial { from, last: now, switches: switches(), left: TRIAL }));
        }
    }

    /// The next wait of a trial, which began at `now`, with so many `switches`.
    #[cold]
    fn go_on(&self, trial: Trial, now: Instant, switches: u64) {
        let failed = now - trial.last > SLICE && switches != trial.switches;
        let goes_on = !failed && trial.left > 1;
        let next = Trial { last: now, switches, left: trial.left - 1, ..trial };
        self.trial.set(goes_on.then_some(next));
        if failed {
            self.pace.set(self.pace.get().after_failure(now));
            move_to(trial.from);
        }
    }
}

/// How often the core of this thread has run something else although the thread did not sleep: another thread was to run when it
/// yielded, or its time slice was over.
fn switches() -> u64 {
    // SAFETY: all zeros are numbers, which the system replaces. It needs no more than room for them.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage);
        usage
    };
    usage.ru_nivcsw as u64
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
            switches: 0,
            left: TRIAL,
        };
        let cores = Cores::default();
        cores.trial.set(Some(trial));
        for wait in 1..TRIAL as u32 - 1 {
            cores.go_on(cores.trial.get().unwrap(), start + wait * SLICE / 2, 2);
        }
        assert_eq!(cores.trial.get().unwrap().left, 2);
        assert!(cores.pace.get().permits(start));
        // A time slice passes between two waits: the program's own, then another one's.
        cores.go_on(cores.trial.get().unwrap(), start + (TRIAL as u32 + 2) * SLICE, 2);
        let failed = start + (TRIAL as u32 + 4) * SLICE;
        cores.go_on(cores.trial.get().unwrap(), failed, 3);
        assert!(cores.trial.get().is_none());
        assert!(!cores.pace.get().permits(failed + SLICE));
        assert!(cores.pace.get().permits(failed + Duration::from_secs(9)));
        // Without that, the trial ends by itself.
        cores.trial.set(Some(Trial { left: 1, ..trial }));
        cores.go_on(cores.trial.get().unwrap(), start, 0);
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
        cores.mine.set(if home == first { last } else { first });
        let mut look = |switches| {
            cores.look_at_own_core(&job, me, plan.sharers, switches);
            cores.trial.take().is_some()
        };
        assert!(!look(SWITCHES - 1));
        assert!(look(2 * SWITCHES - 1));
        // At home, where another program runs, it stays.
        cores.mine.set(home);
        assert!(!look(9 * SWITCHES));
    }
}
