//! The kinds of waits.

use super::means::Waits;
use super::one_wait::{SpinHint, WakeUp};
use crate::error::Result;
use crate::sync::{AtomicU32, yield_now};
use std::time::Duration;

impl Waits<'_> {
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
}
