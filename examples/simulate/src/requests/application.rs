//! An application with irregular communication, after the NWChem run of the paper (section IV-D): tasks are dealt out
//! by a counter at image 0, read blocks of a distributed array, compute, and add a block to another.

use super::model::{Act, Operation, Program};
use super::random::Random;

/// The program. Blocks are spread over all images at random, some of them wanted more than others.
#[derive(Clone, Debug)]
pub struct Application {
    /// Tasks in all.
    pub tasks: u64,
    /// Mean computing time of a task, nanoseconds; exponentially distributed.
    pub compute: f64,
    /// Blocks that a task reads: contiguous, so not by the server.
    pub gets: u32,
    /// Blocks that a task adds to: by the server.
    pub adds: u32,
    /// Bytes of a block.
    pub block: usize,
    /// The part of the blocks that are on the first hosts, from 0 to 1; the others are anywhere.
    pub skew: f64,
    images: u32,
    per_host: u32,
    dealt: u64,
    stages: Vec<Stage>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Ask,
    Get(u32),
    Add(u32),
    End,
}

impl Application {
    /// On this many images, with this many on a host. The work does not depend on them.
    pub fn new(images: u32, per_host: u32) -> Application {
        Application {
            tasks: 40_000,
            compute: 4e6,
            gets: 2,
            adds: 2,
            block: 2 << 10,
            skew: 0.1,
            images,
            per_host,
            dealt: 0,
            stages: vec![Stage::Ask; images as usize],
        }
    }

    /// An image of another host.
    fn remote_image(&self, image: u32, random: &mut Random) -> u32 {
        let few = (self.images / 64).max(2 * self.per_host).min(self.images);
        let among = if random.fraction() < self.skew { few } else { self.images };
        loop {
            let other = random.below(among.into()) as u32;
            if other / self.per_host != image / self.per_host {
                return other;
            }
        }
    }
}

impl Program for Application {
    fn next(&mut self, image: u32, _: u64, _: &mut Vec<u32>, random: &mut Random) -> Act {
        let stage = self.stages[image as usize];
        let (next, act) = match stage {
            Stage::Ask => {
                if self.dealt == self.tasks {
                    (Stage::End, Act::Fence)
                } else {
                    self.dealt += 1;
                    let to = 0;
                    let act = if image < self.per_host {
                        // The counter is in its host's memory.
                        Act::Compute(100)
                    } else {
                        Act::Request { to, operation: Operation::FETCH_ADD, waits: true }
                    };
                    (Stage::Get(0), act)
                }
            }
            Stage::Get(number) if number < self.gets => {
                let from = self.remote_image(image, random);
                (Stage::Get(number + 1), Act::Get { from, bytes: self.block })
            }
            Stage::Get(_) => {
                let time = random.exponential(self.compute) as u64;
                (Stage::Add(0), Act::Compute(time))
            }
            Stage::Add(number) if number < self.adds => {
                let to = self.remote_image(image, random);
                let operation = Operation::put(self.block);
                (Stage::Add(number + 1), Act::Request { to, operation, waits: false })
            }
            Stage::Add(_) => (Stage::Ask, Act::Fence),
            Stage::End => (Stage::End, Act::End),
        };
        self.stages[image as usize] = next;
        act
    }
}
