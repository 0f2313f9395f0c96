//! Every image of the first host asks its counterpart on the last one, all at once: section IV-A of the paper.

use super::model::{Act, Operation, Program};
use super::random::Random;

/// The program.
#[derive(Clone, Debug)]
pub struct Pairs {
    operation: Operation,
    images: u32,
    per_host: u32,
    /// Operations of each image that are left.
    left: Vec<u32>,
    times: u32,
    /// When the last one ended.
    end: u64,
}

impl Pairs {
    /// So many operations of each.
    pub fn new(operation: Operation, images: u32, per_host: u32, times: u32) -> Pairs {
        Pairs { operation, images, per_host, left: vec![times; per_host as usize], times, end: 0 }
    }

    /// Microseconds an operation, as an image sees it.
    pub fn mean(&self) -> f64 {
        self.end as f64 / f64::from(self.times) / 1e3
    }
}

impl Program for Pairs {
    fn next(&mut self, image: u32, now: u64, _: &mut Vec<u32>, _: &mut Random) -> Act {
        let Some(left) = self.left.get_mut(image as usize) else { return Act::End };
        if *left == 0 {
            self.end = self.end.max(now);
            return Act::End;
        }
        *left -= 1;
        let to = self.images - self.per_host + image;
        Act::Request { to, operation: self.operation, waits: true }
    }
}
