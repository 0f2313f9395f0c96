//! Requests for other hosts of the group: held, sent on, received from there and acknowledged (`crate::cooperation`).

use super::carrier::{Carrier, Op, Tag, cancel_with};
use super::outbox::Outbox;
use super::parcels::{self, Parcels};
use super::peers::Peers;
use super::route::Route;
use crate::cooperation::{Answers, Relay};
use crate::error::{Error, Result};
use crate::rank::Rank;
use std::collections::VecDeque;
use std::time::Instant;

/// Receives that wait for messages of other servers.
const RECEIVES: usize = 8;

/// What a server does besides executing requests for its own host.
#[derive(Debug)]
pub struct Relaying {
    relay: Relay<Held>,
    /// Bytes of a message.
    most: usize,
    /// Receives in the order of their starts, which is that of the messages.
    slots: VecDeque<(Op, Box<[u8]>)>,
    /// Times of the relay count from here.
    start: Instant,
}

/// A request as it came.
#[derive(Debug)]
struct Held {
    origin: Rank,
    buffer: Box<[u8]>,
    len: usize,
}

impl Relaying {
    /// For the server of this image's host; `None` if all requests go directly.
    pub fn new(route: &Route, peers: &Peers) -> Option<Relaying> {
        (!route.is_direct()).then(|| Relaying {
            relay: Relay::new(route.topology, peers.number(), route.policy),
            most: route.message(),
            slots: VecDeque::new(),
            start: Instant::now(),
        })
    }

    /// Holds a request of `origin` for another host until [`Relaying::forward`].
    ///
    /// # Errors
    /// [`Error::Invalid`] when that is not of this group.
    pub fn hold(&mut self, host: u32, origin: Rank, buffer: Box<[u8]>, len: usize) -> Result<()> {
        let held = Held { origin, buffer, len };
        self.relay.arrived(self.now(), host, held, len).map(|_| ())
    }

    /// Sends what is due; the buffers that were held. `more`: messages wait that were not looked at.
    ///
    /// # Errors
    /// When the carrier fails.
    pub fn forward(
        &mut self,
        carrier: &mut dyn Carrier,
        outbox: &mut Outbox,
        peers: &Peers,
        more: bool,
    ) -> Result<Vec<Box<[u8]>>> {
        let mut free = Vec::new();
        while let Some(batch) = self.relay.next(self.now(), more) {
            outbox.message(carrier, peers.leaders()[batch.to as usize], Tag::RELAY, |message| {
                message.push(parcels::REQUESTS);
                for held in &batch.items {
                    parcels::write(message, held.origin, &held.buffer[..held.len]);
                }
            })?;
            free.extend(batch.items.into_iter().map(|held| held.buffer));
        }
        Ok(free)
    }

    /// The next message of another server with requests, if one has come, and who has sent it. Acknowledgements are taken,
    /// and the replies in them sent on, on the way.
    ///
    /// # Errors
    /// When the carrier fails, or a message is none that a server writes.
    pub fn receive(
        &mut self,
        carrier: &mut dyn Carrier,
        outbox: &mut Outbox,
        peers: &Peers,
    ) -> Result<Option<(Rank, Parcels)>> {
        while self.slots.len() < RECEIVES {
            self.post(carrier, vec![0; self.most].into())?;
        }
        while let Some(&(op, _)) = self.slots.front() {
            let Some((from, len)) = carrier.test(op)? else { break };
            let (_, buffer) = self.slots.pop_front().expect("the one that was looked at");
            match buffer[..len].first() {
                Some(&parcels::REQUESTS) => return Ok(Some((from, Parcels::new(buffer, len)))),
                Some(&parcels::DONE) => self.relay.acknowledged(peers.host(from) as u32)?,
                other => {
                    let what = format!("a message of the server of {from} begins with {other:?}");
                    return Err(Error::Invalid(what));
                }
            }
            let mut replies = Parcels::new(buffer, len);
            while let Some((origin, reply)) = replies.next()? {
                outbox.message(carrier, origin, Tag::REPLY, |message| {
                    message.extend_from_slice(reply);
                })?;
            }
            self.post(carrier, replies.into_buffer())?;
        }
        Ok(None)
    }

    /// Says how these requests, from the server of `from`, are to be answered: has the outbox collect the replies, if they
    /// are to go with the acknowledgement. `busy`: there are more messages.
    pub fn prepare(
        &mut self,
        outbox: &mut Outbox,
        peers: &Peers,
        from: Rank,
        requests: &Parcels,
        busy: bool,
    ) {
        let (only, first) = requests.first();
        let of_there = |origin: Rank| {
            origin.index() < peers.images() && peers.host(origin) == peers.host(from)
        };
        let at_home = first.is_some_and(of_there);
        let host = peers.host(from) as u32;
        if self.relay.answers(host, only, at_home, busy) == Answers::Together {
            outbox.collect(self.most - 1);
        }
    }

    /// Gives back the memory of a message whose requests were executed, and tells its sender, with replies that were
    /// collected.
    ///
    /// # Errors
    /// When the carrier fails.
    pub fn acknowledge(
        &mut self,
        carrier: &mut dyn Carrier,
        outbox: &mut Outbox,
        from: Rank,
        done: Parcels,
    ) -> Result<()> {
        self.post(carrier, done.into_buffer())?;
        let replies = outbox.collected();
        outbox.message(carrier, from, Tag::RELAY, |message| {
            message.push(parcels::DONE);
            message.extend_from_slice(&replies);
        })
    }

    /// Cancels the receives.
    ///
    /// # Errors
    /// When the carrier fails.
    pub fn close(&mut self, carrier: &mut dyn Carrier) -> Result<()> {
        self.slots.drain(..).try_for_each(|(op, buffer)| cancel_with(carrier, op, buffer))
    }

    fn post(&mut self, carrier: &mut dyn Carrier, mut buffer: Box<[u8]>) -> Result<()> {
        // SAFETY: the buffer is kept until the operation is over (`close` cancels it); moving the box does not move it.
        let op = unsafe { carrier.receive_any(Tag::RELAY, &mut buffer[..])? };
        self.slots.push_back((op, buffer));
        Ok(())
    }

    fn now(&self) -> u64 {
        self.start.elapsed().as_nanos() as u64
    }
}
