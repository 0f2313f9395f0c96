//! Whether something computes on the core of an image that shares it with other images, by what its yields have met.

use crate::wait::{CoreUse, Pause};
use std::cell::Cell;
use std::time::Instant;

/// The image yields until the yields of this many waits, one after the other, have met something. One may have met an image that computes
/// for once. With nine, until it could have moved to another core, a step of conjugate gradients of 4 images on 2 cores, with a program on
/// each core, took 130 ms in place of 33, and none was faster beside a program on one core.
const MEETINGS: u32 = 2;

/// What an image knows of it.
#[derive(Debug)]
pub struct Taken {
    pause: Cell<Pause>,
    /// Whether the last waits took as long as time slices. Otherwise yields are not timed, which takes a tenth of them.
    slow: Cell<bool>,
    /// Waits whose yields have met something, one after the other.
    meetings: Cell<u32>,
    /// Whether the yields of the last wait were timed, and have met nothing.
    alone: Cell<bool>,
}

impl Default for Taken {
    fn default() -> Self {
        Taken {
            pause: Cell::new(Pause::NONE),
            slow: Cell::default(),
            meetings: Cell::default(),
            alone: Cell::default(),
        }
    }
}

impl Taken {
    /// Notes whether the last waits took as long as time slices.
    #[inline]
    pub fn waits_were_slow(&self, slow: bool) {
        self.slow.set(slow);
    }

    /// The image is about to wait. `asks`: as in [`SharedCores::begin_wait`](crate::wait::SharedCores::begin_wait).
    #[inline]
    pub fn begin_wait(&self, asks: bool, now: impl FnOnce() -> Instant) -> CoreUse {
        if self.alone.replace(false) {
            self.meetings.set(0);
        }
        let mut pause = self.pause.get();
        let mut timed = asks || self.slow.get() || self.meetings.get() > 0;
        if !pause.is_none() {
            if pause.lasts(now()) {
                return CoreUse::Taken;
            }
            self.pause.set(pause);
            timed = true;
        }
        self.alone.set(timed);
        CoreUse::Shared { timed }
    }

    /// A yield that ended at `now` has met something.
    #[cold]
    pub fn meets(&self, now: Instant) {
        let meetings = self.meetings.get() + 1;
        let begins = meetings >= MEETINGS;
        let mut pause = self.pause.get();
        pause.meets(begins, now);
        self.pause.set(pause);
        self.meetings.set(if begins { 0 } else { meetings });
        self.alone.set(false);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn yields_are_timed_when_waits_were_slow() {
        let taken = Taken::default();
        let wait = || taken.begin_wait(false, || unreachable!("the clock is not read"));
        assert_eq!(wait(), CoreUse::Shared { timed: false });
        taken.waits_were_slow(true);
        assert_eq!(wait(), CoreUse::Shared { timed: true });
        taken.waits_were_slow(false);
        assert_eq!(wait(), CoreUse::Shared { timed: false });
    }

    #[test]
    fn an_image_does_not_yield_after_waits_that_met_something_one_after_the_other() {
        let (taken, now) = (Taken::default(), Instant::now());
        let wait = || taken.begin_wait(false, || now);
        let meetings = |count: u32| {
            (0..count).for_each(|_| {
                assert!(matches!(wait(), CoreUse::Shared { .. }));
                taken.meets(now);
            });
        };
        meetings(MEETINGS - 1);
        // The yields of one wait meet nothing.
        assert_eq!(wait(), CoreUse::Shared { timed: true });
        assert_eq!(wait(), CoreUse::Shared { timed: false });
        meetings(MEETINGS - 1);
        assert_eq!(wait(), CoreUse::Shared { timed: true });
        taken.meets(now);
        assert_eq!(wait(), CoreUse::Taken);
    }
}
