//! Adaptive timing by the rules of `programs/caf_timing.f90`.

use super::image::Image;
use crate::protocol::Selection;
use std::sync::atomic::Ordering::{Acquire, Release};
use std::time::{Duration, Instant};

/// A row may spend this many times the least batch duration.
const BUDGET_FACTOR: u32 = 50;
const LARGEST_COUNT: u32 = 1 << 29;

/// A process with the rows asked for.
pub struct Harness {
    /// This process.
    pub image: Image,
    selection: Selection,
    least: Duration,
}

impl Harness {
    /// For batches of at least `least`.
    pub fn new(image: Image, selection: Selection, least: Duration) -> Self {
        Self { image, selection, least }
    }

    /// Whether the row was asked for.
    pub fn selected(&self, name: &str, bytes: u64) -> bool {
        self.selection.contains(name, bytes)
    }

    /// Measures and prints one row if it was asked for.
    pub fn row(&mut self, name: &str, bytes: u64, body: impl FnMut(&mut Image, u32)) {
        if self.selected(name, bytes) {
            self.begin(name, bytes);
            let microseconds = self.time(body);
            self.print(name, bytes, microseconds);
        }
    }

    /// Says that a row begins.
    pub fn begin(&self, name: &str, bytes: u64) {
        if self.image.me == 0 {
            println!("begin,{name},{bytes}");
        }
    }

    /// Prints a row's time.
    pub fn print(&self, name: &str, bytes: u64, microseconds: f64) {
        if self.image.me == 0 {
            println!("{name},{bytes},{microseconds:.6e}");
        }
    }

    /// Microseconds a call: `body` does the operation so many times. Only process 0's time counts.
    pub fn time(&mut self, mut body: impl FnMut(&mut Image, u32)) -> f64 {
        let mut spent = Duration::ZERO;
        let mut count = 1;
        for round in 1.. {
            self.image.barrier();
            let started = Instant::now();
            body(&mut self.image, count);
            let taken = started.elapsed();
            spent += taken;
            let command = &self.image.region.control().command.0;
            if self.image.me == 0 {
                // Release and the acquire below: the barrier orders them anyway, this says it.
                command.store(self.next_count(count, taken, spent, round), Release);
            }
            self.image.barrier();
            match command.load(Acquire) {
                0 => return 1e6 * taken.as_secs_f64() / f64::from(count),
                next => count = next,
            }
        }
        unreachable!("the count grows until the batch is long enough")
    }

    fn next_count(&self, count: u32, taken: Duration, spent: Duration, round: u32) -> u32 {
        let long_enough = taken >= self.least;
        if spent >= self.least * BUDGET_FACTOR
            || count >= LARGEST_COUNT
            || (long_enough && round > 1)
        {
            return 0;
        }
        if long_enough {
            return count;
        }
        let wanted = 1.3 * self.least.as_secs_f64() / taken.as_secs_f64().max(1e-9);
        let next = f64::from(count) * wanted.clamp(2.0, 10.0);
        next.min(f64::from(LARGEST_COUNT)) as u32
    }

    /// Ends the output.
    pub fn finish(mut self) {
        self.image.barrier();
        if self.image.me == 0 {
            println!("end");
        }
    }
}
