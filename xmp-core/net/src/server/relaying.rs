//! Forwarding of requests for other hosts of the group: held, sent, received from there and acknowledged
//! (`crate::cooperation`).

use super::bundle::{self, Bundle};
use super::fabric::{Fabric, Tag, cancel_with};
use super::merging::{self, Word};
use super::outbox::Outbox;
use super::peers::Peers;
use super::route::Route;
use super::wire::Member;
use crate::cooperation::{Answers, Batch, Relay, combine};
use crate::error::{Error, Result};
use crate::rank::Rank;
use crate::transport::Op;
use std::collections::VecDeque;
use std::time::Instant;

/// Receives that wait for messages of other servers.
const RECEIVES: usize = 8;

/// The forwarding state of a server.
#[derive(Debug)]
pub struct Relaying {
    relay: Relay<HeldRequest>,
    /// Bytes of a message.
    most: usize,
    /// Whether operations on one word are merged.
    combines: bool,
    /// Receives in the order of their starts, which is that of the messages.
    slots: VecDeque<(Op, Box<[u8]>)>,
    /// Zero of the relay's times.
    start: Instant,
}

/// A request as it came.
#[derive(Debug)]
struct HeldRequest {
    origin: Rank,
    buffer: Box<[u8]>,
    len: usize,
    /// Its operation, if it can be merged with others.
    operation: Option<(Word, Member)>,
}

/// Writes requests that take effect together to the end of a message.
fn write(message: &mut Vec<u8>, group: &[HeldRequest]) {
    let [first, others @ ..] = group else { return };
    match first.operation {
        Some((word, _)) if !others.is_empty() => {
            let members = group.iter().filter_map(|held| held.operation);
            let merged = merging::merge(word, members.map(|(_, member)| member));
            bundle::write(message, first.origin, &merged);
        }
        _ => bundle::write(message, first.origin, &first.buffer[..first.len]),
    }
}

impl Relaying {
    /// The forwarding of this image's host; `None` if all requests go directly.
    pub fn new(route: &Route, peers: &Peers) -> Option<Relaying> {
        (!route.is_direct()).then(|| Relaying {
            relay: Relay::new(route.topology, peers.number(), route.policy),
            most: route.message(),
            combines: route.policy.combines,
            slots: VecDeque::new(),
            start: Instant::now(),
        })
    }

    /// Holds a request of `origin` for another host until [`Relaying::forward`].
    ///
    /// # Errors
    /// [`Error::Invalid`] when that is not of this group.
    pub fn hold(&mut self, host: u32, origin: Rank, buffer: Box<[u8]>, len: usize) -> Result<()> {
        let operation = self.combines.then(|| Word::of(&buffer[..len])).flatten();
        let held = HeldRequest { origin, buffer, len, operation };
        self.relay.arrived(self.now(), host, held, len).map(|_| ())
    }

    /// Sends the requests that are due; returns their buffers. `more`: messages wait that were not looked at.
    ///
    /// # Errors
    /// When the fabric fails.
    pub fn forward(
        &mut self,
        fabric: &mut dyn Fabric,
        outbox: &mut Outbox,
        peers: &Peers,
        more: bool,
    ) -> Result<Vec<Box<[u8]>>> {
        let mut free = Vec::new();
        while let Some(Batch { to, items }) = self.relay.next(self.now(), more) {
            let word = |held: &HeldRequest| held.operation.map(|(word, _)| word);
            let groups = combine(items, |held| (held.origin.get(), word(held)));
            outbox.message(fabric, peers.leaders()[to as usize], Tag::RELAY, |message| {
                message.push(bundle::REQUESTS);
                groups.iter().for_each(|group| write(message, group));
            })?;
            free.extend(groups.into_iter().flatten().map(|held| held.buffer));
        }
        Ok(free)
    }

    /// The next message of another server with requests, if one has arrived, and its sender. Acknowledgements that
    /// arrive before it are taken, and the replies in them sent on.
    ///
    /// # Errors
    /// When the fabric fails, or no server writes such a message.
    pub fn receive(
        &mut self,
        fabric: &mut dyn Fabric,
        outbox: &mut Outbox,
        peers: &Peers,
    ) -> Result<Option<(Rank, Bundle)>> {
        while self.slots.len() < RECEIVES {
            self.post(fabric, vec![0; self.most].into())?;
        }
        while let Some(&(op, _)) = self.slots.front() {
            let Some((from, len)) = fabric.test(op)? else { break };
            let (_, buffer) = self.slots.pop_front().expect("the one that was looked at");
            match buffer[..len].first() {
                Some(&bundle::REQUESTS) => return Ok(Some((from, Bundle::new(buffer, len)))),
                Some(&bundle::DONE) => self.relay.acknowledged(peers.host(from) as u32)?,
                other => {
                    let what = format!("a message of the server of {from} begins with {other:?}");
                    return Err(Error::Invalid(what));
                }
            }
            let mut replies = Bundle::new(buffer, len);
            while let Some(reply) = replies.next()? {
                outbox.message(fabric, reply.origin, Tag::REPLY, |message| {
                    message.extend_from_slice(reply.bytes);
                })?;
            }
            self.post(fabric, replies.into_buffer())?;
        }
        Ok(None)
    }

    /// Decides how these requests, from the server of `from`, are answered: the outbox collects the replies, if they go
    /// with the acknowledgement. `busy`: there are more messages.
    pub fn prepare(
        &mut self,
        outbox: &mut Outbox,
        peers: &Peers,
        from: Rank,
        requests: &Bundle,
        busy: bool,
    ) {
        let first = requests.first().ok().flatten();
        let only = first.is_none_or(|first| first.is_last && !merging::is_merged(first.bytes));
        let of_there = |origin: Rank| {
            origin.index() < peers.images() && peers.host(origin) == peers.host(from)
        };
        let at_home = first.is_some_and(|first| of_there(first.origin));
        let host = peers.host(from) as u32;
        if self.relay.answers(host, only, at_home, busy) == Answers::Together {
            outbox.collect(self.most - 1);
        }
    }

    /// Returns the memory of a message whose requests were executed, and acknowledges it to its sender, with the
    /// collected replies.
    ///
    /// # Errors
    /// When the fabric fails.
    pub fn acknowledge(
        &mut self,
        fabric: &mut dyn Fabric,
        outbox: &mut Outbox,
        from: Rank,
        done: Bundle,
    ) -> Result<()> {
        self.post(fabric, done.into_buffer())?;
        let replies = outbox.collected();
        outbox.message(fabric, from, Tag::RELAY, |message| {
            message.push(bundle::DONE);
            message.extend_from_slice(&replies);
        })
    }

    /// Cancels the receives.
    ///
    /// # Errors
    /// When the fabric fails.
    pub fn close(&mut self, fabric: &mut dyn Fabric) -> Result<()> {
        self.slots.drain(..).try_for_each(|(op, buffer)| cancel_with(fabric, op, buffer))
    }

    fn post(&mut self, fabric: &mut dyn Fabric, mut buffer: Box<[u8]>) -> Result<()> {
        // SAFETY: the buffer is kept until the operation is over (`close` cancels it); moving the box does not move it.
        let op = unsafe { fabric.receive_any(Tag::RELAY, &mut buffer[..])? };
        self.slots.push_back((op, buffer));
        Ok(())
    }

    fn now(&self) -> u64 {
        self.start.elapsed().as_nanos() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cooperation::{Mode, Policy, Topology};
    use crate::server::in_process::{Network, Shim};
    use crate::server::wire::{Action, Head, Request, read_request, write_request};
    use crate::transport::{AtomicOp, AtomicRequest, Width};

    /// Three hosts with two images each, one group; this is the first one's server.
    fn relaying() -> (Relaying, Peers) {
        let peers = Peers::new(Rank::new(0), &[0, 0, 2, 2, 4, 4].map(Rank::new));
        let route = Route {
            policy: Policy::new(Mode::Aggregation, 4, 400),
            topology: Topology::new(3, 3).unwrap(),
        };
        (Relaying::new(&route, &peers).unwrap(), peers)
    }

    fn request(origin: u32, request: &Request<'_>) -> (Rank, Vec<u8>) {
        let head = Head { origin: Rank::new(origin), target: Rank::new(5), id: origin };
        let mut message = Vec::new();
        write_request(&mut message, head, request);
        (head.origin, message)
    }

    #[test]
    fn additions_to_one_word_travel_as_one() {
        let (mut relaying, peers) = relaying();
        let network = Network::new(6, Shim::default());
        let (mut here, mut there) = (network.fabric(Rank::new(0)), network.fabric(Rank::new(4)));
        let add = |operand| Request::Atomic {
            offset: 8,
            width: Width::W8,
            action: Action::Execute(AtomicRequest::Fetch(AtomicOp::Add, operand)),
        };
        let all = [
            request(0, &add(1)),
            request(1, &Request::Ring),
            request(1, &add(2)),
            request(0, &add(3)),
            request(0, &Request::Flush),
        ];
        for (origin, bytes) in &all {
            relaying.hold(2, *origin, bytes.clone().into(), bytes.len()).unwrap();
        }
        let mut outbox = Outbox::default();
        let free = relaying.forward(&mut here, &mut outbox, &peers, false).unwrap();
        assert_eq!(free.len(), all.len());
        let mut room = vec![0; 1000].into_boxed_slice();
        // SAFETY: the room lives until the operation is over, which is tested below.
        let op = unsafe { there.receive_any(Tag::RELAY, &mut room[..]).unwrap() };
        let (_, len) = there.test(op).unwrap().expect("one message");
        let mut bundle = Bundle::new(room, len);
        let mut seen = Vec::new();
        while let Some(entry) = bundle.next().unwrap() {
            let (head, request) = read_request(entry.bytes).unwrap();
            assert_eq!(head.origin, entry.origin);
            seen.push(match request {
                Request::Atomic { action: Action::Merged { members, .. }, .. } => {
                    let each = members.iter().map(|member| (member.origin.get(), member.operand));
                    format!("{:?}", each.collect::<Vec<_>>())
                }
                request => format!("{} {request:?}", entry.origin.get()),
            });
        }
        // The second request of image 2 stays behind its first, and joins it there.
        let first = format!("0 {:?}", add(1));
        assert_eq!(seen, [&first, "1 Ring", "[(1, 2), (0, 3)]", "0 Flush"]);
        relaying.close(&mut here).unwrap();
    }
}
