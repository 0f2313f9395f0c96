//! Collectives on a set of images: how long an operation takes, and what its images send.

use crate::costs::Costs;
use crate::engine::{Engine, Traffic};
use crate::host::CollArea;
use crate::layout::Layout;
use crate::steps::{self, Steps};
use crate::techniques::Techniques;
use xmp_collectives::plan::{self, Participant};
use xmp_collectives::select::{Between, Choices, between_all};

/// A set of images, what things cost there, and how it is done.
#[derive(Clone, Debug)]
pub struct Simulation {
    /// What things cost.
    pub costs: Costs,
    /// Where the images are.
    pub layout: Layout,
    /// Techniques of messages.
    pub techniques: Techniques,
    /// Algorithms that are forced, as by `XMP_COLL`.
    pub choices: Choices,
}

/// The result of a simulated operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// Microseconds until the last image has ended, when all begin at once.
    pub time: f64,
    /// Messages between images. What goes through a collective area is none.
    pub traffic: Traffic,
}

/// A reduction or broadcast of elements.
#[derive(Clone, Copy, Debug)]
struct Vector {
    count: usize,
    element: usize,
}

impl Vector {
    fn bytes(self) -> usize {
        self.count * self.element
    }
}

impl Simulation {
    /// Images at these places, with default costs, all techniques, and what the tables choose.
    pub fn new(layout: Layout) -> Simulation {
        let (costs, choices) = (Costs::default(), Choices::default());
        Simulation { costs, layout, techniques: Techniques::ALL, choices }
    }

    /// Barrier.
    pub fn barrier(&self) -> Outcome {
        let forced = self.choices.barrier;
        let between = |who: Participant| {
            let algorithm = self.between(0, who.n).barrier(forced);
            steps::of_rounds(plan::barrier(algorithm, who))
        };
        self.levels(|area| Some(area.step()), between, |area| Some(area.step()))
    }

    /// Reduction of `count` elements of `element` bytes to all.
    pub fn allreduce(&self, count: usize, element: usize) -> Outcome {
        let vector = Vector { count, element };
        let (host, leaders) = (self.choices.allreduce.host, self.choices.allreduce.leaders);
        let between = |who: Participant| {
            let algorithm = self.between(vector.bytes(), who.n).allreduce(leaders);
            steps::of_vector(count, element, move || plan::allreduce(algorithm, who))
        };
        let single = self.layout.hosts() == 1;
        self.levels(
            |area| area.reduce(vector.bytes(), element, single, host),
            between,
            |area| self.conclude(area, vector.bytes()),
        )
    }

    /// Reduction of `count` elements of `element` bytes to the first image.
    pub fn reduce(&self, count: usize, element: usize) -> Outcome {
        let vector = Vector { count, element };
        let (host, leaders) = (self.choices.reduce.host, self.choices.reduce.leaders);
        let between = |who: Participant| {
            let algorithm = self.between(vector.bytes(), who.n).reduce(leaders);
            steps::of_vector(count, element, move || plan::reduce(algorithm, who, 0))
        };
        let up = |area: CollArea<'_>| area.reduce(vector.bytes(), element, false, host);
        self.levels(up, between, |_| Some(0.0))
    }

    /// Broadcast of this many bytes from the first image.
    pub fn broadcast(&self, bytes: usize) -> Outcome {
        let (host, leaders) = (self.choices.broadcast.host, self.choices.broadcast.leaders);
        let between = |who: Participant| {
            let algorithm = self.between(bytes, who.n).broadcast(leaders);
            steps::of_vector(bytes, 1, move || plan::broadcast(algorithm, who, 0, bytes))
        };
        match self.layout.hosts() {
            1 => self.levels(|area| area.broadcast(bytes, host), between, |_| Some(0.0)),
            _ => self.levels(|_| Some(0.0), between, |area| self.conclude(area, bytes)),
        }
    }

    /// Gathering of this many bytes of each image for all.
    pub fn allgather(&self, bytes: usize) -> Outcome {
        let (host, leaders) = (self.choices.allgather.host, self.choices.allgather.leaders);
        let (images, hosts) = (self.layout.len(), self.layout.hosts());
        if hosts > 1 && host.is_none() && between_all(images, hosts) {
            return self.by_messages(&self.layout, &vec![0.0; images], |who| {
                let algorithm = self.between(bytes, who.n).allgather(leaders);
                steps::of_gathering(plan::allgather(algorithm, who), bytes)
            });
        }
        let contribution = self.contribution(bytes);
        let between = |who: Participant| {
            let algorithm = self.between(contribution, who.n).allgather(leaders);
            steps::of_gathering(plan::allgather(algorithm, who), contribution)
        };
        let single = self.layout.hosts() == 1;
        let down = |area: CollArea<'_>| {
            if single { Some(0.0) } else { self.conclude(area, bytes * self.layout.len()) }
        };
        self.levels(|area| area.allgather(bytes, host), between, down)
    }

    /// SYNC IMAGES of every image with all others of the set.
    pub fn sync_images(&self) -> Outcome {
        let n = self.layout.len();
        self.by_messages(&self.layout, &vec![0.0; n], |who| {
            steps::of_all_pairs(who.n, who.position)
        })
    }

    fn between(&self, bytes: usize, participants: usize) -> Between {
        Between { bytes, participants, crowded: self.layout.load() > 1.0, over_fabric: false }
    }

    /// Bytes of what a participant between hosts brings when each image brings this many: that of the largest host.
    fn contribution(&self, bytes: usize) -> usize {
        let images = (0..self.layout.hosts()).map(|host| self.layout.members(host).len()).max();
        if self.techniques.two_level { bytes * images.unwrap_or(1) } else { bytes }
    }

    /// The end of an operation over several hosts, on one of them: a barrier with the call status, and the data after it.
    fn conclude(&self, area: CollArea<'_>, bytes: usize) -> Option<f64> {
        let with_verdict = xmp_core::coll_area::SLOT_DATA - 8;
        let data = if bytes <= with_verdict { Some(0.0) } else { area.broadcast(bytes, None) };
        Some(area.step() + data?)
    }

    /// An operation on two levels: on each host, between leaders, on each host. A set on one host has the first part
    /// only. Where a host has no way over its collective area (`None`), or techniques say so, images exchange messages.
    fn levels(
        &self,
        up: impl Fn(CollArea<'_>) -> Option<f64>,
        between: impl Fn(Participant) -> Steps,
        down: impl Fn(CollArea<'_>) -> Option<f64>,
    ) -> Outcome {
        let layout = &self.layout;
        let area = |host| self.area(host);
        let hosts = || 0..layout.hosts();
        let ups: Option<Vec<f64>> = hosts().map(|host| up(area(host))).collect();
        let (Some(starts), true) = (ups, self.techniques.two_level) else {
            return self.by_messages(layout, &vec![0.0; layout.len()], between);
        };
        if layout.hosts() <= 1 {
            let time = starts.into_iter().fold(0.0, f64::max);
            return Outcome { time, traffic: Traffic::default() };
        }
        let leaders = layout.leaders();
        let engine = Engine { costs: &self.costs, layout: &leaders, techniques: self.techniques };
        let position = |position| between(Participant { n: leaders.len(), position });
        let (ends, traffic) = engine.run(&starts, position);
        let end = |host| ends[host] + down(area(host)).unwrap_or(0.0);
        Outcome { time: hosts().map(end).fold(0.0, f64::max), traffic }
    }

    /// The images of a host at their collective area.
    fn area(&self, host: usize) -> CollArea<'_> {
        CollArea {
            costs: &self.costs.sharing,
            members: self.layout.members(host).len(),
            load: self.layout.load(),
        }
    }

    fn by_messages(
        &self,
        layout: &Layout,
        starts: &[f64],
        steps: impl Fn(Participant) -> Steps,
    ) -> Outcome {
        let engine = Engine { costs: &self.costs, layout, techniques: self.techniques };
        let n = layout.len();
        let (ends, traffic) = engine.run(starts, |position| steps(Participant { n, position }));
        Outcome { time: ends.into_iter().fold(0.0, f64::max), traffic }
    }
}

#[cfg(test)]
mod tests;
