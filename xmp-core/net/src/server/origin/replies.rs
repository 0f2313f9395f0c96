//! Replies of servers, in order.
//!
//! An image reads the replies of each server in the order in which the server has sent them. Replies that come directly
//! are in order. Where servers forward requests, a reply may come by way of another server, and so before an earlier
//! one. It then waits in the link of its server, which holds at most as many replies as there are requests without
//! reply, and a few credits.

use super::Origin;
use super::link::{Link, ServerReply};
use crate::error::{Error, Result};
use crate::rank::Rank;
use crate::server::fabric::{Fabric, Tag};
use crate::server::wire::{self, Answer, Reply};

impl Origin {
    /// The reply to the request with this number: the next one that is not only a credit.
    pub(super) fn reply(&self, link: &Link, id: u32) -> Result<ServerReply> {
        loop {
            if let Some(got) = self.next_reply(link, Some(id))? {
                return Ok(got);
            }
        }
    }

    /// The next message of a server; `None` if it is a credit, or bytes that were got ahead. `id`: that of the request that waits for a reply. Its
    /// bytes are in the landing.
    pub(super) fn next_reply(&self, link: &Link, id: Option<u32>) -> Result<Option<ServerReply>> {
        let mut landing = self.landing.borrow_mut();
        let len = match link.take_early(&mut landing) {
            Some(len) => len,
            None => self.receive_reply(link, &mut landing)?,
        };
        let reply = wire::read_reply(&landing[..len])?;
        link.next.set(reply.number.wrapping_add(1));
        link.executed.set(link.executed.get().max(reply.executed).min(link.sent.get()));
        if link.ahead.get() == Some(reply.id) {
            link.ahead.set(None);
            let bytes = if let Answer::Data(bytes) = reply.answer { bytes } else { &[] };
            *link.came.borrow_mut() = Some(bytes.to_vec()).filter(|bytes| !bytes.is_empty());
            return Ok(None);
        }
        let got = match reply.answer {
            Answer::Credit => return Ok(None),
            Answer::Refused(why) => return Err(Error::Invalid(why.into())),
            Answer::Stopped(image) => return Err(Error::StoppedImage(image)),
            Answer::Failed(image) => return Err(Error::FailedImage(image)),
            Answer::Value(value) => ServerReply::Value(value),
            Answer::Data(bytes) => ServerReply::Data(bytes.len()),
            Answer::Follows(len) => ServerReply::Follows(len),
        };
        if id == Some(reply.id) {
            Ok(Some(got))
        } else {
            Err(Error::Invalid(format!(
                "{} replies to request {}, where {id:?} is awaited",
                link.leader, reply.id
            )))
        }
    }

    /// Receives until the next reply of this server is in the landing; returns its length.
    fn receive_reply(&self, link: &Link, landing: &mut [u8]) -> Result<usize> {
        loop {
            let len = if self.route.is_direct() {
                self.receive_rendezvous(link, landing)?
            } else {
                self.receive_any(link, landing)?
            };
            let Reply { host, number, .. } = wire::read_reply(&landing[..len])?;
            let sender = self.links.get(host as usize).ok_or_else(|| unknown(host))?;
            let next = link.next.get();
            match std::ptr::eq(sender, link) {
                true if number == next => return Ok(len),
                _ if self.route.is_direct() => return Err(out_of_order(link.leader, number, next)),
                _ => sender.early.borrow_mut().push(landing[..len].into()),
            }
        }
    }

    fn receive_rendezvous(&self, link: &Link, landing: &mut [u8]) -> Result<usize> {
        let room = &raw mut landing[..];
        // SAFETY: no other code uses the landing before the operation is over.
        let start =
            |fabric: &mut dyn Fabric| unsafe { fabric.receive(link.leader, Tag::REPLY, room) };
        let op = self.port.carry(start)?;
        self.complete(link, op)
    }

    /// Receives a reply from any server. If this server's reply is not awaited any more, the receive continues and is
    /// used by the next call: to cancel it could lose another server's reply.
    fn receive_any(&self, link: &Link, landing: &mut [u8]) -> Result<usize> {
        let mut arrival = self.arrival.borrow_mut();
        let room = &raw mut arrival.room[..];
        let op = match arrival.op.take() {
            Some(op) => op,
            // SAFETY: no other code uses the room before the operation is over, and it lives as long as this origin.
            None => self.port.carry(|fabric| unsafe { fabric.receive_any(Tag::REPLY, room) })?,
        };
        let (outcome, goes_on) = self.follow(link, op);
        if goes_on {
            arrival.op = Some(op);
        }
        let len = outcome?;
        landing[..len].copy_from_slice(&arrival.room[..len]);
        Ok(len)
    }
}

impl Drop for Origin {
    fn drop(&mut self) {
        let op = self.arrival.get_mut().op.take();
        self.give_up(op);
    }
}

impl Link {
    /// Copies the next reply into the landing if it has come early; returns its length.
    fn take_early(&self, landing: &mut [u8]) -> Option<usize> {
        let mut early = self.early.borrow_mut();
        let is_next = |reply: &[u8]| {
            wire::read_reply(reply).is_ok_and(|reply| reply.number == self.next.get())
        };
        let reply =
            early.iter().position(|reply| is_next(reply)).map(|at| early.swap_remove(at))?;
        landing[..reply.len()].copy_from_slice(&reply);
        Some(reply.len())
    }
}

#[cold]
fn unknown(host: u32) -> Error {
    Error::Invalid(format!("a reply of the server of host {host}, which does not exist"))
}

#[cold]
fn out_of_order(leader: Rank, number: u32, next: u32) -> Error {
    Error::Invalid(format!("{leader} sends reply {number}, where {next} comes next"))
}
