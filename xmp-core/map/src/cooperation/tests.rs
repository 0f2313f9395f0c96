//! Tests of all parts together: images and servers on a network that delays every message at random, but keeps the
//! order of messages from one sender to one receiver.

use super::*;
use crate::hash;
use proptest::prelude::*;
use std::collections::{BTreeMap, VecDeque};

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(hash::STEP);
        (hash::mixed(self.0) % bound as u64) as usize
    }
}

#[derive(Clone, Copy, Debug)]
struct Request {
    origin: u32,
    target: u32,
    number: u32,
    bytes: usize,
}

#[derive(Debug)]
enum Message {
    /// From an image to a server.
    Request(Request),
    /// From a server to a server of its group.
    Batch(Vec<Request>),
    /// Back, with the answers if they go together.
    Done(Vec<Request>),
    /// From a server to the image.
    Answer(Request),
}

/// Images have numbers after those of the servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Server(u32),
    Image(u32),
}

struct Server {
    relay: Relay<Request>,
    /// Of images.
    room: ReceiveBuffers,
    /// Of servers.
    batches: ReceiveBuffers,
    most_used: u64,
}

struct Network {
    random: Random,
    now: u64,
    per_host: u32,
    topology: Topology,
    policy: Policy,
    channels: BTreeMap<(Place, Place), VecDeque<Message>>,
    servers: Vec<Server>,
    images: Vec<(VecDeque<Request>, Credits)>,
    executed: Vec<Request>,
    answered: usize,
}

impl Network {
    fn new(topology: Topology, policy: Policy, per_host: u32, seed: u64) -> Network {
        let server = |host| Server {
            relay: Relay::new(topology, host, policy),
            room: ReceiveBuffers::new(policy.buffers),
            batches: ReceiveBuffers::new(policy.batches),
            most_used: 0,
        };
        let images = per_host * topology.hosts();
        Network {
            random: Random(seed),
            now: 0,
            per_host,
            topology,
            policy,
            channels: BTreeMap::new(),
            servers: (0..topology.hosts()).map(server).collect(),
            images: (0..images).map(|_| (VecDeque::new(), Credits::new(policy.buffers))).collect(),
            executed: Vec::new(),
            answered: 0,
        }
    }

    fn send(&mut self, from: Place, to: Place, message: Message) {
        self.channels.entry((from, to)).or_default().push_back(message);
    }

    /// Sends the requests for which an image has credits, in its order.
    fn go_on(&mut self, image: u32) {
        loop {
            let (waiting, credits) = &mut self.images[image as usize];
            let Some(&request) = waiting.front() else { return };
            let entry = self.topology.entry(image / self.per_host, request.target);
            if !credits.take(entry) {
                return;
            }
            waiting.pop_front();
            self.send(Place::Image(image), Place::Server(entry), Message::Request(request));
        }
    }

    /// Delivers messages and advances time, in any order, until no event is left.
    fn run(&mut self) {
        for image in 0..self.images.len() {
            self.go_on(image as u32);
        }
        loop {
            let ways: Vec<(Place, Place)> = self
                .channels
                .iter()
                .filter(|(_, messages)| !messages.is_empty())
                .map(|(&way, _)| way)
                .collect();
            if ways.is_empty() {
                let Some(wake) = self.servers.iter().filter_map(|s| s.relay.wake_at()).min() else {
                    return;
                };
                self.now = self.now.max(wake);
                (0..self.servers.len()).for_each(|host| self.forward(host as u32));
                continue;
            }
            let (from, to) = ways[self.random.below(ways.len())];
            self.now += self.random.below(20) as u64;
            let message = self.channels.get_mut(&(from, to)).and_then(VecDeque::pop_front).unwrap();
            match (from, to) {
                (Place::Server(from), Place::Image(image)) => self.answer(from, image, message),
                (_, Place::Server(host)) => {
                    self.serve(from, host, message);
                    self.forward(host);
                }
                _ => unreachable!("images send to servers only"),
            }
        }
    }

    fn answer(&mut self, _: u32, image: u32, message: Message) {
        let Message::Answer(request) = message else { panic!("{message:?}") };
        assert_eq!(request.origin, image);
        let entry = self.topology.entry(image / self.per_host, request.target);
        self.images[image as usize].1.give(entry, 1).unwrap();
        self.answered += 1;
        self.go_on(image);
    }

    fn serve(&mut self, from: Place, host: u32, message: Message) {
        let now = self.now;
        let server = &mut self.servers[host as usize];
        match (message, from) {
            (Message::Request(request), _) => {
                server.room.enter(request.origin).unwrap();
                server.most_used = server.most_used.max(server.room.in_use());
                let here = server.relay.arrived(now, request.target, request, request.bytes);
                if let Some(request) = here.unwrap() {
                    server.room.leave(request.origin).unwrap();
                    self.execute(host, request);
                    self.send(
                        Place::Server(host),
                        Place::Image(request.origin),
                        Message::Answer(request),
                    );
                }
            }
            (Message::Batch(requests), Place::Server(relay)) => {
                server.batches.enter(relay).unwrap();
                requests.iter().for_each(|&request| self.execute(host, request));
                let server = &mut self.servers[host as usize];
                server.batches.leave(relay).unwrap();
                let at_home = requests[0].origin / self.per_host == relay;
                let busy = self.random.below(2) == 0;
                let answers = server.relay.answers(relay, requests.len() == 1, at_home, busy);
                let apart = answers == Answers::Apart;
                let (to_images, to_relay) =
                    if apart { (requests, vec![]) } else { (vec![], requests) };
                for request in to_images {
                    self.send(
                        Place::Server(host),
                        Place::Image(request.origin),
                        Message::Answer(request),
                    );
                }
                self.send(Place::Server(host), Place::Server(relay), Message::Done(to_relay));
            }
            (Message::Done(answers), Place::Server(target)) => {
                server.relay.acknowledged(target).unwrap();
                for request in answers {
                    self.send(
                        Place::Server(host),
                        Place::Image(request.origin),
                        Message::Answer(request),
                    );
                }
            }
            (message, _) => panic!("{message:?}"),
        }
    }

    fn execute(&mut self, host: u32, request: Request) {
        assert_eq!(request.target, host);
        self.executed.push(request);
    }

    fn forward(&mut self, host: u32) {
        loop {
            let more = self.random.below(4) == 0
                && self
                    .channels
                    .iter()
                    .any(|(way, messages)| way.1 == Place::Server(host) && !messages.is_empty());
            let server = &mut self.servers[host as usize];
            let Some(batch) = server.relay.next(self.now, more) else { return };
            let bytes: usize = batch.items.iter().map(|request| request.bytes).sum();
            assert!(batch.items.len() == 1 || bytes <= self.policy.batch_bytes);
            for request in &batch.items {
                server.room.leave(request.origin).unwrap();
            }
            self.send(Place::Server(host), Place::Server(batch.to), Message::Batch(batch.items));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn everything_is_executed_once_in_order_and_answered_within_the_buffers(
        hosts in 1..14u32, group in 1..8u32, per_host in 1..4u32, mode in 0..3usize,
        window in prop_oneof![Just(0u64), 1..200u64, Just(u64::MAX)],
        (buffers, batches, batch_bytes) in (1..4u32, 1..3u32, 1..300usize),
        (holds_first, together) in (any::<bool>(), any::<bool>()),
        each in 1..25u32, hot in any::<bool>(), seed in any::<u64>(),
    ) {
        let policy = Policy {
            window, batches, batch_bytes,
            // Without an end of the window no message would ever go.
            holds_first: holds_first && window != u64::MAX,
            answers: if together { Answers::Together } else { Answers::Apart },
            ..Policy::new(Mode::ALL[mode].1, buffers, 100)
        };
        let group = if policy.mode == Mode::Direct { 1 } else { group };
        let topology = Topology::new(hosts, group).unwrap();
        let mut network = Network::new(topology, policy, per_host, seed);
        let images = hosts * per_host;
        for origin in 0..images {
            for number in 0..each {
                let random = &mut network.random;
                let target = if hot && number % 3 > 0 { 0 } else { random.below(hosts as usize) as u32 };
                let bytes = random.below(100);
                network.images[origin as usize].0.push_back(Request { origin, target, number, bytes });
            }
        }
        network.run();
        prop_assert_eq!(network.executed.len(), (images * each) as usize);
        prop_assert_eq!(network.answered, (images * each) as usize);
        let mut last = BTreeMap::new();
        for request in &network.executed {
            let before = last.insert((request.origin, request.target), request.number);
            prop_assert!(before.is_none_or(|before| before < request.number), "{:?}", request);
        }
        prop_assert!(network.images.iter().all(|(waiting, credits)| waiting.is_empty() && credits.is_whole()));
        for (host, server) in network.servers.iter().enumerate() {
            prop_assert!(server.relay.is_idle() && server.room.in_use() == 0);
            let mut most = Footprint::of(topology, host as u32, per_host, &policy).requests;
            if topology.is_direct() {
                // Its own images' requests to themselves, which a program executes in place.
                most += u64::from(per_host * buffers);
            }
            prop_assert!(server.most_used <= most, "{} of {}", server.most_used, most);
        }
    }
}
