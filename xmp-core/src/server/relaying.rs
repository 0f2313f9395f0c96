//! Requests for other hosts of the group: held, sent on, received from there and acknowledged (`crate::cooperation`).
//!
//! A message between servers begins with a byte: [`BATCH`], then requests with their lengths in front; or [`DONE`], which
//! acknowledges one such message.

use super::carrier::{Carrier, Op, Tag};
use super::outbox::Outbox;
use super::peers::Peers;
use super::route::Route;
use crate::cooperation::Relay;
use crate::error::{Error, Result};
use crate::rank::Rank;
use std::collections::VecDeque;
use std::time::Instant;

/// First byte of a message with requests.
const BATCH: u8 = 1;
/// First byte of an acknowledgement.
const DONE: u8 = 2;
/// Receives that wait for messages of other servers.
const RECEIVES: usize = 8;

/// What a server does besides executing requests for its own host.
#[derive(Debug)]
pub struct Relaying {
    relay: Relay<Held>,
    batch: usize,
    /// Receives in the order of their starts, which is that of the messages.
    slots: VecDeque<(Op, Box<[u8]>)>,
    /// Times of the relay count from here.
    start: Instant,
}

/// A request as it came.
#[derive(Debug)]
struct Held {
    buffer: Box<[u8]>,
    len: usize,
}

impl Relaying {
    /// For the server of this image's host; `None` if all requests go directly.
    pub fn new(route: &Route, peers: &Peers) -> Option<Relaying> {
        let host = peers.host(peers.me()) as u32;
        (!route.is_direct()).then(|| Relaying {
            relay: Relay::new(route.topology, host, route.policy),
            batch: route.batch(),
            slots: VecDeque::new(),
            start: Instant::now(),
        })
    }

    /// Holds a request for another host until [`Relaying::forward`].
    ///
    /// # Errors
    /// [`Error::Invalid`] when that is not of this group, with the buffer.
    pub fn hold(
        &mut self,
        host: usize,
        buffer: Box<[u8]>,
        len: usize,
    ) -> Result<(), (Error, Box<[u8]>)> {
        if let Err(error) = self.relay.check(host as u32) {
            return Err((error, buffer));
        }
        let now = self.now();
        let bytes = len;
        let held = self.relay.arrived(now, host as u32, Held { buffer, len }, bytes);
        debug_assert!(matches!(held, Ok(None)), "just checked, and not for here");
        Ok(())
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
                message.push(BATCH);
                for Held { buffer, len } in &batch.items {
                    message.extend((*len as u32).to_le_bytes());
                    message.extend_from_slice(&buffer[..*len]);
                }
            })?;
            free.extend(batch.items.into_iter().map(|held| held.buffer));
        }
        Ok(free)
    }

    /// The next message of another server, if one has come: its sender, and the requests in it, which are executed and
    /// then acknowledged ([`acknowledge`]). Acknowledgements are taken on the way.
    ///
    /// # Errors
    /// When the carrier fails, or a message is none that a server writes.
    pub fn receive(
        &mut self,
        carrier: &mut dyn Carrier,
        peers: &Peers,
    ) -> Result<Option<(Rank, Requests)>> {
        while self.slots.len() < RECEIVES {
            self.post(carrier, vec![0; self.batch].into())?;
        }
        while let Some(&(op, _)) = self.slots.front() {
            let Some((from, len)) = carrier.test(op)? else { break };
            let (_, buffer) = self.slots.pop_front().expect("the one that was looked at");
            match buffer[..len].first() {
                Some(&BATCH) => return Ok(Some((from, Requests { buffer, len, at: 1 }))),
                Some(&DONE) => self.relay.acknowledged(peers.host(from) as u32)?,
                other => return Err(damaged(from, &format!("begins with {other:?}"))),
            }
            self.post(carrier, buffer)?;
        }
        Ok(None)
    }

    /// Gives back the memory of a message whose requests were executed, and tells its sender.
    ///
    /// # Errors
    /// When the carrier fails.
    pub fn acknowledge(
        &mut self,
        carrier: &mut dyn Carrier,
        outbox: &mut Outbox,
        from: Rank,
        done: Requests,
    ) -> Result<()> {
        self.post(carrier, done.buffer)?;
        outbox.message(carrier, from, Tag::RELAY, |message| message.push(DONE))
    }

    /// Cancels the receives.
    ///
    /// # Errors
    /// When the carrier fails.
    pub fn close(&mut self, carrier: &mut dyn Carrier) -> Result<()> {
        self.slots.drain(..).try_for_each(|(op, _)| carrier.cancel(op))
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

/// The requests of a message, one after the other.
#[derive(Debug)]
pub struct Requests {
    buffer: Box<[u8]>,
    len: usize,
    at: usize,
}

impl Requests {
    /// The next one.
    ///
    /// # Errors
    /// When the message, of `from`, is none that a server writes.
    pub fn next(&mut self, from: Rank) -> Result<Option<&[u8]>> {
        let rest = &self.buffer[self.at..self.len];
        if rest.is_empty() {
            return Ok(None);
        }
        let request = rest
            .split_first_chunk()
            .and_then(|(len, rest)| rest.get(..u32::from_le_bytes(*len) as usize));
        match request {
            Some(request) => {
                self.at += size_of::<u32>() + request.len();
                Ok(Some(request))
            }
            None => Err(damaged(from, &format!("ends in a request, at byte {}", self.at))),
        }
    }
}

fn damaged(from: Rank, what: &str) -> Error {
    Error::Invalid(format!("a message of the server of {from} is damaged: it {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn requests(bytes: &[u8]) -> Requests {
        Requests { buffer: bytes.into(), len: bytes.len(), at: 1 }
    }

    #[test]
    fn requests_are_read_one_after_the_other() {
        let mut all = requests(&[BATCH, 2, 0, 0, 0, 7, 8, 0, 0, 0, 0, 1, 0, 0, 0, 9]);
        let from = Rank::new(3);
        assert_eq!(all.next(from).unwrap(), Some(&[7, 8][..]));
        assert_eq!(all.next(from).unwrap(), Some(&[][..]));
        assert_eq!(all.next(from).unwrap(), Some(&[9][..]));
        assert_eq!(all.next(from).unwrap(), None);
    }

    #[test]
    fn what_is_cut_off_is_refused() {
        for bytes in [&[BATCH, 2, 0, 0, 0, 7][..], &[BATCH, 2, 0], &[BATCH, 255, 255, 255, 255, 1]]
        {
            let text = requests(bytes).next(Rank::new(3)).unwrap_err().to_string();
            assert!(text.contains("image 4"), "{text}");
        }
    }
}
