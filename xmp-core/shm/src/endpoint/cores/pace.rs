//! The pauses between the moves of an image.

use std::time::{Duration, Instant};

/// Least and greatest time between two moves of an image.
const PAUSES: [Duration; 2] = [Duration::from_millis(1), Duration::from_secs(8)];

/// Pauses without a move after which the pause is halved.
const QUIET: u32 = 16;

/// How many times as long an image pauses after a failed trial: 64 ms at first, because the others may just be starting.
const AFTER_FAILURE: u32 = 64;

/// How often an image may move. Each move doubles the pause after it, a long time without one halves it: where another program keeps a
/// core, the system undoes the moves, and each one costs a time slice.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pace {
    last: Option<Instant>,
    pause: Duration,
}

impl Pace {
    /// The pace after a move that was undone.
    pub fn after_failure(self, now: Instant) -> Pace {
        let [least, most] = PAUSES;
        let pause = self.pause.max(least) * AFTER_FAILURE;
        Pace { last: Some(now), pause: pause.min(most) }
    }

    /// Whether the image may move now. If so, it is taken to do so.
    pub fn permits(&mut self, now: Instant) -> bool {
        let [least, most] = PAUSES;
        let since = self.last.map_or(Duration::MAX, |last| now - last);
        if since < self.pause {
            return false;
        }
        let pause = if since > self.pause * QUIET { self.pause / 2 } else { self.pause * 2 };
        *self = Pace { last: Some(now), pause: pause.clamp(least, most) };
        true
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn moves_that_are_undone_become_rare_and_may_be_frequent_again() {
        let mut pace = Pace::default();
        let start = Instant::now();
        let mut now = start;
        let mut moves = 0;
        while now < start + Duration::from_secs(60) {
            moves += u32::from(pace.permits(now));
            now += Duration::from_millis(1);
        }
        assert!((20..40).contains(&moves), "{moves}");
        let mut waited = Duration::ZERO;
        while pace.pause > PAUSES[0] {
            waited += 17 * pace.pause;
            now += 17 * pace.pause;
            assert!(pace.permits(now));
        }
        assert!(waited < Duration::from_secs(300));
    }
}
