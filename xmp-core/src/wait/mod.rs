//! Waiting: the only module that spins, yields or sleeps. Read `README.md` beside this file first.

mod budget;
mod doorbell;
mod futex;
#[cfg(all(test, loom))]
mod model;
mod moment;
mod pace;
mod polled;

pub use doorbell::Doorbell;
pub use moment::Moment;
pub use polled::poll;

use crate::error::Result;
use crate::failure::deadlock::PAUSES;
use crate::job::page::{Status, Waiting};
use crate::sync::{AtomicU32, Ordering, spin_loop, yield_now};
use crate::threads::ThreadLock;
use pace::{Pace, Step};
use std::time::Duration;

/// What goes on behind a wait (`README.md`, "What goes on behind a wait").
pub trait Background: std::fmt::Debug {
    /// Does what can be done without waiting; whether anything was. `spun`: the image begins to wait or spins, and has looked so
    /// often before; it looks again at once, many times a microsecond, or after one yield, so that what takes longer than a
    /// look need not be done each time, and mostly it has what it waits for after a few.
    fn advance(&self, spun: Option<u32>) -> bool;

    /// How long the image may sleep before this is called again (a wait that lasts may make it longer); `None` if it
    /// will be rung for whatever there is to do.
    fn nap(&self) -> Option<Duration> {
        None
    }
}

/// Records, once an image has ended, that this image waits (`../failure/README.md`, "Waits that no image can end").
pub trait Recorder: std::fmt::Debug {
    /// The image waits. From the second call of a wait on: it has looked at what it waits for, and asked its watch, since
    /// the last call.
    fn look(&self);

    /// The image goes on.
    fn release(&self);
}

/// Naps that last as long as they may while the wait is young, then longer: who has waited for milliseconds loses little.
struct Naps {
    nap: Option<Duration>,
    count: u32,
}

impl Naps {
    /// Naps before they get longer.
    const SHORT: u32 = 64;
    /// How many times longer.
    const LONGER: u32 = 8;

    fn new(nap: Option<Duration>) -> Naps {
        Naps { nap, count: 0 }
    }

    /// How long the next one may be; `None`: until it is rung for.
    fn next(&mut self) -> Option<Duration> {
        self.count = self.count.saturating_add(1);
        match self.count > Naps::SHORT {
            true => self.nap.map(|nap| nap * Naps::LONGER),
            false => self.nap,
        }
    }
}

/// How one image waits: its doorbell, the budgets of the job, and the status that ends waits.
#[derive(Clone, Copy, Debug)]
pub struct Waits<'a> {
    doorbell: &'a Doorbell,
    status: &'a Status,
    budget: Waiting,
    background: Option<&'a dyn Background>,
    recorder: Option<&'a dyn Recorder>,
    threads: Threads<'a>,
}

/// The lock that a waiting thread steps out of, so that other threads of its image may use the library meanwhile.
#[derive(Clone, Copy, Debug, Default)]
struct Threads<'a> {
    lock: Option<&'a ThreadLock>,
    /// Whether the wait is part of a collective operation; see [`ThreadLock::outside`].
    exclusive: bool,
}

impl Threads<'_> {
    /// Lets another thread in that wants to enter.
    #[inline]
    fn give_way(&self) {
        if let Some(lock) = self.lock {
            lock.give_way(self.exclusive);
        }
    }

    /// Sleeps outside.
    fn outside(&self, sleep: impl FnOnce()) {
        match self.lock {
            Some(lock) => lock.outside(self.exclusive, sleep),
            None => sleep(),
        }
    }
}

impl<'a> Waits<'a> {
    /// The waits of the image that sleeps at `doorbell`, and that has something to do meanwhile.
    #[inline(always)]
    pub fn new(
        doorbell: &'a Doorbell,
        status: &'a Status,
        budget: Waiting,
        background: Option<&'a dyn Background>,
    ) -> Self {
        Waits { doorbell, status, budget, background, recorder: None, threads: Threads::default() }
    }

    /// The same waits, which are recorded once an image has ended.
    #[inline(always)]
    pub fn recorded_by(self, recorder: &'a dyn Recorder) -> Self {
        Waits { recorder: Some(recorder), ..self }
    }

    /// The same waits, which are not recorded: the operation does that itself, or waits for what is in transit.
    #[inline(always)]
    pub fn unrecorded(self) -> Self {
        Waits { recorder: None, ..self }
    }

    /// The same for a thread inside `lock`: it steps out while it sleeps, and when another thread wants to enter. Conditions
    /// are looked at inside. `exclusive`: the wait is part of a collective operation, so that no other thread may begin one.
    #[inline(always)]
    pub fn inside(self, lock: &'a ThreadLock, exclusive: bool) -> Self {
        Waits { threads: Threads { lock: Some(lock), exclusive }, ..self }
    }

    fn advance(&self, spun: Option<u32>) -> bool {
        self.background.is_some_and(|background| background.advance(spun))
    }

    /// Returns when `ready()` is true. `ready` must become true by a write that is followed by a ring
    /// of this image's doorbell. It may have effects (take a lock): once it was true it is not called again.
    ///
    /// # Errors
    /// When the status of the job changes, `watch` is asked whether the wait can still end; its error
    /// is returned. `ready()` has precedence: what was completed before an image ended counts.
    #[inline]
    pub fn until(
        &self,
        watch: impl Fn() -> Result<()>,
        mut ready: impl FnMut() -> bool,
    ) -> Result<()> {
        if ready() {
            return Ok(());
        }
        self.keep_waiting((None, None), None, &watch, &mut ready)
    }

    /// As [`Waits::until`], for a condition that nobody rings for: the image sleeps no longer than `nap` between two looks
    /// (longer when it has waited for long).
    pub fn until_asked(
        &self,
        nap: Duration,
        watch: impl Fn() -> Result<()>,
        mut ready: impl FnMut() -> bool,
    ) -> Result<()> {
        self.keep_waiting((None, Some(nap)), None, &watch, &mut ready)
    }

    /// As [`Waits::until`], for a condition that is announced through `gate` (see `README.md`).
    #[inline]
    pub fn until_gate(
        &self,
        gate: &AtomicU32,
        watch: impl Fn() -> Result<()>,
        mut ready: impl FnMut() -> bool,
    ) -> Result<()> {
        if ready() {
            return Ok(());
        }
        self.keep_waiting((Some(gate), None), None, &watch, &mut ready)
    }

    /// As [`Waits::until_gate`], for a condition of which `soon` tells whether it is likely to become true in a moment.
    #[inline]
    pub fn until_gate_soon(
        &self,
        gate: &AtomicU32,
        (moment, soon): (&Moment, impl Fn() -> bool),
        watch: impl Fn() -> Result<()>,
        mut ready: impl FnMut() -> bool,
    ) -> Result<()> {
        if ready() {
            return Ok(());
        }
        self.keep_waiting((Some(gate), None), Some((moment, &soon)), &watch, &mut ready)
    }

    /// Between two looks of a wait that the program makes itself and that cannot park: gives the core away
    /// where images share cores.
    #[inline(never)]
    pub fn between_looks(&self) {
        if self.budget.crowded != 0 {
            yield_now();
        }
    }

    #[inline(never)]
    fn keep_waiting(
        &self,
        rings: (Option<&AtomicU32>, Option<Duration>),
        soon: Option<(&Moment, &dyn Fn() -> bool)>,
        watch: &impl Fn() -> Result<()>,
        ready: &mut impl FnMut() -> bool,
    ) -> Result<()> {
        let outcome = self.wait_out(rings, soon, watch, ready);
        if let Some(recorder) = self.recorder {
            recorder.release();
        }
        outcome
    }

    fn wait_out(
        &self,
        (gate, nap): (Option<&AtomicU32>, Option<Duration>),
        soon: Option<(&Moment, &dyn Fn() -> bool)>,
        watch: &impl Fn() -> Result<()>,
        ready: &mut impl FnMut() -> bool,
    ) -> Result<()> {
        let nap = self.background.and_then(Background::nap).or(nap);
        // Who sleeps by the clock wakes up late.
        let budget = if nap.is_some() { self.budget.asking() } else { self.budget };
        let (mut pace, mut naps) = (Pace::new(budget), Naps::new(nap));
        let (mut seen, mut spun) = (0, Some(0));
        let (mut recorded, mut pause) = (false, None::<Duration>);
        // Who has a core of its own has spun before it yields.
        let soon = soon.filter(|_| budget.crowded != 0);
        loop {
            // Acquire: what an image wrote before its end is visible once its end is.
            let epoch = self.status.epoch.load(Ordering::Acquire);
            if ready() {
                return Ok(());
            }
            // A look that is recorded is one at the ends of other images, too.
            if epoch != seen || recorded {
                if let Err(error) = watch() {
                    // What the image did between `ready()` and its end: its end is seen now, so this is, too.
                    return if ready() { Ok(()) } else { Err(error) };
                }
                seen = epoch;
            }
            if self.advance(spun) {
                // Who has asked for something will often ask for more.
                (pace, naps) = (Pace::new(budget), Naps::new(nap));
                continue;
            }
            self.threads.give_way();
            let step = pace.step();
            let spins = step == Step::Spin;
            spun = spins.then(|| spun.map_or(0, |looks| looks.wrapping_add(1)));
            match step {
                Step::Spin => spin_loop(),
                Step::Yield => {
                    if soon.is_some_and(|(moment, soon)| soon() && moment.look(ready)) {
                        return Ok(());
                    }
                    yield_now();
                    pace.has_yielded();
                }
                Step::Park => {
                    let mut nap = naps.next();
                    if let Some(recorder) = self.recorder.filter(|_| seen != 0) {
                        // Most waits are over after the first nap.
                        if let Some(pause) = &mut pause {
                            recorder.look();
                            recorded = true;
                            *pause = (2 * *pause).min(PAUSES[1]);
                        }
                        let pause = *pause.get_or_insert(PAUSES[0]);
                        nap = Some(nap.map_or(pause, |nap| nap.min(pause)));
                    }
                    let mut done = false;
                    let stay_awake = || {
                        done = ready();
                        done || self.status.epoch.load(Ordering::Acquire) != seen
                            || self.advance(None)
                    };
                    let sleep = |sleep: &mut dyn FnMut()| self.threads.outside(sleep);
                    self.doorbell.park(gate, nap, stay_awake, sleep);
                    if done {
                        return Ok(());
                    }
                }
            }
        }
    }
}
