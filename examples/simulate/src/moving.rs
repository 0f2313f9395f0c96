//! Operations that move a part of each image: gather, scatter, alltoall.

use crate::collectives::{Outcome, Simulation};
use crate::engine::Step;
use crate::host::CollArea;
use crate::steps::{self, Steps};
use xmp_collectives::parts::Lens;
use xmp_collectives::plan::Participant;
use xmp_collectives::schedules::{binomial_parts, bruck_alltoall, linear, pairwise};
use xmp_collectives::select::{LeaderAlltoall, LeaderTree};

impl Simulation {
    /// Gathering of so many bytes of each image to the first one.
    pub fn gather(&self, bytes: usize) -> Outcome {
        let tree = LeaderTree::choose(self.choices.gather.leaders, &Lens::Equal(bytes));
        let rounds = |Participant { n, position }| -> Steps {
            match tree {
                LeaderTree::Binomial => {
                    steps::of_blocks(binomial_parts::gather(n, position, 0), bytes)
                }
                LeaderTree::Linear => steps::of_blocks(linear::gather(n, position, 0), bytes),
            }
        };
        let host = self.choices.gather.host;
        self.on_one_level(|area| area.gather(bytes, host), rounds)
    }

    /// Scattering of so many bytes for each image from the first one.
    pub fn scatter(&self, bytes: usize) -> Outcome {
        let tree = LeaderTree::choose(self.choices.scatter.leaders, &Lens::Equal(bytes));
        let rounds = |Participant { n, position }| -> Steps {
            match tree {
                LeaderTree::Binomial => {
                    steps::of_blocks(binomial_parts::scatter(n, position, 0), bytes)
                }
                LeaderTree::Linear => steps::of_blocks(linear::scatter(n, position, 0), bytes),
            }
        };
        let host = self.choices.scatter.host;
        self.on_one_level(|area| area.scatter(bytes, host), rounds)
    }

    /// An operation that uses the collective area on one host, and over several hosts one schedule between all images.
    fn on_one_level(
        &self,
        on_host: impl Fn(CollArea<'_>) -> Option<f64>,
        rounds: impl Fn(Participant) -> Steps,
    ) -> Outcome {
        if self.layout.hosts() == 1 {
            return self.levels(on_host, rounds, |_| Some(0.0));
        }
        self.by_messages(&self.layout, &vec![0.0; self.layout.len()], rounds)
    }

    /// Exchange of so many bytes of each image for each other one.
    pub fn alltoall(&self, bytes: usize) -> Outcome {
        let (images, hosts) = (self.layout.len(), self.layout.hosts());
        let (forced, on_host) = (self.choices.alltoall.leaders, self.choices.alltoall.host);
        let local_peers = if self.techniques.two_level { images.div_ceil(hosts) } else { 1 };
        let algorithm = LeaderAlltoall::choose(forced, bytes, local_peers);
        // What a participant has for another.
        let block = bytes * local_peers * local_peers;
        let between = |who: Participant| match algorithm {
            LeaderAlltoall::Bruck => {
                steps::of_hops(bruck_alltoall::alltoall(who.n, who.position), block)
            }
            _ => steps::of_blocks(pairwise::alltoall(who.n, who.position), block),
        };
        if hosts == 1 {
            return self.levels(|area| area.alltoall(bytes, on_host), between, |_| Some(0.0));
        }
        if algorithm == LeaderAlltoall::Each {
            return self.each(bytes, self.longest(|area| area.alltoall(bytes, on_host)));
        }
        // Leaders gather what their local peers have for all images, and scatter what came.
        let (gather, scatter) = (self.choices.gather.host, self.choices.scatter.host);
        let row = bytes * images;
        let down = |area: CollArea<'_>| Some(area.step() + area.scatter(row, scatter)?);
        self.levels(|area| area.gather(row, gather), between, down)
    }

    /// After `start` microseconds on its host every image exchanges with those of other hosts itself.
    fn each(&self, bytes: usize, start: f64) -> Outcome {
        let layout = &self.layout;
        let (n, host_of) = (layout.len(), |position| layout.host_of(position));
        let rounds = move |position: usize| {
            let far = move |other: usize| host_of(other) != host_of(position);
            (1..n).map(move |k| ((position + k) % n, (position + n - k) % n)).filter_map(
                move |(to, from)| {
                    let send = far(to).then_some((to, bytes));
                    let receive = far(from).then_some((from, bytes));
                    (send.is_some() || receive.is_some()).then_some(Step {
                        send,
                        receive,
                        combine: 0,
                    })
                },
            )
        };
        self.run(layout, &vec![start; n], rounds)
    }

    /// What takes longest of what all hosts do on their collective areas.
    fn longest(&self, of: impl Fn(CollArea<'_>) -> Option<f64>) -> f64 {
        let hosts = 0..self.layout.hosts();
        hosts.filter_map(|host| of(self.area(host))).fold(0.0, f64::max)
    }

    /// Bytes of what a participant between hosts brings when each image brings so many: that of the largest host.
    pub(crate) fn contribution(&self, bytes: usize) -> usize {
        let images = (0..self.layout.hosts()).map(|host| self.layout.members(host).len()).max();
        if self.techniques.two_level { bytes * images.unwrap_or(1) } else { bytes }
    }
}
