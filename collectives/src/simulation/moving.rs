//! Operations that move a part of each image: gather and scatter.

use super::host::Board;
use super::steps::{self, Steps};
use super::{Outcome, Simulation};
use crate::parts::Lens;
use crate::plan::Participant;
use crate::schedules::{binomial_parts, linear};
use crate::select::LeaderTree;

impl Simulation {
    /// Gathering of so many bytes of each image to the first one.
    pub fn gather(&self, bytes: usize) -> Outcome {
        let of_host = self.contribution(bytes);
        let tree = LeaderTree::choose(self.choices.gather.leaders, &Lens::Equal(of_host));
        let between = |Participant { n, position }| -> Steps {
            match tree {
                LeaderTree::Binomial => {
                    steps::of_blocks(binomial_parts::gather(n, position, 0), of_host)
                }
                LeaderTree::Linear => steps::of_blocks(linear::gather(n, position, 0), of_host),
            }
        };
        let host = self.choices.gather.host;
        self.levels(|board| board.gather(bytes, host), between, |_| Some(0.0))
    }

    /// Scattering of so many bytes for each image from the first one.
    pub fn scatter(&self, bytes: usize) -> Outcome {
        let of_host = self.contribution(bytes);
        let tree = LeaderTree::choose(self.choices.scatter.leaders, &Lens::Equal(of_host));
        let between = |Participant { n, position }| -> Steps {
            match tree {
                LeaderTree::Binomial => {
                    steps::of_blocks(binomial_parts::scatter(n, position, 0), of_host)
                }
                LeaderTree::Linear => steps::of_blocks(linear::scatter(n, position, 0), of_host),
            }
        };
        let host = self.choices.scatter.host;
        let on_host = |board: Board<'_>| board.scatter(bytes, host);
        match self.layout.hosts() {
            1 => self.levels(on_host, between, |_| Some(0.0)),
            _ => self.levels(|_| Some(0.0), between, on_host),
        }
    }

    /// Bytes of what a participant between hosts brings when each image brings so many: that of the largest host.
    pub(super) fn contribution(&self, bytes: usize) -> usize {
        let images = (0..self.layout.hosts()).map(|host| self.layout.members(host).len()).max();
        if self.techniques.two_level { bytes * images.unwrap_or(1) } else { bytes }
    }
}
