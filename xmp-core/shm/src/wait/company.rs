//! Whether something else computes on the core of this thread, by what its yields have met there.
//!
//! A yield to a computing thread lasts for its time slice, some milliseconds. A thread that has met one does not yield for a while,
//! but parks: a woken thread is scheduled before a computing one. If it has a core of its own, it spins first for as long as its
//! yields would take.

#[cfg(not(loom))]
use std::cell::Cell;
use std::time::{Duration, Instant};

/// How long a thread does not yield after it has met something, at first: an image may compute now and then.
const SHORT_PAUSE: Duration = Duration::from_millis(20);
/// The same after it has met something again and again. Then the yields that look for it cost about a hundredth of the time.
const LONG_PAUSE: Duration = Duration::from_millis(640);

/// Waits after a pause whose yields must meet nothing before the thread forgets what it has met.
const TRIES: u32 = 16;

/// Of so many waits of an image that shares its core, one has its yields timed: two readings of the clock take a tenth of a yield.
const TIMED: u32 = 4;

/// Between two spins, at most 2 to the power of this waits park without one.
const MOST_DOUBLINGS: u32 = 4;

/// What a thread does where its wait comes to its yields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instead {
    /// It yields. `timed`: whether it measures how long that takes.
    Nothing {
        /// Whether the yields are timed.
        timed: bool,
    },
    /// It spins for as long.
    Spin,
    /// It parks: it shares its core, or its spins were in vain lately, and the image that it waits for may need the core.
    Park,
}

/// What a thread knows of its core.
#[derive(Clone, Copy, Debug)]
struct Company {
    /// When its yield has met something.
    met: Option<Instant>,
    /// How long it does not yield from then on.
    pause: Duration,
    /// Waits in which it has yielded since.
    tries: u32,
    /// Waits that came to their yields.
    waits: u32,
    /// Spins in vain, one after the other.
    in_vain: u32,
    /// Waits that will park without a spin.
    skipped: u32,
    /// Whether it has begun a spin, and has not ended it in vain.
    spins: bool,
}

impl Company {
    const NONE: Company = Company {
        met: None,
        pause: SHORT_PAUSE,
        tries: 0,
        waits: 0,
        in_vain: 0,
        skipped: 0,
        spins: false,
    };

    /// What to do at the first yield of a wait. `shares_core`: there are more images than cores.
    fn instead(mut self, shares_core: bool, now: impl FnOnce() -> Instant) -> (Instead, Company) {
        self.waits = self.waits.wrapping_add(1);
        let Some(met) = self.met else {
            let timed = !shares_core || self.waits.is_multiple_of(TIMED);
            return (Instead::Nothing { timed }, self);
        };
        if now().saturating_duration_since(met) > self.pause {
            self.tries += 1;
            let next = if self.tries > TRIES { Company::NONE } else { self };
            return (Instead::Nothing { timed: true }, next);
        }
        if shares_core {
            return (Instead::Park, self);
        }
        if self.spins {
            // The last spin has found what it waited for.
            (self.in_vain, self.skipped) = (0, 0);
        }
        self.spins = self.skipped == 0;
        self.skipped = self.skipped.saturating_sub(1);
        (if self.spins { Instead::Spin } else { Instead::Park }, self)
    }

    /// A yield that ended at `now` has met something.
    fn meets(self, now: Instant) -> Company {
        let pause = if self.met.is_some() { 2 * self.pause } else { SHORT_PAUSE };
        Company { met: Some(now), pause: pause.min(LONG_PAUSE), tries: 0, ..self }
    }

    /// The spin has ended in vain: the next ones become rare.
    fn spun_in_vain(self) -> Company {
        let in_vain = (self.in_vain + 1).min(MOST_DOUBLINGS);
        Company { in_vain, skipped: 1 << in_vain, spins: false, ..self }
    }
}

#[cfg(not(loom))]
thread_local! {
    static COMPANY: Cell<Company> = const { Cell::new(Company::NONE) };
}

/// What this thread does instead of the yields to which its wait has come.
#[cfg(not(loom))]
pub fn instead_of_yields(shares_core: bool) -> Instead {
    let (instead, company) = COMPANY.get().instead(shares_core, Instant::now);
    COMPANY.set(company);
    instead
}

/// Changes what this thread knows of its core.
#[cfg(not(loom))]
fn change(change: impl FnOnce(Company) -> Company) {
    COMPANY.set(change(COMPANY.get()));
}

/// Models have no clock.
#[cfg(loom)]
pub fn instead_of_yields(_shares_core: bool) -> Instead {
    Instead::Nothing { timed: false }
}

#[cfg(loom)]
fn change(_change: impl FnOnce(Company) -> Company) {}

/// A yield of this thread that has just ended has met something.
pub fn meets() {
    change(|company| company.meets(Instant::now()));
}

/// The spin that this thread made instead of yields has ended in vain.
pub fn spun_in_vain() {
    change(Company::spun_in_vain);
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    const YIELDS: Instead = Instead::Nothing { timed: true };

    /// A thread that has just met something, and when.
    fn in_company() -> (Company, Instant) {
        let now = Instant::now();
        (Company::NONE.meets(now), now)
    }

    /// How many of so many waits spin. Spins end in vain or not.
    fn spins(company: &mut Company, now: Instant, waits: u32, in_vain: bool) -> u32 {
        let wait = |_: &u32| {
            let (instead, next) = company.instead(false, || now);
            let spins = instead == Instead::Spin;
            *company = if in_vain && spins { next.spun_in_vain() } else { next };
            assert!(spins || instead == Instead::Park);
            spins
        };
        (0..waits).filter(wait).count() as u32
    }

    #[test]
    fn a_thread_that_has_met_nothing_yields_and_does_not_read_the_clock() {
        let mut company = Company::NONE;
        let mut timed = 0;
        for _ in 0..8 {
            let (instead, next) = company.instead(true, || unreachable!());
            company = next;
            assert!(matches!(instead, Instead::Nothing { .. }));
            timed += u32::from(instead == YIELDS);
        }
        assert_eq!(timed, 2);
        assert_eq!(company.instead(false, || unreachable!()).0, YIELDS);
    }

    #[test]
    fn a_thread_that_has_met_something_does_not_yield_for_a_while() {
        let (company, met) = in_company();
        let after = |shares_core, time| company.instead(shares_core, || met + time).0;
        assert_eq!(after(true, SHORT_PAUSE / 2), Instead::Park);
        assert_eq!(after(false, SHORT_PAUSE / 2), Instead::Spin);
        assert_eq!(after(true, 2 * SHORT_PAUSE), YIELDS);
    }

    #[test]
    fn the_pause_gets_longer_as_long_as_something_is_there() {
        let (mut company, mut now) = in_company();
        for _ in 0..10 {
            now += company.pause + Duration::from_millis(1);
            let (instead, next) = company.instead(true, || now);
            assert_eq!(instead, YIELDS);
            company = next.meets(now);
        }
        assert_eq!(company.pause, LONG_PAUSE);
        // It has gone.
        now += 2 * LONG_PAUSE;
        for _ in 0..=TRIES {
            assert!(company.met.is_some());
            company = company.instead(true, || now).1;
        }
        assert_eq!(company.met, None);
        assert_eq!(company.meets(now).pause, SHORT_PAUSE);
    }

    #[test]
    fn spins_in_vain_become_rare_and_successful_ones_return() {
        let (mut company, now) = in_company();
        assert_eq!(spins(&mut company, now, 100, false), 100);
        // The next ones come after 2, 4, 8 and 16 waits.
        assert_eq!(spins(&mut company, now, 1 + 2 + 1 + 4 + 1 + 8 + 1 + 16 + 1, true), 5);
        assert_eq!(spins(&mut company, now, 17 * 8, true), 8);
        assert_eq!(spins(&mut company, now, 17, false), 1);
        assert_eq!(spins(&mut company, now, 100, false), 100);
    }
}
