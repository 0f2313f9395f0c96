//! The behaviour of a thread with a core of its own when something else computes there.
//!
//! A yield to a computing thread lasts for the time slice of that thread, some milliseconds. After such a yield a thread does not yield
//! for a while. It spins for as long as its yields would take, and then parks: the scheduler prefers a woken thread to a computing one.

use super::pause::Pause;
use std::cell::Cell;
use std::time::Instant;

/// The binary logarithm of the greatest number of waits between two spins, which park without a spin.
const MAX_DOUBLINGS: u32 = 4;

/// The behaviour of a thread when its wait comes to its yields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instead {
    /// It yields.
    Nothing,
    /// It spins for as long.
    Spin,
    /// It parks: its last spins were in vain, and the awaited image may need the core.
    Park,
}

/// The knowledge of a thread about its core.
#[derive(Clone, Copy, Debug)]
struct Company {
    pause: Pause,
    /// Spins in vain, one after the other.
    in_vain: u32,
    /// Waits that will park without a spin.
    skipped: u32,
    /// Whether it has begun a spin, and has not ended it in vain.
    spins: bool,
}

impl Company {
    const NONE: Company = Company { pause: Pause::NONE, in_vain: 0, skipped: 0, spins: false };

    /// What to do at the first yield of a wait.
    fn instead(mut self, now: impl FnOnce() -> Instant) -> (Instead, Company) {
        if self.pause.is_none() || !self.pause.lasts(now()) {
            return (Instead::Nothing, self);
        }
        if self.spins {
            // The last spin ended with its condition.
            (self.in_vain, self.skipped) = (0, 0);
        }
        self.spins = self.skipped == 0;
        self.skipped = self.skipped.saturating_sub(1);
        (if self.spins { Instead::Spin } else { Instead::Park }, self)
    }

    /// A yield that ended at `now` has met something.
    fn meets(mut self, now: Instant) -> Company {
        self.pause.meets(true, now);
        self
    }

    /// The spin has ended in vain: later spins become rare.
    fn spun_in_vain(self) -> Company {
        let in_vain = (self.in_vain + 1).min(MAX_DOUBLINGS);
        Company { in_vain, skipped: 1 << in_vain, spins: false, ..self }
    }
}

thread_local! {
    static COMPANY: Cell<Company> = const { Cell::new(Company::NONE) };
}

/// The behaviour of this thread when its wait comes to its yields. Models have no clock, so their images share cores.
pub fn instead_of_yields() -> Instead {
    if cfg!(loom) {
        unreachable!("an image of a model has a core of its own");
    }
    let (instead, company) = COMPANY.get().instead(Instant::now);
    COMPANY.set(company);
    instead
}

/// A yield of this thread that has just ended has met something.
pub fn meets() {
    COMPANY.set(COMPANY.get().meets(Instant::now()));
}

/// The spin that this thread made instead of yields has ended in vain.
pub fn spun_in_vain() {
    COMPANY.set(COMPANY.get().spun_in_vain());
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// How many of this many waits spin. Spins end in vain or not.
    fn spins(company: &mut Company, now: Instant, waits: u32, in_vain: bool) -> u32 {
        let wait = |_: &u32| {
            let (instead, next) = company.instead(|| now);
            let spins = instead == Instead::Spin;
            *company = if in_vain && spins { next.spun_in_vain() } else { next };
            assert!(spins || instead == Instead::Park);
            spins
        };
        (0..waits).filter(wait).count() as u32
    }

    #[test]
    fn a_thread_that_has_met_nothing_yields_and_does_not_read_the_clock() {
        assert_eq!(Company::NONE.instead(|| unreachable!()).0, Instead::Nothing);
    }

    #[test]
    fn spins_in_vain_become_rare_and_successful_ones_return() {
        let now = Instant::now();
        let mut company = Company::NONE.meets(now);
        assert_eq!(spins(&mut company, now, 100, false), 100);
        // The next ones come after 2, 4, 8 and 16 waits.
        assert_eq!(spins(&mut company, now, 1 + 2 + 1 + 4 + 1 + 8 + 1 + 16 + 1, true), 5);
        assert_eq!(spins(&mut company, now, 17 * 8, true), 8);
        assert_eq!(spins(&mut company, now, 17, false), 1);
        assert_eq!(spins(&mut company, now, 100, false), 100);
    }
}
