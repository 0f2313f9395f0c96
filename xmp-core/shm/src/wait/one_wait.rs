//! One wait, from its first look to its end.

use super::adaptive_spin::AdaptiveSpin;
use super::background::{Background, Naps};
use super::means::Waits;
use super::policy::{WaitAction, WaitPolicy};
use super::probe::Probe;
use super::recorder::RecordedLooks;
use crate::error::Result;
use crate::sync::{AtomicU32, Ordering, spin_loop};
use std::time::Duration;

/// The ways in which a wait ends its sleeps besides the image's doorbell.
#[derive(Clone, Copy, Default)]
pub(super) struct WakeUp<'a> {
    /// The gate that the writer of the condition reads before it rings.
    pub gate: Option<&'a AtomicU32>,
    /// The longest sleep between two looks at a condition that rings no doorbell.
    pub nap: Option<Duration>,
}

/// A hint for a wait on a shared core: whether to spin before a yield.
#[derive(Debug)]
pub struct SpinHint<'a, F> {
    /// The record of how much spinning has brought before.
    pub spin: &'a AdaptiveSpin,
    /// Whether the condition is likely to become true within microseconds.
    pub is_soon: F,
}

/// The effect of a probe on an image that is about to sleep.
enum BeforeSleep {
    /// The wait is over.
    Leave(Result<()>),
    /// The image looks again: operations in the background have advanced.
    Look,
    /// The image sleeps.
    Sleep,
}

impl Waits<'_> {
    /// Waits after the first look. The compiler makes the code between two looks once for each condition, and the slower code once.
    #[inline(never)]
    pub(super) fn keep_waiting(
        &self,
        wake_up: WakeUp<'_>,
        hint: Option<SpinHint<'_, &dyn Fn() -> bool>>,
        watch: &dyn Fn() -> Result<()>,
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
        watch: &dyn Fn() -> Result<()>,
        ready: &mut impl FnMut() -> bool,
    ) -> Result<()> {
        let nap = self.background.and_then(Background::nap).or(nap);
        // A sleep that a timer ends is longer than requested.
        let asks = nap.is_some();
        let (budget, timed) = self.budget.begin(self.cores.map(|cores| cores.begin_wait(asks)));
        let begin = || {
            let policy =
                if asks { WaitPolicy::asking(budget) } else { WaitPolicy::new(budget, timed) };
            (policy, Naps::new(nap))
        };
        let (mut policy, mut naps) = begin();
        let (mut seen, mut spun) = (0, Some(0));
        let mut recorded = RecordedLooks::default();
        // An image with a core of its own has spun before it yields.
        let hint = hint.filter(|_| self.budget.crowded != 0);
        loop {
            // Acquire: what an image wrote before its end is visible once its end is.
            let epoch = self.status.epoch.load(Ordering::Acquire);
            if ready() {
                return Ok(());
            }
            // A recorded look must include the ends of other images.
            if epoch != seen || recorded.have_begun() {
                if let Err(error) = watch() {
                    // The image may have acted between `ready()` and its end. Its end is visible now, and so is this act.
                    return if ready() { Ok(()) } else { Err(error) };
                }
                seen = epoch;
            }
            if self.advance(spun) {
                // Requests come in bursts: start again with the short phases. Other threads of the image need not wait for the burst.
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
                    policy.yield_core(self.cores);
                }
                WaitAction::Park => {
                    let over = self.park(gate, &mut naps, seen, &mut recorded, watch, ready);
                    if let Some(outcome) = over {
                        return outcome;
                    }
                }
            }
        }
    }

    /// Sleeps until the condition may have changed, unless a probe comes first. Returns the outcome of the wait if it is over.
    #[inline(never)]
    fn park(
        &self,
        gate: Option<&AtomicU32>,
        naps: &mut Naps,
        seen: u32,
        recorded: &mut RecordedLooks,
        watch: &dyn Fn() -> Result<()>,
        ready: &mut dyn FnMut() -> bool,
    ) -> Option<Result<()>> {
        // Acquire: pairs with the answers to the previous probe, so acts of other images before their answers are visible.
        let probe = Probe(self.status.probe.load(Ordering::Acquire));
        match self.before_sleep(probe, watch, ready) {
            BeforeSleep::Leave(outcome) => return Some(outcome),
            BeforeSleep::Look => return None,
            BeforeSleep::Sleep => {}
        }
        let nap = self.longest_sleep(naps.next(), seen, recorded);
        let mut done = false;
        let stay_awake = || {
            done = ready();
            done || self.status.epoch.load(Ordering::Acquire) != seen
                || self.status.probe.load(Ordering::Acquire) != probe.0
                || self.advance(None)
        };
        let sleep = |sleep: &mut dyn FnMut()| self.threads.outside(sleep);
        self.doorbell.park(gate, nap, stay_awake, sleep);
        done.then_some(Ok(()))
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

    /// Called when the image is about to sleep: it answers `probe` if it has not done so.
    #[inline]
    fn before_sleep(
        &self,
        probe: Probe,
        watch: &dyn Fn() -> Result<()>,
        ready: &mut dyn FnMut() -> bool,
    ) -> BeforeSleep {
        let Some(recorder) = self.recorder else { return BeforeSleep::Sleep };
        recorder.sleeps();
        if recorder.has_answered(probe) {
            return BeforeSleep::Sleep;
        }
        // An answer promises that the image has looked after it has read the probe.
        if ready() {
            return BeforeSleep::Leave(Ok(()));
        }
        if let Err(error) = watch() {
            return BeforeSleep::Leave(if ready() { Ok(()) } else { Err(error) });
        }
        if self.advance(None) {
            return BeforeSleep::Look;
        }
        recorder.answer(probe, self.need.0);
        BeforeSleep::Sleep
    }

    /// The longest sleep of an image that has seen `ends` ends of images; `None`: until its doorbell rings.
    #[inline]
    fn longest_sleep(
        &self,
        mut nap: Option<Duration>,
        ends: u32,
        recorded: &mut RecordedLooks,
    ) -> Option<Duration> {
        if let Some((bound, slept)) = self.bound {
            nap = nap.or(Some(bound));
            slept.set(true);
        }
        let Some(recorder) = self.recorder.filter(|_| ends != 0) else { return nap };
        let pause = recorded.before_sleep(recorder);
        Some(nap.map_or(pause, |nap| nap.min(pause)))
    }
}
