//! Waiting: the only module that spins, yields or sleeps. Read `README.md` beside this file first.

mod adaptive_spin;
mod budget;
mod company;
mod doorbell;
pub(crate) mod futex;
#[cfg(all(test, loom))]
mod model;
#[cfg(all(test, loom))]
mod model_of_probes;
mod need;
mod pause;
mod policy;
mod polled;
mod probe;
mod status;
pub mod turn;

pub use adaptive_spin::AdaptiveSpin;
pub use budget::Waiting;
pub use doorbell::Doorbell;
pub use need::{Describe, EndedBy, ForVariable, Need, VariableName, WaitKind, unnamed};
pub(crate) use pause::Pause;
pub use polled::poll;
pub use probe::Probe;
pub use status::Status;

use crate::error::Result;
use crate::sync::{AtomicU32, Ordering, spin_loop, yield_now};
use crate::threads::ThreadLock;
use need::Description;
use policy::{WaitAction, WaitPolicy};
use std::cell::Cell;
use std::time::Duration;

/// Time between two looks at other images, at first and at most.
pub const PAUSES: [Duration; 2] = [Duration::from_micros(50), Duration::from_millis(1)];

/// Operations that a waiting image advances in the background (`README.md`, "Background progress").
pub trait Background: std::fmt::Debug {
    /// Does what can be done without waiting. Returns whether anything was done.
    ///
    /// `spun` is `Some(looks)` while the wait spins or has just begun: it has looked `looks` times before and will look
    /// again at once, many times a microsecond, or after one yield. Most waits end after a few such looks, so work that
    /// takes longer than a look need not be done each time. `None`: the image is about to sleep.
    fn advance(&self, spun: Option<u32>) -> bool;

    /// The time that the image may sleep before `advance` must be called again; a wait that lasts may sleep longer. `None`:
    /// the doorbell rings for all background work.
    fn nap(&self) -> Option<Duration> {
        None
    }
}

/// Records that this image waits: by number as soon as it sleeps, for the surviving images once any image has ended, and
/// in answer to a probe (`../failure/README.md`, "Waits that no image can end" and "Deadlocks").
pub trait Recorder: std::fmt::Debug {
    /// Numbers the wait if it has no number yet: the image sleeps.
    fn sleeps(&self);

    /// Whether the image has answered this probe.
    fn has_answered(&self, probe: Probe) -> bool;

    /// Records the wait. From its second call in a wait on, the image has evaluated its condition and its watch since
    /// the last call. It also advances the operations in the background; if one of them advances, the record ends.
    fn look(&self);

    /// Answers `probe`. Since it has read the probe, the image has evaluated its condition and its watch, and has found
    /// nothing to do. `wait` describes what the wait needs, and its variable; `None` if nothing is known.
    fn answer(&self, probe: Probe, wait: Option<&dyn Describe>);

    /// Background work has been done: looks are counted anew. It is the same wait.
    fn advanced(&self);

    /// Ends the record: the wait is over, or the image has done something that may end the wait of another image.
    fn release(&self);
}

/// Who else uses the core of an image, where there are more images than cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoreUse {
    /// It seems to have it for itself at the moment.
    Own,
    /// Other images.
    Shared {
        /// Whether the image times its yields: something may compute there.
        timed: bool,
    },
    /// Something computes there: a yield would last for a time slice.
    Taken,
}

/// The policy of an image about cores that it shares with others.
pub trait SharedCores: std::fmt::Debug {
    /// The image is about to wait. Returns who seems to use its core at the moment.
    fn begin_wait(&self) -> CoreUse;

    /// A yield that was timed has met something that computes.
    fn meets(&self);
}

/// The naps of one wait: as short as the background work needs at first, longer once the wait has lasted for
/// milliseconds.
struct Naps {
    nap: Option<Duration>,
    count: u32,
}

impl Naps {
    /// Number of short naps.
    const SHORT_NAPS: u32 = 64;
    /// Factor between short and long naps.
    const LONGER: u32 = 8;

    fn new(nap: Option<Duration>) -> Naps {
        Naps { nap, count: 0 }
    }

    /// The longest sleep of the next nap; `None`: until the doorbell rings.
    fn next(&mut self) -> Option<Duration> {
        self.count = self.count.saturating_add(1);
        if self.count > Naps::SHORT_NAPS {
            self.nap.map(|nap| nap * Naps::LONGER)
        } else {
            self.nap
        }
    }
}

/// The means by which one image waits: its doorbell, the budgets of the job, and the status word that ends waits.
#[derive(Clone, Copy, Debug)]
pub struct Waits<'a> {
    doorbell: &'a Doorbell,
    status: &'a Status,
    budget: Waiting,
    background: Option<&'a dyn Background>,
    recorder: Option<&'a dyn Recorder>,
    cores: Option<&'a dyn SharedCores>,
    need: Description<'a>,
    threads: Threads<'a>,
    /// The longest sleep, where the doorbell may not ring, and where it is noted that the image has slept.
    bound: Option<(Duration, &'a Cell<bool>)>,
}

/// The thread lock that a waiting thread leaves, so that other threads of its image may use the library meanwhile.
#[derive(Clone, Copy, Debug, Default)]
struct Threads<'a> {
    lock: Option<&'a ThreadLock>,
    /// Whether the wait is part of a collective operation; see [`ThreadLock::outside`].
    exclusive: bool,
}

impl Threads<'_> {
    /// Lets in another thread that wants to enter.
    #[inline]
    fn give_way(&self) {
        if let Some(lock) = self.lock {
            lock.give_way(self.exclusive);
        }
    }

    /// Sleeps outside the lock.
    fn outside(&self, sleep: impl FnOnce()) {
        match self.lock {
            Some(lock) => lock.outside(self.exclusive, sleep),
            None => sleep(),
        }
    }
}

/// The ways in which a wait ends its sleeps besides the image's doorbell.
#[derive(Clone, Copy, Default)]
struct WakeUp<'a> {
    /// The gate that the writer of the condition reads before it rings.
    gate: Option<&'a AtomicU32>,
    /// The longest sleep between two looks at a condition that rings no doorbell.
    nap: Option<Duration>,
}

/// A hint for a wait on a shared core: whether to spin before a yield.
#[derive(Debug)]
pub struct SpinHint<'a, F> {
    /// The record of how much spinning has brought before.
    pub spin: &'a AdaptiveSpin,
    /// Whether the condition is likely to become true within microseconds.
    pub is_soon: F,
}

impl<'a> Waits<'a> {
    /// The waits of the image that parks at `doorbell` and advances `background` meanwhile.
    #[inline(always)]
    pub fn new(
        doorbell: &'a Doorbell,
        status: &'a Status,
        budget: Waiting,
        background: Option<&'a dyn Background>,
    ) -> Self {
        Waits {
            doorbell,
            status,
            budget,
            background,
            recorder: None,
            cores: None,
            need: Description::default(),
            threads: Threads::default(),
            bound: None,
        }
    }

    /// These waits with a record of each wait, kept by `recorder` once an image has ended.
    #[inline(always)]
    pub fn recorded_by(self, recorder: &'a dyn Recorder) -> Self {
        Waits { recorder: Some(recorder), ..self }
    }

    /// These waits of an image that shares cores with others.
    #[inline(always)]
    pub fn sharing_cores(self, cores: &'a dyn SharedCores) -> Self {
        Waits { cores: Some(cores), ..self }
    }

    /// These waits without a record: the operation keeps its own, or waits for data in transit.
    #[inline(always)]
    pub fn unrecorded(self) -> Self {
        Waits { recorder: None, ..self }
    }

    /// These waits, which `need` describes when the launcher probes.
    #[inline(always)]
    pub fn needing(self, need: &'a dyn Describe) -> Self {
        Waits { need: Description(Some(need)), ..self }
    }

    /// These waits for a thread inside `lock`: the thread leaves the lock while it sleeps and when another thread wants
    /// to enter. Conditions are evaluated inside. `exclusive`: the wait is part of a collective operation, so no other
    /// thread may begin one.
    #[inline(always)]
    pub fn inside(self, lock: &'a ThreadLock, exclusive: bool) -> Self {
        Waits { threads: Threads { lock: Some(lock), exclusive }, ..self }
    }

    /// These waits with sleeps of at most `bound`, for a condition that also becomes true by the clock. How long the image
    /// spins and yields does not change; `slept` becomes true when the image sleeps. They are parts of one wait, whose
    /// record a [`crate::failure::deadlock::Scope`] ends.
    #[inline(always)]
    pub fn bounded(self, bound: Duration, slept: &'a Cell<bool>) -> Self {
        Waits { bound: Some((bound, slept)), ..self }
    }

    fn advance(&self, spun: Option<u32>) -> bool {
        let done = self.background.is_some_and(|background| background.advance(spun));
        if done && let Some(recorder) = self.recorder {
            recorder.advanced();
        }
        done
    }

    /// Whether there is a probe that the image has not answered.
    fn is_probed(&self) -> bool {
        // Relaxed: only a hint.
        let probe = Probe(self.status.probe.load(Ordering::Relaxed));
        self.recorder.is_some_and(|recorder| !recorder.has_answered(probe))
    }

    /// Returns when `ready()` is true. `ready` must become true by a write that is followed by a ring of this image's
    /// doorbell. It may have effects (take a lock): after it has returned true it is not called again.
    ///
    /// # Errors
    /// The error of `watch`, which is asked whether the wait can still end each time an image has ended. `ready()` has
    /// precedence: what an image completed before its end counts.
    #[inline]
    pub fn until(
        &self,
        watch: impl Fn() -> Result<()>,
        mut ready: impl FnMut() -> bool,
    ) -> Result<()> {
        if ready() {
            return Ok(());
        }
        self.keep_waiting(WakeUp::default(), None, &watch, &mut ready)
    }

    /// Waits for a condition that rings no doorbell: the image sleeps no longer than `nap` between two looks, and
    /// longer when the wait has lasted for long. Otherwise like [`Waits::until`].
    pub fn until_asked(
        &self,
        nap: Duration,
        watch: impl Fn() -> Result<()>,
        mut ready: impl FnMut() -> bool,
    ) -> Result<()> {
        let wake_up = WakeUp { nap: Some(nap), ..WakeUp::default() };
        self.keep_waiting(wake_up, None, &watch, &mut ready)
    }

    /// Waits for a condition whose writer reads `gate` before it rings (`README.md`, "Parking without losing a
    /// wake-up"). Otherwise like [`Waits::until`].
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
        let wake_up = WakeUp { gate: Some(gate), ..WakeUp::default() };
        self.keep_waiting(wake_up, None, &watch, &mut ready)
    }

    /// Like [`Waits::until_gate`], with a hint whether spinning before a yield may pay off.
    #[inline]
    pub fn until_gate_soon(
        &self,
        gate: &AtomicU32,
        hint: SpinHint<'_, impl Fn() -> bool>,
        watch: impl Fn() -> Result<()>,
        mut ready: impl FnMut() -> bool,
    ) -> Result<()> {
        if ready() {
            return Ok(());
        }
        let wake_up = WakeUp { gate: Some(gate), ..WakeUp::default() };
        let hint = SpinHint { spin: hint.spin, is_soon: &hint.is_soon as &dyn Fn() -> bool };
        self.keep_waiting(wake_up, Some(hint), &watch, &mut ready)
    }

    /// Called between two looks of a polling loop of the program, which cannot park: yields the core where images share
    /// cores.
    #[inline(never)]
    pub fn between_looks(&self) {
        if self.budget.crowded != 0 {
            yield_now();
        }
    }

    #[inline(never)]
    fn keep_waiting(
        &self,
        wake_up: WakeUp<'_>,
        hint: Option<SpinHint<'_, &dyn Fn() -> bool>>,
        watch: &impl Fn() -> Result<()>,
        ready: &mut impl FnMut() -> bool,
    ) -> Result<()> {
        let outcome = self.wait_out(wake_up, hint, watch, ready);
        if let Some(recorder) = self.recorder.filter(|_| self.bound.is_none()) {
            recorder.release();
        }
        outcome
    }

    fn wait_out(
        &self,
        WakeUp { gate, nap }: WakeUp<'_>,
        hint: Option<SpinHint<'_, &dyn Fn() -> bool>>,
        watch: &impl Fn() -> Result<()>,
        ready: &mut impl FnMut() -> bool,
    ) -> Result<()> {
        let nap = self.background.and_then(Background::nap).or(nap);
        let (mut budget, mut timed) = (self.budget, self.budget.crowded == 0);
        match self.cores.map(|cores| cores.begin_wait()) {
            None => {}
            Some(CoreUse::Own) => (budget, timed) = (budget.with_a_core(), true),
            Some(CoreUse::Shared { timed: wanted }) => timed = wanted,
            Some(CoreUse::Taken) => budget.yields = 0,
        }
        // A sleep by the clock ends late, so such a wait yields more often first.
        if nap.is_some() {
            budget = budget.asking();
        }
        let begin = || (WaitPolicy::new(budget).timing(timed), Naps::new(nap));
        let (mut policy, mut naps) = begin();
        let (mut seen, mut spun) = (0, Some(0));
        let (mut recorded, mut pause) = (false, None::<Duration>);
        // An image with a core of its own has spun before it yields.
        let hint = hint.filter(|_| self.budget.crowded != 0);
        loop {
            // Acquire: what an image wrote before its end is visible once its end is.
            let epoch = self.status.epoch.load(Ordering::Acquire);
            if ready() {
                return Ok(());
            }
            // A recorded look must include the ends of other images.
            if epoch != seen || recorded {
                if let Err(error) = watch() {
                    // The image may have acted between `ready()` and its end. Its end is visible now, so that act is,
                    // too.
                    return if ready() { Ok(()) } else { Err(error) };
                }
                seen = epoch;
            }
            if self.advance(spun) {
                // Requests come in bursts, which other threads of the image need not wait for: start again with the short phases.
                self.threads.give_way();
                (policy, naps) = begin();
                continue;
            }
            self.threads.give_way();
            let step = match policy.step() {
                // Where images that compute share the core, all yields together take too long for an answer, and each
                // request that a leader serves begins them anew.
                WaitAction::Yield if self.is_probed() => WaitAction::Park,
                step => step,
            };
            let spins = step == WaitAction::Spin;
            spun = spins.then(|| spun.map_or(0, |looks| looks.wrapping_add(1)));
            match step {
                WaitAction::Spin => spin_loop(),
                WaitAction::Yield => {
                    if hint.as_ref().is_some_and(|hint| (hint.is_soon)() && hint.spin.look(ready)) {
                        return Ok(());
                    }
                    yield_now();
                    if policy.has_yielded() && budget.crowded != 0 {
                        self.cores.inspect(|cores| cores.meets());
                    }
                }
                WaitAction::Park => {
                    // Acquire: what other images did before they answered the probe before this one.
                    let probe = Probe(self.status.probe.load(Ordering::Acquire));
                    if let Some(recorder) = self.recorder {
                        recorder.sleeps();
                    }
                    if let Some(recorder) = self.recorder.filter(|it| !it.has_answered(probe)) {
                        // The answer says that the image has looked since it has read the probe.
                        if ready() {
                            return Ok(());
                        }
                        if let Err(error) = watch() {
                            return if ready() { Ok(()) } else { Err(error) };
                        }
                        if self.advance(None) {
                            continue;
                        }
                        recorder.answer(probe, self.need.0);
                    }
                    let mut nap = naps.next();
                    if let Some((bound, slept)) = self.bound {
                        nap = nap.or(Some(bound));
                        slept.set(true);
                    }
                    if let Some(recorder) = self.recorder.filter(|_| seen != 0) {
                        // Most waits are over after the first nap and are never recorded.
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
                            || self.status.probe.load(Ordering::Acquire) != probe.0
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
