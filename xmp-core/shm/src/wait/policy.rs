//! Wait policy: the action of a waiting image between two looks (spin, yield or park).

use super::budget::Waiting;
use super::company::{self, Instead};
use super::core_use::SharedCores;
use crate::sync::yield_now;
use std::time::{Duration, Instant};

/// What to do before the next look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitAction {
    /// Execute a spin hint.
    Spin,
    /// Give the core to another runnable thread.
    Yield,
    /// Sleep until the doorbell rings.
    Park,
}

/// Looks between two readings of the clock, which costs as much as several looks.
const LOOKS_PER_CLOCK: u32 = 32;

/// A longer yield of an image with a core of its own has met another program there. Then parking is better: the system schedules
/// a woken thread first, and a yielding one last.
const MET_ANOTHER: Duration = Duration::from_micros(50);
/// A longer yield of an image that shares its core has met an image or a program that computes: it has lasted for a time slice. Images
/// that wait on the same core are soon done.
const MET_WORK: Duration = Duration::from_millis(1);

/// The approximate length of a yield with which no other thread gets the core. A spin instead of yields lasts as long as these.
const YIELD_NANOSECONDS: u32 = 400;

/// The number of naps between two series of yields, for an image that shares its core and waits for an answer of another host.
const NAPS: u32 = 64;

/// The progress of one wait through its phases.
#[derive(Debug)]
pub struct WaitPolicy {
    budget: Waiting,
    looks: u32,
    since: Option<Instant>,
    /// How long the image spins, and whether it does.
    spin_ns: u32,
    spinning: bool,
    /// Whether it spins instead of yields.
    keeps_core: bool,
    /// Whether it parks instead of yields until the wait ends.
    parks: bool,
    yields: u32,
    /// A longer yield has met a thread that computes, so further yields do not pay off.
    longest: Duration,
    /// Whether yields are timed.
    timed: bool,
    /// When the yield in progress began.
    yielded: Option<Instant>,
    /// Whether the last yield took longer than `longest`.
    met_another: bool,
    /// Naps instead of yields since a yield that took too long.
    naps: u32,
    /// Naps before the next yield, after a yield that took too long.
    naps_after: u32,
}

impl WaitPolicy {
    /// The start of a wait, whose yields are timed or not ([`Waiting::begin`]).
    pub fn new(budget: Waiting, timed: bool) -> Self {
        WaitPolicy {
            budget,
            looks: 0,
            since: None,
            spin_ns: budget.spin_ns,
            spinning: budget.spin_ns > 0,
            keeps_core: false,
            parks: false,
            yields: 0,
            // An image that shares its core always meets other images there.
            longest: if budget.crowded == 0 { MET_ANOTHER } else { MET_WORK },
            timed,
            yielded: None,
            met_another: false,
            naps: 0,
            naps_after: 1,
        }
    }

    /// The start of a wait for an answer of another host. No ring ends this wait, so it yields more often, and times its yields.
    pub fn asking(budget: Waiting) -> Self {
        let naps_after = if budget.crowded == 0 { 1 } else { NAPS };
        WaitPolicy { naps_after, ..WaitPolicy::new(budget.asking(), true) }
    }

    /// The next step. For [`WaitAction::Yield`] the caller calls [`WaitPolicy::yield_core`].
    pub fn step(&mut self) -> WaitAction {
        if self.spinning {
            self.looks += 1;
            if !self.looks.is_multiple_of(LOOKS_PER_CLOCK) {
                return WaitAction::Spin;
            }
            let now = Instant::now();
            let since = *self.since.get_or_insert(now);
            if now.duration_since(since) < Duration::from_nanos(self.spin_ns.into()) {
                return WaitAction::Spin;
            }
            self.spinning = false;
            if self.keeps_core {
                company::spun_in_vain();
                self.parks = true;
            }
        }
        if self.yields == 0 && self.budget.crowded == 0 && self.spins_instead_of_yields() {
            return WaitAction::Spin;
        }
        if self.yields < self.budget.yields && !self.met_another && !self.parks {
            self.yields += 1;
            self.yielded = self.timed.then(Instant::now);
            return WaitAction::Yield;
        }
        // After a wake-up without the condition, yield again before the next sleep. Each yield of a polling image would last for a
        // time slice of the computing image, so the polling image naps for a while first.
        self.naps += 1;
        if !self.met_another || self.naps >= self.naps_after {
            (self.yields, self.naps, self.met_another) = (0, 0, false);
        }
        WaitAction::Park
    }

    /// Called when the wait of an image with a core of its own comes to its yields. Returns whether the image spins instead.
    #[cold]
    fn spins_instead_of_yields(&mut self) -> bool {
        if self.budget.yields == 0 || self.parks {
            return false;
        }
        match company::instead_of_yields() {
            Instead::Nothing => false,
            Instead::Park => {
                self.parks = true;
                false
            }
            Instead::Spin => {
                self.spin_ns = self.budget.yields.saturating_mul(YIELD_NANOSECONDS);
                self.since = None;
                (self.spinning, self.keeps_core) = (true, true);
                true
            }
        }
    }

    /// Yields the core.
    #[inline]
    pub fn yield_core(&mut self, cores: Option<&dyn SharedCores>) {
        yield_now();
        self.has_yielded(cores);
    }

    /// Judges the yield that has just ended. If it has met another thread that uses the core, later waits of this thread take that into
    /// account; where images share `cores`, later waits of this image do. Only yields are timed: the looks of a wait that polls other
    /// hosts may take long for other reasons.
    #[inline]
    fn has_yielded(&mut self, cores: Option<&dyn SharedCores>) {
        self.met_another = self.yielded.is_some_and(|began| began.elapsed() > self.longest);
        if self.met_another {
            if self.budget.crowded == 0 {
                company::meets();
            } else if let Some(cores) = cores {
                cores.meets();
            }
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::core_use::CoreUse;
    use super::*;
    use std::cell::Cell;

    #[test]
    fn crowded_never_spins_and_parks_after_its_yields() {
        let mut policy = WaitPolicy::new(Waiting { spin_ns: 0, yields: 3, crowded: 1 }, false);
        let steps: Vec<WaitAction> = (0..8).map(|_| policy.step()).collect();
        use WaitAction::{Park, Yield};
        assert_eq!(steps, [Yield, Yield, Yield, Park, Yield, Yield, Yield, Park]);
    }

    #[test]
    fn a_polling_image_naps_after_it_met_a_computing_one() {
        let mut policy = WaitPolicy::asking(Waiting { spin_ns: 0, yields: 3, crowded: 1 });
        assert_eq!(policy.step(), WaitAction::Yield);
        std::thread::sleep(2 * MET_WORK);
        policy.has_yielded(None);
        assert!((0..NAPS).all(|_| policy.step() == WaitAction::Park));
        assert_eq!(policy.step(), WaitAction::Yield, "the computing image may be done");
    }

    /// The knowledge of an image about the core that it shares.
    #[derive(Debug, Default)]
    struct Core(Cell<u32>);

    impl SharedCores for Core {
        fn begin_wait(&self, _: bool) -> CoreUse {
            if self.0.get() == 0 { CoreUse::Shared { timed: true } } else { CoreUse::Taken }
        }

        fn meets(&self) {
            self.0.set(self.0.get() + 1);
        }
    }

    #[test]
    fn a_poll_that_met_a_computing_program_keeps_the_next_ones_from_yielding() {
        let core = Core::default();
        let poll = |crowded| {
            let budget = Waiting { spin_ns: 0, yields: 3, crowded };
            let known = (crowded != 0).then(|| core.begin_wait(true));
            WaitPolicy::asking(budget.begin(known).0)
        };
        for crowded in [0, 1] {
            let mut first = poll(crowded);
            assert_eq!(first.step(), WaitAction::Yield);
            std::thread::sleep(2 * MET_WORK);
            first.has_yielded(Some(&core));
            assert_eq!(first.step(), WaitAction::Park);
            let mut next = poll(crowded);
            let steps: Vec<WaitAction> = (0..1000).map(|_| next.step()).collect();
            assert!(!steps.contains(&WaitAction::Yield), "{crowded}: {steps:?}");
        }
        assert_eq!(core.0.get(), 1, "an image with a core of its own notes that for its thread");
    }

    #[test]
    fn an_image_that_shares_its_core_parks_in_a_wait_whose_yield_met_a_computing_program() {
        let budget = Waiting { spin_ns: 0, yields: 3, crowded: 1 };
        for (timed, next) in [(false, WaitAction::Yield), (true, WaitAction::Park)] {
            let mut policy = WaitPolicy::new(budget, timed);
            assert_eq!(policy.step(), WaitAction::Yield);
            std::thread::sleep(2 * MET_WORK);
            policy.has_yielded(None);
            assert_eq!(policy.step(), next);
        }
    }

    #[test]
    fn an_image_with_a_core_spins_instead_of_yields_after_it_met_another_program() {
        let budget = Waiting { spin_ns: 0, yields: 2, crowded: 0 };
        let mut policy = WaitPolicy::new(budget, true);
        assert_eq!(policy.step(), WaitAction::Yield);
        std::thread::sleep(2 * MET_ANOTHER);
        policy.has_yielded(None);
        assert_eq!(policy.step(), WaitAction::Park);
        let mut policy = WaitPolicy::new(budget, true);
        assert_eq!(policy.step(), WaitAction::Spin);
        let next = (0..1_000_000).map(|_| policy.step()).find(|&step| step != WaitAction::Spin);
        assert_eq!(next, Some(WaitAction::Park));
        // That spin was in vain. This wait has no other spin, and the next wait has none.
        assert!((0..1000).all(|_| policy.step() == WaitAction::Park));
        assert_eq!(WaitPolicy::new(budget, true).step(), WaitAction::Park);
    }

    #[test]
    fn spins_first_when_it_has_a_core() {
        let mut policy = WaitPolicy::new(Waiting { spin_ns: 1, yields: 1, crowded: 0 }, true);
        assert_eq!(policy.step(), WaitAction::Spin);
        let last = (0..1_000_000).map(|_| policy.step()).find(|&s| s == WaitAction::Park);
        assert_eq!(last, Some(WaitAction::Park));
    }
}
