//! Discrete events: images that ask, servers that do one thing after the other, adapters that carry one message after
//! the other.

use super::model::{Act, Machine, Operation, Program};
use super::random::Random;
use crate::costs::Link;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use xmp_core::cooperation::{
    Answers, Batch, Credits, Footprint, Group, ReceiveBuffers, Relay, combine,
};

/// What came out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Nanoseconds until the last image has ended.
    pub time: u64,
    /// Messages between hosts.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Requests that were executed.
    pub requests: u64,
    /// Messages from server to server with requests.
    pub batches: u64,
    /// Most buffers for requests of images that any server ever used.
    pub most_used: u64,
}

/// Bytes of each one more of merged requests: who asks, and its operand.
const MEMBER: usize = 16;
/// Bytes of an acknowledgement between servers, and of what a batch has in front.
const HEADER: usize = 32;

#[derive(Clone, Copy, Debug)]
struct Request {
    origin: u32,
    target: u32,
    operation: Operation,
}

impl Request {
    fn bytes(&self) -> usize {
        self.operation.bytes()
    }
}

#[derive(Debug)]
enum Message {
    Request(Request),
    Batch(Vec<Group<Request>>),
    Done(Vec<Request>),
}

#[derive(Debug)]
enum Event {
    /// An image goes on.
    Go(u32),
    /// A message has come to the adapter of a host.
    Wire(u32, usize, Delivery),
    /// A message is in the memory of a host.
    There(u32, Delivery),
    /// A server is free, or is to look at what it holds.
    Serve(u32),
}

#[derive(Debug)]
enum Delivery {
    /// To its server, from a host.
    Server(u32, Message),
    /// To an image: the answer to this request.
    Answer(Request),
    /// To the adapter: an image reads bytes.
    Get { image: u32, bytes: usize },
    /// To an image: the bytes.
    Got(u32),
}

struct Entry(u64, u64, Event);

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        (self.0, self.1) == (other.0, other.1)
    }
}

impl Eq for Entry {}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.0, self.1).cmp(&(other.0, other.1))
    }
}

struct Image {
    credits: Credits,
    /// A request that there was no credit for, and whether it waits for its answer.
    stuck: Option<(Request, bool)>,
    /// Requests without answer.
    open: u32,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Busy,
    /// Until so few requests are open.
    Waits,
    Rests,
    Ended,
}

struct Host {
    relay: Relay<Request>,
    room: ReceiveBuffers,
    inbox: VecDeque<(u32, Message)>,
    /// When its server is free, or is woken.
    serves_at: Option<u64>,
    busy_until: u64,
    out: u64,
    into: u64,
}

/// Runs a program on a machine from this seed.
///
/// # Panics
/// When the protocol is broken: a message without room, or images that wait for ever.
pub fn run(machine: &Machine, program: &mut impl Program, seed: u64) -> Outcome {
    let hosts = machine.topology.hosts();
    let policy = machine.policy;
    let host = |host| Host {
        relay: Relay::new(machine.topology, host, policy),
        room: ReceiveBuffers::new(policy.buffers),
        inbox: VecDeque::new(),
        serves_at: None,
        busy_until: 0,
        out: 0,
        into: 0,
    };
    let image = |_| Image {
        credits: Credits::new(policy.buffers),
        stuck: None,
        open: 0,
        state: State::Busy,
    };
    let mut engine = Engine {
        machine,
        program,
        random: Random::new(seed),
        now: 0,
        number: 0,
        queue: BinaryHeap::new(),
        images: (0..hosts * machine.per_host).map(image).collect(),
        hosts: (0..hosts).map(host).collect(),
        outcome: Outcome::default(),
    };
    engine.run();
    engine.outcome
}

struct Engine<'a, P> {
    machine: &'a Machine,
    program: &'a mut P,
    random: Random,
    now: u64,
    /// The number of the next event: events of one time happen in the order in which they were found out.
    number: u64,
    queue: BinaryHeap<Reverse<Entry>>,
    images: Vec<Image>,
    hosts: Vec<Host>,
    outcome: Outcome,
}

fn nanoseconds(microseconds: f64) -> u64 {
    (microseconds * 1e3).round() as u64
}

impl<P: Program> Engine<'_, P> {
    fn run(&mut self) {
        for image in 0..self.images.len() {
            self.at(0, Event::Go(image as u32));
        }
        while let Some(Reverse(Entry(time, _, event))) = self.queue.pop() {
            self.now = time;
            match event {
                Event::Go(image) => self.go_on(image),
                Event::Wire(host, bytes, delivery) => {
                    let into = &mut self.hosts[host as usize].into;
                    *into = (*into).max(time) + occupancy(&self.machine.costs.network, bytes);
                    let there = *into;
                    self.at(there, Event::There(host, delivery));
                }
                Event::There(host, delivery) => self.deliver(host, delivery),
                Event::Serve(host) => self.serve(host),
            }
        }
        for (number, image) in self.images.iter().enumerate() {
            assert!(
                image.state == State::Ended,
                "image {number} waits for ever: {:?}",
                image.state
            );
        }
        assert!(self.hosts.iter().all(|host| host.relay.is_idle() && host.inbox.is_empty()));
    }

    fn at(&mut self, time: u64, event: Event) {
        self.queue.push(Reverse(Entry(time, self.number, event)));
        self.number += 1;
    }

    fn host_of(&self, image: u32) -> u32 {
        image / self.machine.per_host
    }

    /// What an image or server works to send or receive a message.
    fn overhead(&self, local: bool) -> u64 {
        let costs = &self.machine.costs;
        nanoseconds(if local { costs.sharing.channel.overhead } else { costs.network.overhead })
    }

    /// Sends a message that is ready at `time`.
    fn send(&mut self, time: u64, from: u32, to: u32, bytes: usize, delivery: Delivery) {
        let costs = &self.machine.costs;
        if from == to {
            let channel = &costs.sharing.channel;
            let there = time + nanoseconds(channel.latency + channel.per_byte * bytes as f64);
            return self.at(there, Event::There(to, delivery));
        }
        self.outcome.messages += 1;
        self.outcome.bytes += bytes as u64;
        let out = &mut self.hosts[from as usize].out;
        let start = (*out).max(time);
        *out = start + occupancy(&costs.network, bytes);
        let there = start + nanoseconds(costs.network.latency);
        self.at(there, Event::Wire(to, bytes, delivery));
    }

    /// Lets an image do what its program says until it waits.
    fn go_on(&mut self, number: u32) {
        let image = &mut self.images[number as usize];
        image.state = State::Busy;
        if let Some((request, waits)) = image.stuck.take() {
            return self.ask(request, waits);
        }
        let mut wake = Vec::new();
        let act = self.program.next(number, self.now, &mut wake, &mut self.random);
        for other in wake {
            if self.images[other as usize].state == State::Rests {
                self.images[other as usize].state = State::Busy;
                self.at(self.now, Event::Go(other));
            }
        }
        let image = &mut self.images[number as usize];
        match act {
            Act::Compute(time) => self.at(self.now + time, Event::Go(number)),
            Act::Request { to, operation, waits } => {
                self.ask(Request { origin: number, target: to, operation }, waits);
            }
            Act::Get { from, bytes } => {
                image.state = State::Waits;
                let (here, there) = (self.host_of(number), self.host_of(from));
                let ready = self.now + self.overhead(false);
                self.send(ready, here, there, HEADER, Delivery::Get { image: number, bytes });
            }
            Act::Fence if image.open == 0 => self.at(self.now, Event::Go(number)),
            Act::Fence => image.state = State::Waits,
            Act::Rest => image.state = State::Rests,
            Act::End => {
                image.state = State::Ended;
                self.outcome.time = self.outcome.time.max(self.now);
            }
        }
    }

    /// Sends a request of an image if there is a credit.
    fn ask(&mut self, request: Request, waits: bool) {
        let (here, there) = (self.host_of(request.origin), self.host_of(request.target));
        assert_ne!(here, there, "images of a host need no request");
        let entry = self.machine.topology.entry(here, there);
        let image = &mut self.images[request.origin as usize];
        if !image.credits.take(entry) {
            image.stuck = Some((request, waits));
            image.state = State::Waits;
            return;
        }
        image.open += 1;
        if waits {
            image.state = State::Waits;
        }
        let ready = self.now + self.overhead(here == entry);
        let delivery = Delivery::Server(here, Message::Request(request));
        self.send(ready, here, entry, request.bytes(), delivery);
        if !waits {
            self.at(ready, Event::Go(request.origin));
        }
    }

    fn deliver(&mut self, host: u32, delivery: Delivery) {
        match delivery {
            Delivery::Server(from, message) => {
                let place = &mut self.hosts[host as usize];
                if let Message::Request(request) = &message {
                    place.room.enter(request.origin).expect("requests have credits");
                    self.outcome.most_used = self.outcome.most_used.max(place.room.in_use());
                }
                place.inbox.push_back((from, message));
                self.look_at(host, self.now);
            }
            Delivery::Answer(request) => {
                let entry = self.machine.topology.entry(host, self.host_of(request.target));
                let local = entry == host;
                let image = &mut self.images[request.origin as usize];
                image.credits.give(entry, 1).expect("answers are to requests");
                image.open -= 1;
                if image.state == State::Waits && (image.stuck.is_some() || image.open == 0) {
                    image.state = State::Busy;
                    let ready = self.now + self.overhead(local);
                    self.at(ready, Event::Go(request.origin));
                }
            }
            Delivery::Get { image, bytes } => {
                let to = self.host_of(image);
                self.send(self.now, host, to, bytes, Delivery::Got(image));
            }
            Delivery::Got(image) => {
                let ready = self.now + self.overhead(false);
                self.at(ready, Event::Go(image));
            }
        }
    }

    /// Has the server of a host look for work at this time, or as soon as it is free.
    fn look_at(&mut self, host: u32, time: u64) {
        let place = &mut self.hosts[host as usize];
        let time = time.max(place.busy_until);
        if place.serves_at.is_none_or(|before| time < before) {
            place.serves_at = Some(time);
            self.at(time, Event::Serve(host));
        }
    }

    /// What a server does next: sends what is due, else looks at a message.
    fn serve(&mut self, host: u32) {
        let place = &mut self.hosts[host as usize];
        if place.serves_at != Some(self.now) {
            return;
        }
        place.serves_at = None;
        let more = !place.inbox.is_empty();
        let free = if let Some(batch) = place.relay.next(self.now, more) {
            self.forward(host, batch)
        } else if let Some((from, message)) = place.inbox.pop_front() {
            self.receive(host, from, message)
        } else {
            if let Some(wake) = place.relay.wake_at() {
                self.look_at(host, wake);
            }
            return;
        };
        self.hosts[host as usize].busy_until = free;
        self.look_at(host, free);
    }

    /// Sends a message with requests to a server of the group; when this one is free again.
    fn forward(&mut self, host: u32, Batch { to, items }: Batch<Request>) -> u64 {
        for request in &items {
            let room = &mut self.hosts[host as usize].room;
            room.leave(request.origin).expect("requests that are held have buffers");
        }
        let combines = self.machine.policy.combines;
        let word =
            |request: &Request| (combines && request.operation.counts).then_some(request.target);
        let items = combine(items, |request| (request.origin, word(request)));
        // Those that are merged have one header.
        let bytes: usize = items.iter().map(|g| g[0].bytes() + MEMBER * (g.len() - 1)).sum();
        let copy = nanoseconds(self.machine.costs.sharing.copy * bytes as f64);
        self.outcome.batches += 1;
        let ready = self.now + copy + self.overhead(false);
        self.send(ready, host, to, HEADER + bytes, Delivery::Server(host, Message::Batch(items)));
        ready
    }

    /// Deals with a message; when the server is free again.
    fn receive(&mut self, host: u32, from: u32, message: Message) -> u64 {
        let mut time = self.now + self.overhead(from == host);
        match message {
            Message::Request(request) => {
                let target = self.host_of(request.target);
                let place = &mut self.hosts[host as usize];
                let here = place.relay.arrived(self.now, target, request, request.bytes());
                if here.expect("requests go to the group of their target").is_some() {
                    place.room.leave(request.origin).expect("it has come");
                    time += self.execute(&[request]);
                    time = self.answer(time, host, request);
                }
            }
            Message::Batch(groups) => {
                time += groups.iter().map(|group| self.execute(group)).sum::<u64>();
                let requests: Vec<Request> = groups.into_iter().flatten().collect();
                let mut together = Vec::new();
                let at_home = self.host_of(requests[0].origin) == from;
                let place = &mut self.hosts[host as usize];
                let more = !place.inbox.is_empty();
                match place.relay.answers(from, requests.len() == 1, at_home, more) {
                    Answers::Apart => {
                        time = requests.iter().fold(time, |time, &r| self.answer(time, host, r));
                    }
                    Answers::Together => together = requests,
                }
                let bytes = HEADER + together.iter().map(|it| it.operation.answer).sum::<usize>();
                time += self.overhead(false);
                let done = Delivery::Server(host, Message::Done(together));
                self.send(time, host, from, bytes, done);
            }
            Message::Done(requests) => {
                let relay = &mut self.hosts[host as usize].relay;
                relay.acknowledged(from).expect("what was sent is acknowledged once");
                time = requests.iter().fold(time, |time, &r| self.answer(time, host, r));
            }
        }
        time
    }

    /// Executes requests that take effect together; how long that takes.
    fn execute(&mut self, group: &[Request]) -> u64 {
        self.outcome.requests += group.len() as u64;
        let serving = &self.machine.serving;
        let data: usize = group.iter().map(|request| request.operation.data).sum();
        let members = (group.len() - 1) as f64 * serving.member;
        nanoseconds(serving.execute + members + serving.per_byte * data as f64)
    }

    /// Sends an answer; when the server is free again.
    fn answer(&mut self, time: u64, host: u32, request: Request) -> u64 {
        let to = self.host_of(request.origin);
        let ready = time + self.overhead(to == host);
        let bytes = request.operation.answer;
        self.send(ready, host, to, bytes, Delivery::Answer(request));
        ready
    }
}

/// How long an adapter is busy with a message.
fn occupancy(link: &Link, bytes: usize) -> u64 {
    nanoseconds(link.gap.max(link.per_byte * bytes as f64))
}

/// Bytes of buffers of the server that has most, on this machine.
pub fn buffers(machine: &Machine) -> u64 {
    let of =
        |host| Footprint::of(machine.topology, host, machine.per_host, &machine.policy).bytes();
    (0..machine.topology.hosts()).map(of).max().unwrap_or(0)
}
