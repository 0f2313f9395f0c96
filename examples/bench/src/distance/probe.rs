//! Measuring the distance: how long a cache line takes there and back between two cores.

use crate::limits::pin;
use crate::machine;
use std::hint::spin_loop;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::{Acquire, Release};
use std::thread;
use std::time::{Duration, Instant};

/// Series of a probe; the fourth shortest counts. Others that use the cores lengthen many, and where two processors share a
/// core for a moment some are short.
const SERIES: u32 = 15;
/// How many are shorter than the one that counts.
const SHORTER: usize = 3;
/// Round trips of a series: 20 to 100 us, much less than a time slice.
const ROUND_TRIPS: u32 = 200;

/// Measures the distance. Tests of what is done with it replace it by one that measures nothing.
pub trait Probe {
    /// Nanoseconds of a round trip now; `None` where there is only one core.
    fn round_trip(&mut self) -> Option<f64>;

    /// The time, from some moment on.
    fn now(&self) -> Duration;
}

/// The first two cores that this process may use, which are those that the first two images use.
pub struct Cores {
    begun: Instant,
}

impl Cores {
    /// Counts the time from now on.
    pub fn new() -> Self {
        Self { begun: Instant::now() }
    }
}

impl Probe for Cores {
    fn round_trip(&mut self) -> Option<f64> {
        (machine::cores() > 1).then(round_trip)
    }

    fn now(&self) -> Duration {
        self.begun.elapsed()
    }
}

/// A word on lines of its own: processors fetch pairs of lines.
#[derive(Default)]
#[repr(align(128))]
struct Line(AtomicU32);

/// Two threads on a core each hand a count over. The bindings end with the threads.
///
/// Memory ordering: nothing but the two words is shared. Release and acquire, because that is how images hand over data.
fn round_trip() -> f64 {
    let (there, back) = (Line::default(), Line::default());
    thread::scope(|scope| {
        scope.spawn(|| {
            pin(1);
            // The first round trip is the one in which the threads find each other.
            for count in 1..=1 + SERIES * ROUND_TRIPS {
                await_count(&there, count);
                back.0.store(count, Release);
            }
        });
        let ask = || {
            pin(0);
            let mut count = 0;
            let mut go = || {
                count += 1;
                there.0.store(count, Release);
                await_count(&back, count);
            };
            go();
            let mut series = || {
                let begun = Instant::now();
                (0..ROUND_TRIPS).for_each(|_| go());
                1e9 * begun.elapsed().as_secs_f64() / f64::from(ROUND_TRIPS)
            };
            let mut all: Vec<f64> = (0..SERIES).map(|_| series()).collect();
            all.sort_by(f64::total_cmp);
            all[SHORTER]
        };
        scope.spawn(ask).join().expect("nothing there panics")
    })
}

fn await_count(line: &Line, count: u32) {
    while line.0.load(Acquire) != count {
        spin_loop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_probe_leaves_the_cores_of_the_thread_that_asks_as_they_were() {
        let cores = machine::cores();
        let round_trip = Cores::new().round_trip();
        assert_eq!(round_trip.is_some(), cores > 1);
        assert!(round_trip.is_none_or(|nanoseconds| nanoseconds > 0.0));
        assert_eq!(machine::cores(), cores);
    }
}
