//! The time for which a thread does not yield after its yields have met a computing thread.

use std::time::{Duration, Instant};

/// The first pause: an image may compute now and then.
const SHORT_PAUSE: Duration = Duration::from_millis(20);
/// The pause after the thread has met a computing thread again and again. Then the yields between pauses take about a hundredth of the time.
const LONG_PAUSE: Duration = Duration::from_millis(640);

/// The number of waits without such a meeting after which the thread forgets the earlier ones.
const TRIES: u32 = 16;

/// The state of a thread.
#[derive(Clone, Copy, Debug)]
pub struct Pause {
    /// The time of the last meeting.
    since: Option<Instant>,
    length: Duration,
    /// The number of waits since the pause without a meeting.
    tries: u32,
}

impl Pause {
    /// The yields of the thread have met no computing thread.
    pub const NONE: Pause = Pause { since: None, length: SHORT_PAUSE, tries: 0 };

    /// Whether the last yields have met no computing thread.
    pub fn is_none(&self) -> bool {
        self.since.is_none()
    }

    /// Whether the thread pauses at the beginning of a wait, `now`. If not, the wait times its yields.
    pub fn lasts(&mut self, now: Instant) -> bool {
        let Some(since) = self.since else { return false };
        if now.saturating_duration_since(since) <= self.length {
            return true;
        }
        self.tries += 1;
        if self.tries > TRIES {
            *self = Pause::NONE;
        }
        false
    }

    /// A yield that ended at `now` has met a computing thread. `begins`: the pause begins.
    pub fn meets(&mut self, begins: bool, now: Instant) {
        self.tries = 0;
        if begins {
            let length = if self.since.is_some() { 2 * self.length } else { SHORT_PAUSE };
            (self.since, self.length) = (Some(now), length.min(LONG_PAUSE));
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_pause_ends_and_the_thread_looks_again() {
        let (mut pause, met) = (Pause::NONE, Instant::now());
        assert!(!pause.lasts(met));
        pause.meets(true, met);
        assert!(pause.lasts(met + SHORT_PAUSE / 2) && !pause.lasts(met + 2 * SHORT_PAUSE));
        assert!(!pause.is_none());
    }

    #[test]
    fn a_pause_gets_longer_as_long_as_something_is_there() {
        let (mut pause, mut now) = (Pause::NONE, Instant::now());
        for _ in 0..10 {
            pause.meets(true, now);
            now += pause.length + Duration::from_millis(1);
            assert!(!pause.lasts(now));
        }
        assert_eq!(pause.length, LONG_PAUSE);
        // The computing thread has gone.
        for _ in 0..TRIES {
            assert!(!pause.is_none());
            assert!(!pause.lasts(now));
        }
        assert!(pause.is_none());
        pause.meets(true, now);
        assert_eq!(pause.length, SHORT_PAUSE);
    }
}
