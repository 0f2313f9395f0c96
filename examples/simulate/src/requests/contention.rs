//! Operations of every image on image 0, one image after the other, while others do the same all the time: sections
//! IV-C.1 to IV-C.3 of the paper.

use super::model::{Act, Operation, Program};
use super::random::Random;

/// Operations of each image that is measured.
pub const TIMES: u32 = 20;
/// Nanoseconds that the others have before the first one is measured.
const WARM_UP: u64 = 5_000_000;

/// The program. Images of the host of image 0 do nothing.
#[derive(Clone, Debug)]
pub struct Contention {
    operation: Operation,
    /// Images that are measured, one after the other.
    measured: Vec<u32>,
    /// One in this many images contends; none if 0.
    one_in: u32,
    per_host: u32,
    /// The one that is measured now.
    current: usize,
    /// When its operations began, in this order.
    begun: Vec<u64>,
    /// When each image began its last operation.
    last: Vec<u64>,
    /// Mean microseconds of an operation of each image that was measured.
    times: Vec<f64>,
}

impl Contention {
    /// Of `images` images every `step`-th one is measured, while one in `one_in` contends.
    pub fn new(
        operation: Operation,
        images: u32,
        per_host: u32,
        step: u32,
        one_in: u32,
    ) -> Contention {
        Contention {
            operation,
            measured: (per_host..images).step_by(step.max(1) as usize).collect(),
            one_in,
            per_host,
            current: 0,
            begun: Vec::new(),
            last: vec![0; images as usize],
            times: Vec::new(),
        }
    }

    /// Images with the mean microseconds of their operations.
    pub fn times(&self) -> Vec<(u32, f64)> {
        self.measured.iter().copied().zip(self.times.iter().copied()).collect()
    }

    /// The mean of all images.
    pub fn mean(&self) -> f64 {
        self.times.iter().sum::<f64>() / self.times.len().max(1) as f64
    }

    fn contends(&self, image: u32) -> bool {
        self.one_in > 0 && image.is_multiple_of(self.one_in)
    }

    /// Counts an operation of the measured image that has ended.
    fn count(&mut self, image: u32, now: u64, wake: &mut Vec<u32>) {
        let began = self.last[image as usize];
        if now < WARM_UP || began < WARM_UP {
            return;
        }
        self.begun.push(now - began);
        if self.begun.len() < TIMES as usize {
            return;
        }
        let sum: u64 = self.begun.drain(..).sum();
        self.times.push(sum as f64 / f64::from(TIMES) / 1e3);
        self.current += 1;
        match self.measured.get(self.current) {
            // What it has begun before, if it contends, does not count.
            Some(&next) => {
                self.last[next as usize] = 0;
                wake.push(next);
            }
            None => wake.extend(0..self.last.len() as u32),
        }
    }

    fn ask(&mut self, image: u32, now: u64) -> Act {
        self.last[image as usize] = now;
        Act::Request { to: 0, operation: self.operation, waits: true }
    }
}

impl Program for Contention {
    fn next(&mut self, image: u32, now: u64, wake: &mut Vec<u32>, random: &mut Random) -> Act {
        if self.measured.get(self.current) == Some(&image) && self.last[image as usize] > 0 {
            self.count(image, now, wake);
        }
        let current = self.measured.get(self.current).copied();
        match current {
            _ if image < self.per_host => Act::End,
            None => Act::End,
            Some(current) if current == image && now < WARM_UP && !self.contends(image) => {
                Act::Compute(WARM_UP - now)
            }
            // Contenders do not all begin at once.
            Some(_) if now == 0 => Act::Compute(1 + random.below(100_000)),
            Some(current) if current == image || self.contends(image) => self.ask(image, now),
            Some(_) => Act::Rest,
        }
    }
}
