//! Discrete events: all participants of a schedule, each in its own time.
//!
//! A participant works through its steps. Sending costs it work, then the message goes its way; receiving waits for
//! the message, then costs work. The network adapter of a host carries one message after the other, out and in; so
//! participants are taken in the order of their times. Messages are buffered without bound; what a channel of
//! limited room costs is among the [`Techniques`].

use super::costs::{Costs, Link};
use super::layout::Layout;
use super::techniques::Techniques;
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// Bytes of a packet of a channel.
pub const PACKET: usize = xmp_core::notify::PACKET;

/// What a participant does next: sends, receives, combines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// To whom and how many bytes.
    pub send: Option<(usize, usize)>,
    /// From whom and how many bytes.
    pub receive: Option<(usize, usize)>,
    /// Bytes that are combined with others afterwards.
    pub combine: usize,
}

/// What went over links.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Messages within hosts.
    pub host_messages: u64,
    /// Their bytes.
    pub host_bytes: u64,
    /// Messages between hosts.
    pub network_messages: u64,
    /// Their bytes.
    pub network_bytes: u64,
}

impl Traffic {
    /// Both together.
    #[must_use]
    pub fn and(self, other: Traffic) -> Traffic {
        Traffic {
            host_messages: self.host_messages + other.host_messages,
            host_bytes: self.host_bytes + other.host_bytes,
            network_messages: self.network_messages + other.network_messages,
            network_bytes: self.network_bytes + other.network_bytes,
        }
    }
}

/// A time as a key: all are finite and not negative.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Time(f64);

impl Eq for Time {}

impl PartialOrd for Time {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Time {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// The adapter of a host: when it is free again.
#[derive(Clone, Copy, Debug, Default)]
struct Adapter {
    out: f64,
    into: f64,
}

/// A participant that waits, or is about to go on.
struct Participant<I> {
    steps: I,
    time: f64,
    /// What it receives now: from whom, bytes, and bytes combined then.
    waits: Option<(usize, usize, usize)>,
    queued: bool,
    done: bool,
}

/// What there is to run a schedule on.
#[derive(Clone, Copy, Debug)]
pub struct Engine<'a> {
    /// What things cost.
    pub costs: &'a Costs,
    /// Where the participants are.
    pub layout: &'a Layout,
    /// How messages are made.
    pub techniques: Techniques,
}

impl Engine<'_> {
    /// Runs the steps of every participant, who begin at these times. When each has ended, and what was sent.
    ///
    /// # Panics
    /// When the schedule deadlocks.
    pub fn run<I: Iterator<Item = Step>>(
        &self,
        starts: &[f64],
        steps: impl Fn(usize) -> I,
    ) -> (Vec<f64>, Traffic) {
        let participant = |(p, &time)| {
            let steps = steps(p);
            Participant { steps, time, waits: None, queued: true, done: false }
        };
        let mut run = Run {
            engine: self,
            starts,
            all: starts.iter().enumerate().map(participant).collect(),
            queue: starts.iter().enumerate().map(|(p, &t)| Reverse((Time(t), p))).collect(),
            on_the_way: HashMap::new(),
            adapters: vec![Adapter::default(); self.layout.hosts()],
            traffic: Traffic::default(),
        };
        while let Some(Reverse((_, p))) = run.queue.pop() {
            run.all[p].queued = false;
            run.go_on(p);
        }
        assert!(run.all.iter().all(|participant| participant.done), "the schedule deadlocks");
        (run.all.into_iter().map(|participant| participant.time).collect(), run.traffic)
    }
}

struct Run<'a, I> {
    engine: &'a Engine<'a>,
    starts: &'a [f64],
    all: Vec<Participant<I>>,
    /// Participants that can go on, and when.
    queue: BinaryHeap<Reverse<(Time, usize)>>,
    /// Messages that were sent and not yet taken: when they are there, by receiver and sender.
    on_the_way: HashMap<(usize, usize), SmallVec<[f64; 2]>>,
    adapters: Vec<Adapter>,
    traffic: Traffic,
}

impl<I: Iterator<Item = Step>> Run<'_, I> {
    /// Takes a participant on until it waits, has ended, or another one's turn comes first.
    fn go_on(&mut self, p: usize) {
        loop {
            if let Some((from, bytes, combine)) = self.all[p].waits {
                let Some(arrival) = self.take(p, from) else { return };
                self.receive(p, from, (bytes, combine), arrival);
            }
            let now = Time(self.all[p].time);
            if self.queue.peek().is_some_and(|Reverse((next, _))| *next < now) {
                self.queue_up(p, now.0);
                return;
            }
            let Some(step) = self.all[p].steps.next() else {
                self.all[p].done = true;
                return;
            };
            if let Some((to, bytes)) = step.send {
                self.send(p, to, bytes);
            }
            match step.receive {
                Some((from, bytes)) => self.all[p].waits = Some((from, bytes, step.combine)),
                None => self.all[p].time += step.combine as f64 * self.combine(),
            }
        }
    }

    fn link(&self, p: usize, q: usize) -> (&Link, bool) {
        let layout = self.engine.layout;
        match layout.host_of(p) == layout.host_of(q) {
            true => (&self.engine.costs.sharing.channel, true),
            false => (&self.engine.costs.network, false),
        }
    }

    fn combine(&self) -> f64 {
        self.engine.costs.sharing.combine * self.engine.layout.load()
    }

    fn take(&mut self, p: usize, from: usize) -> Option<f64> {
        let messages = self.on_the_way.get_mut(&(p, from))?;
        let arrival = messages.remove(0);
        if messages.is_empty() {
            self.on_the_way.remove(&(p, from));
        }
        Some(arrival)
    }

    fn send(&mut self, p: usize, to: usize, bytes: usize) {
        let (engine, load) = (self.engine, self.engine.layout.load());
        let (&link, local) = self.link(p, to);
        let packets = bytes.div_ceil(PACKET).max(1) as f64;
        let delays = engine.techniques.delays(&link, engine.costs, local, packets);
        let ready = match delays.waits_for_receiver {
            true => self.starts[to] + link.latency + 2.0 * link.overhead,
            false => 0.0,
        };
        let moved = bytes as f64 * link.per_byte;
        let time = self.all[p].time.max(ready) + packets * link.overhead * load;
        let arrival = if local {
            // The sender copies; the receiver copies out behind it.
            self.traffic.host_messages += 1;
            self.traffic.host_bytes += bytes as u64;
            self.all[p].time = time + moved * load + delays.sender;
            self.all[p].time + link.latency
        } else {
            self.traffic.network_messages += 1;
            self.traffic.network_bytes += bytes as u64;
            self.all[p].time = time + delays.sender;
            let out = &mut self.adapters[engine.layout.host_of(p)].out;
            let begins = time.max(*out);
            *out = begins + link.gap + moved;
            let into = &mut self.adapters[engine.layout.host_of(to)].into;
            let comes = (begins + link.latency).max(*into);
            *into = comes + link.gap + moved;
            comes + moved
        };
        let arrival = arrival + delays.message;
        self.on_the_way.entry((to, p)).or_default().push(arrival);
        if self.all[to].waits.is_some_and(|(from, ..)| from == p) {
            self.queue_up(to, self.all[to].time.max(arrival));
        }
    }

    fn queue_up(&mut self, p: usize, time: f64) {
        if !std::mem::replace(&mut self.all[p].queued, true) {
            self.queue.push(Reverse((Time(time), p)));
        }
    }

    fn receive(&mut self, p: usize, from: usize, (bytes, combine): (usize, usize), arrival: f64) {
        let load = self.engine.layout.load();
        let sharing = &self.engine.costs.sharing;
        let (&link, local) = self.link(p, from);
        let combined = combine as f64 * self.combine();
        let participant = &mut self.all[p];
        // Who waits where images share cores gives its core away and gets it back in its turn.
        let turn = if load > 1.0 && arrival > participant.time { sharing.turn * load } else { 0.0 };
        let per_byte = if local { link.per_byte } else { sharing.copy };
        let packets = bytes.div_ceil(PACKET).max(1) as f64;
        let all = (bytes as f64 * per_byte + packets * link.overhead) * load;
        let last = (bytes.min(PACKET) as f64 * per_byte + link.overhead) * load;
        // It copies packets out as they come.
        participant.time = (participant.time + all).max(arrival + turn + last) + combined;
        participant.waits = None;
    }
}

#[cfg(test)]
mod tests;
