//! Wait policy: what a waiting image does between two looks (spin, yield or park).

use super::budget::Waiting;
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

/// A longer yield of an image with a core of its own has met another program there. Parking is better then: a woken
/// thread is scheduled first, a yielding one last.
const MET_ANOTHER: Duration = Duration::from_micros(50);
/// A longer yield of an image that shares its core and waits for an answer of another host has met a computing image.
/// Images that wait there, too, are soon done; each yield to a computing one lasts for a time slice.
const MET_WORK: Duration = Duration::from_millis(1);

/// Naps of such an image before it yields again.
const NAPS: u32 = 64;

/// The progress of one wait through its phases.
#[derive(Debug)]
pub struct WaitPolicy {
    budget: Waiting,
    looks: u32,
    since: Option<Instant>,
    spinning: bool,
    yields: u32,
    /// A yield that takes longer has met another thread to which further yields are not worth it.
    longest: Option<Duration>,
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
    /// The start of a wait.
    pub fn new(budget: Waiting) -> Self {
        WaitPolicy {
            budget,
            looks: 0,
            since: None,
            spinning: budget.spin_ns > 0,
            yields: 0,
            // An image that shares its core always meets others there.
            longest: (budget.crowded == 0).then_some(MET_ANOTHER),
            yielded: None,
            met_another: false,
            naps: 0,
            naps_after: 1,
        }
    }

    /// The start of a wait for an answer of another host.
    pub fn asking(budget: Waiting) -> Self {
        let policy = WaitPolicy::new(budget.asking());
        match policy.longest {
            None => WaitPolicy { longest: Some(MET_WORK), naps_after: NAPS, ..policy },
            Some(_) => policy,
        }
    }

    /// The next step. After each [`WaitAction::Yield`] the caller calls [`WaitPolicy::has_yielded`].
    pub fn step(&mut self) -> WaitAction {
        if self.spinning {
            self.looks += 1;
            if !self.looks.is_multiple_of(LOOKS_PER_CLOCK) {
                return WaitAction::Spin;
            }
            let now = Instant::now();
            let since = *self.since.get_or_insert(now);
            if now.duration_since(since) < Duration::from_nanos(self.budget.spin_ns.into()) {
                return WaitAction::Spin;
            }
            self.spinning = false;
        }
        if self.yields < self.budget.yields && !self.met_another {
            self.yields += 1;
            self.yielded = self.longest.map(|_| Instant::now());
            return WaitAction::Yield;
        }
        // After a wake-up that was not the awaited one, yield again before the next sleep. A polling image would lose a
        // time slice to a computing one at each yield, so it naps for a while first.
        self.naps += 1;
        if !self.met_another || self.naps >= self.naps_after {
            (self.yields, self.naps, self.met_another) = (0, 0, false);
        }
        WaitAction::Park
    }

    /// Records the end of a yield. Only yields are timed: the looks of a wait that polls other hosts may take long,
    /// too, and tell nothing about the core.
    pub fn has_yielded(&mut self) {
        let timed = self.yielded.zip(self.longest);
        self.met_another = timed.is_some_and(|(began, longest)| began.elapsed() > longest);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn crowded_never_spins_and_parks_after_its_yields() {
        let mut policy = WaitPolicy::new(Waiting { spin_ns: 0, yields: 3, crowded: 1 });
        let steps: Vec<WaitAction> = (0..8).map(|_| policy.step()).collect();
        use WaitAction::{Park, Yield};
        assert_eq!(steps, [Yield, Yield, Yield, Park, Yield, Yield, Yield, Park]);
    }

    #[test]
    fn a_polling_image_naps_after_it_met_a_computing_one() {
        let budget = Waiting { spin_ns: 0, yields: 3, crowded: 1 };
        for (mut policy, next) in [
            (WaitPolicy::asking(budget), WaitAction::Park),
            (WaitPolicy::new(budget), WaitAction::Yield),
        ] {
            assert_eq!(policy.step(), WaitAction::Yield);
            std::thread::sleep(2 * MET_WORK);
            policy.has_yielded();
            assert_eq!(policy.step(), next);
            if next == WaitAction::Park {
                assert!((1..NAPS).all(|_| policy.step() == WaitAction::Park));
                assert_eq!(policy.step(), WaitAction::Yield, "the computing image may be done");
            }
        }
    }

    #[test]
    fn spins_first_when_it_has_a_core() {
        let mut policy = WaitPolicy::new(Waiting { spin_ns: 1, yields: 1, crowded: 0 });
        assert_eq!(policy.step(), WaitAction::Spin);
        let last = (0..1_000_000).map(|_| policy.step()).find(|&s| s == WaitAction::Park);
        assert_eq!(last, Some(WaitAction::Park));
    }
}
