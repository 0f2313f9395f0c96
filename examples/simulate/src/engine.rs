//! Discrete events: all participants of a schedule, each in its own time.
//!
//! A participant works through its steps. Sending costs it work, then the message goes its way; receiving waits for
//! the message, then costs work. The network adapter of a host carries one message after the other, out and in; so
//! participants are taken in the order of their times. Where images share cores, a waiting image gives its core away and gets
//! one back when one is free, after all that came before. Messages are buffered without bound; what a channel of
//! limited room costs is among the [`Techniques`].

use crate::costs::{Costs, Link};
use crate::layout::Layout;
use crate::techniques::Techniques;
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::collections::hash_map::Entry;
use std::collections::{BinaryHeap, HashMap};

/// Bytes of a packet of a channel.
pub const PACKET: usize = xmp_core::notify::PACKET;

/// What a participant does next: sends, receives, combines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// To this participant, this number of bytes.
    pub send: Option<(usize, usize)>,
    /// From this participant, this number of bytes.
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
            cores: self.cores(),
            traffic: Traffic::default(),
        };
        while let Some(Reverse((_, p))) = run.queue.pop() {
            run.all[p].queued = false;
            run.go_on(p);
        }
        assert!(run.all.iter().all(|participant| participant.done), "the schedule deadlocks");
        (run.all.into_iter().map(|participant| participant.time).collect(), run.traffic)
    }

    /// The cores of each machine, free from the beginning. Without any where each image has its own.
    fn cores(&self) -> Vec<Vec<f64>> {
        let (machines, cores) = self.layout.machines();
        if self.layout.load() > 1.0 { vec![vec![0.0; cores]; machines] } else { Vec::new() }
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
    /// By machine: when each core is free again.
    cores: Vec<Vec<f64>>,
    traffic: Traffic,
}

impl<I: Iterator<Item = Step>> Run<'_, I> {
    /// Takes a participant on as far as it goes: on a core that it shares, if there are not enough.
    fn go_on(&mut self, p: usize) {
        if self.cores.is_empty() {
            return self.work(p, false);
        }
        let layout = self.engine.layout;
        let machine = layout.machine_of(layout.host_of(p));
        let cores = &self.cores[machine];
        let core = (0..cores.len()).min_by(|&a, &b| cores[a].total_cmp(&cores[b]));
        let core = core.expect("a machine has a core");
        let waits_for = self.all[p].waits.and_then(|(from, ..)| self.arrival(p, from));
        let ready = self.all[p].time.max(waits_for.unwrap_or(0.0));
        self.all[p].time = ready.max(cores[core]) + self.engine.costs.sharing.turn;
        self.work(p, true);
        self.cores[machine][core] = self.all[p].time;
    }

    /// Takes a participant on until it waits, has ended, or - unless it keeps its core - another one's turn comes
    /// first.
    fn work(&mut self, p: usize, keeps: bool) {
        loop {
            if let Some((from, bytes, combine)) = self.all[p].waits {
                // Who shares a core gives it away instead of waiting for what is on its way.
                let here = self.arrival(p, from).filter(|&at| !keeps || at <= self.all[p].time);
                let Some(arrival) = here else {
                    if let Some(arrival) = self.arrival(p, from) {
                        self.queue_up(p, arrival);
                    }
                    return;
                };
                self.take(p, from);
                self.receive(p, from, bytes, combine, arrival);
            }
            let now = Time(self.all[p].time);
            if !keeps && self.queue.peek().is_some_and(|Reverse((next, _))| *next < now) {
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

    /// What messages go over, and whether that is memory that both share.
    fn link(&self, p: usize, q: usize) -> (&Link, bool) {
        let layout = self.engine.layout;
        let machine = |p| layout.machine_of(layout.host_of(p));
        if machine(p) == machine(q) {
            (&self.engine.costs.sharing.channel, true)
        } else {
            (&self.engine.costs.network, false)
        }
    }

    fn combine(&self) -> f64 {
        self.engine.costs.sharing.combine
    }

    /// When the next message of a sender is there, if it was sent.
    fn arrival(&self, p: usize, from: usize) -> Option<f64> {
        self.on_the_way.get(&(p, from)).map(|messages| messages[0])
    }

    fn take(&mut self, p: usize, from: usize) {
        if let Entry::Occupied(mut messages) = self.on_the_way.entry((p, from)) {
            messages.get_mut().remove(0);
            if messages.get().is_empty() {
                messages.remove();
            }
        }
    }

    fn send(&mut self, p: usize, to: usize, bytes: usize) {
        let engine = self.engine;
        let (&link, local) = self.link(p, to);
        let packets = bytes.div_ceil(PACKET).max(1) as f64;
        let delays = engine.techniques.delays(&link, engine.costs, local, packets);
        let ready = if delays.waits_for_receiver {
            self.starts[to] + link.latency + 2.0 * link.overhead
        } else {
            0.0
        };
        let moved = bytes as f64 * link.per_byte;
        let time = self.all[p].time.max(ready) + packets * link.overhead;
        if engine.layout.host_of(p) == engine.layout.host_of(to) {
            self.traffic.host_messages += 1;
            self.traffic.host_bytes += bytes as u64;
        } else {
            self.traffic.network_messages += 1;
            self.traffic.network_bytes += bytes as u64;
        }
        let arrival = if local {
            // The sender copies; the receiver copies out after it.
            self.all[p].time = time + moved + delays.sender;
            self.all[p].time + link.latency
        } else {
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

    fn receive(&mut self, p: usize, from: usize, bytes: usize, combine: usize, arrival: f64) {
        let (&link, local) = self.link(p, from);
        let combined = combine as f64 * self.combine();
        let participant = &mut self.all[p];
        let per_byte = if local { link.per_byte } else { self.engine.costs.sharing.copy };
        let packets = bytes.div_ceil(PACKET).max(1) as f64;
        let all = bytes as f64 * per_byte + packets * link.overhead;
        let last = bytes.min(PACKET) as f64 * per_byte + link.overhead;
        // It copies packets out as they come.
        participant.time = (participant.time + all).max(arrival + last) + combined;
        participant.waits = None;
    }
}

#[cfg(test)]
mod tests;
