//! Adaptive timing by the rules of `programs/caf_timing.f90`.

use super::image::Image;
use crate::protocol::Selection;
use std::sync::atomic::Ordering::{Acquire, Release};
use std::time::{Duration, Instant};

/// A row may spend this many times the least batch duration.
const BUDGET_FACTOR: u32 = 50;
/// Parts of the batch that counts.
const PART_COUNT: u32 = 20;
const LARGEST_COUNT: u32 = 1 << 29;

/// The times of the faster of two ways.
pub fn faster(a: Vec<f64>, b: Vec<f64>) -> Vec<f64> {
    let mean = |times: &[f64]| times.iter().sum::<f64>() / times.len() as f64;
    if mean(&b) < mean(&a) { b } else { a }
}

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
            let parts = self.time(body);
            self.print(name, bytes, &parts);
        }
    }

    /// Says that a row begins.
    pub fn begin(&self, name: &str, bytes: u64) {
        if self.image.me == 0 {
            println!("begin,{name},{bytes}");
        }
    }

    /// Prints a row's times.
    pub fn print(&self, name: &str, bytes: u64, parts: &[f64]) {
        if self.image.me == 0 {
            let times: String = parts.iter().map(|time| format!(",{time:.6e}")).collect();
            println!("{name},{bytes},mean{times}");
        }
    }

    /// Microseconds a call in each part of the batch: `body` does the operation this many times. Only process 0's times count.
    pub fn time(&mut self, mut body: impl FnMut(&mut Image, u32)) -> Vec<f64> {
        let mut spent = Duration::ZERO;
        let mut count = 1;
        let mut is_known = false;
        let mut parts = Vec::new();
        for round in 1.. {
            self.image.barrier();
            let started = Instant::now();
            body(&mut self.image, count);
            let taken = started.elapsed();
            spent += taken;
            let command = &self.image.region.control().command.0;
            if self.image.me == 0 {
                let is_late = spent >= self.least * BUDGET_FACTOR;
                let next = if is_known || is_late {
                    parts.push(1e6 * taken.as_secs_f64() / f64::from(count));
                    let is_done = is_late || parts.len() == PART_COUNT as usize;
                    if is_done { 0 } else { count }
                } else {
                    let longer = self.longer_part(count, taken);
                    is_known = longer.is_none() && round > 1;
                    longer.unwrap_or(count)
                };
                // Release and the acquire below: the barrier orders them anyway, this says it.
                command.store(next, Release);
            }
            self.image.barrier();
            match command.load(Acquire) {
                0 => return parts,
                next => count = next,
            }
        }
        unreachable!("the count grows until a part is long enough")
    }

    /// Calls of a longer part than one of `count` calls, which took so long; `None` if it is long enough.
    fn longer_part(&self, count: u32, taken: Duration) -> Option<u32> {
        let least = self.least / PART_COUNT;
        if taken >= least || count >= LARGEST_COUNT / PART_COUNT {
            return None;
        }
        let wanted = 1.3 * least.as_secs_f64() / taken.as_secs_f64().max(1e-9);
        let next = f64::from(count) * wanted.clamp(2.0, 10.0);
        Some(next.min(f64::from(LARGEST_COUNT / PART_COUNT)) as u32)
    }

    /// Ends the output.
    pub fn finish(mut self) {
        self.image.barrier();
        if self.image.me == 0 {
            println!("end");
        }
    }
}
