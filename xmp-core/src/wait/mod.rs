//! Waiting: the only module that spins, yields or sleeps. Read `README.md` beside this file first.

mod doorbell;
mod futex;
mod pace;

pub use doorbell::Doorbell;

use crate::error::Result;
use crate::job::page::{Status, Waiting};
use crate::sync::{AtomicU32, Ordering, spin_loop, yield_now};
use pace::{Pace, Step};

/// How one image waits: its doorbell, the budgets of the job, and the status that ends waits.
#[derive(Clone, Copy, Debug)]
pub struct Waits<'a> {
    doorbell: &'a Doorbell,
    status: &'a Status,
    budget: Waiting,
}

impl<'a> Waits<'a> {
    /// The waits of the image that sleeps at `doorbell`.
    pub fn new(doorbell: &'a Doorbell, status: &'a Status, budget: Waiting) -> Self {
        Waits { doorbell, status, budget }
    }

    /// Returns when `ready()` is true. `ready` must become true by a write that is followed by a ring
    /// of this image's doorbell.
    ///
    /// # Errors
    /// When the status of the job changes, `watch` is asked whether the wait can still end; its error
    /// is returned. `ready()` has precedence: what was completed before an image ended counts.
    #[inline]
    pub fn until(&self, watch: impl Fn() -> Result<()>, mut ready: impl FnMut() -> bool) -> Result<()> {
        if ready() {
            return Ok(());
        }
        self.keep_waiting(None, &watch, &mut ready)
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
        self.keep_waiting(Some(gate), &watch, &mut ready)
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
        gate: Option<&AtomicU32>,
        watch: &impl Fn() -> Result<()>,
        ready: &mut impl FnMut() -> bool,
    ) -> Result<()> {
        let mut pace = Pace::new(self.budget);
        let mut seen = 0;
        loop {
            // Acquire: what an image wrote before its end is visible once its end is.
            let epoch = self.status.epoch.load(Ordering::Acquire);
            if ready() {
                return Ok(());
            }
            if epoch != seen {
                watch()?;
                seen = epoch;
            }
            match pace.step() {
                Step::Spin => spin_loop(),
                Step::Yield => yield_now(),
                Step::Park => self.doorbell.park(gate, || {
                    ready() || self.status.epoch.load(Ordering::Acquire) != seen
                }),
            }
        }
    }
}

#[cfg(all(test, loom))]
mod model {
    use super::*;
    use crate::Error;
    use crate::sync::AtomicU64;
    use loom::sync::Arc;

    #[derive(Default)]
    struct Shared {
        doorbell: Doorbell,
        status: Status,
        state: AtomicU32,
        counter: AtomicU64,
    }

    impl Shared {
        /// The waiter's side: waits for the counter, and for nothing once the other image has ended.
        fn wait(&self) -> Result<()> {
            let budget = Waiting { spin_ns: 0, yields: 0, crowded: 1 };
            Waits::new(&self.doorbell, &self.status, budget).until(
                || match self.state.load(Ordering::Acquire) {
                    0 => Ok(()),
                    _ => Err(Error::StoppedImage(crate::Rank::new(1))),
                },
                || self.counter.load(Ordering::Acquire) == 1,
            )
        }

        /// The ending image's side, as in `failure::publish_state`.
        fn end(&self) {
            self.state.store(1, Ordering::Release);
            self.status.epoch.fetch_add(1, Ordering::Release);
            self.doorbell.ring();
        }
    }

    /// An image that ends without notifying: the waiter gets the error and is not left asleep.
    #[test]
    fn loom_an_end_reaches_the_waiter() {
        loom::model(|| {
            let shared = Arc::new(Shared::default());
            let other = shared.clone();
            let ending = loom::thread::spawn(move || other.end());
            assert!(shared.wait().is_err());
            ending.join().unwrap();
        });
    }

    /// An image that notifies and then ends: the wait is fulfilled, whatever the waiter sees first.
    #[test]
    fn loom_what_was_done_before_the_end_counts() {
        loom::model(|| {
            let shared = Arc::new(Shared::default());
            let other = shared.clone();
            let ending = loom::thread::spawn(move || {
                crate::sync::store_then_fence(&other.counter, 1);
                other.doorbell.ring_if_parked();
                other.end();
            });
            assert_eq!(shared.wait(), Ok(()));
            ending.join().unwrap();
        });
    }
}
