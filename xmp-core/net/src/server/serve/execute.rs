//! Execution of one request: executed, answered, or begun.

use super::Server;
use super::ahead::GetAhead;
use crate::error::{Error, Result};
use crate::rank::Rank;
use crate::server::fabric::Fabric;
use crate::server::incoming::{Incoming, OnArrival, Pieces};
use crate::server::limits;
use crate::server::origin::REFUSAL;
use crate::server::requests::{Outcome, atomic, call, get, notify, put};
use crate::server::wire::{Action, Answer, Head, Request};
use crate::transport::Transport;

/// What its image is owed when a request is concluded.
#[derive(Clone, Copy)]
pub(super) struct Due {
    /// A reply, for which the image waits.
    pub reply: bool,
    /// A credit: the request is the last one of its message, and the others are counted with it.
    pub counts: bool,
}

impl Server {
    /// Executes a request, or begins to receive its bytes. `counts`: it is the last one of its message; the others are
    /// counted with it.
    pub(super) fn execute(
        &mut self,
        fabric: &mut dyn Fabric,
        head: Head,
        request: Request<'_>,
        counts: bool,
    ) -> Result<()> {
        let host = &self.host;
        let pieces =
            Pieces { chunk: host.limits.chunk, window: host.limits.pipeline.max(1) as usize };
        let (reply, outcome) = match request {
            Request::Put { to, data } => (false, put::put(host, head, to, data, pieces)),
            Request::Get { from } => (true, get::get(host, head.target, from)),
            Request::GetAhead { arrivals, is_awaited, from } => {
                let get = GetAhead { head, arrivals, from };
                if !is_awaited || get::have_arrived(host, arrivals) {
                    return self.answer_ahead(fabric, get, counts);
                }
                self.await_arrivals(fabric, get)?;
                // It counts as executed: its image may wait for the credit.
                (false, Ok(Outcome::Done))
            }
            Request::Notify { counter, value } => {
                (false, notify::notify(host, head, counter, value))
            }
            Request::Packet { end, parts, mark } => {
                (false, notify::packet(host, head, end, parts, mark))
            }
            Request::Atomic { offset, width, action: Action::Execute(request) } => {
                let value = atomic::execute(host, head.target, offset, width, request);
                (true, value.map(Outcome::Value))
            }
            Request::Atomic { offset, width, action: Action::Signal { update, wake } } => {
                (false, atomic::signal(host, head.target, offset, width, update, wake))
            }
            Request::Ring => (false, self.ring(head.target)),
            Request::Flush => (true, Ok(Outcome::Value(0))),
            Request::Call { handler, data } => {
                (true, call::call(host, head, handler, data, pieces))
            }
            Request::After(dependencies) => (false, self.after(head, dependencies)),
            Request::Atomic { action: Action::Merged { .. }, .. }
            | Request::States(_)
            | Request::Note(_) => unreachable!("handled on arrival"),
        };
        match outcome {
            Ok(Outcome::Incoming(incoming)) => self.begin(fabric, incoming.counted(counts)),
            outcome => self.conclude(fabric, head, Due { reply, counts }, outcome),
        }
    }

    fn ring(&self, target: Rank) -> Result<Outcome> {
        self.host.bytes("ring", target, 0, 0)?;
        self.host.local.ring(target);
        Ok(Outcome::Done)
    }

    fn begin(&mut self, fabric: &mut dyn Fabric, mut incoming: Incoming) -> Result<()> {
        let image = incoming.head.origin;
        incoming.poll(fabric)?;
        if let Some(bytes) = incoming.staged() {
            self.staged.begin(bytes);
        }
        self.note_busy(image);
        self.clients.of(image).incoming.push_back(incoming);
        Ok(())
    }

    /// Completes a request whose bytes have arrived.
    pub(super) fn complete(&mut self, fabric: &mut dyn Fabric, done: Incoming) -> Result<()> {
        if let Some(bytes) = done.staged() {
            self.staged.end(bytes);
        }
        let (host, head) = (&self.host, done.head);
        let outcome = match done.then {
            OnArrival::Put { .. } => Ok(Outcome::Done),
            OnArrival::Scatter { grid, bytes } => {
                put::nest(host, head.target, &grid, &bytes).map(|()| Outcome::Done)
            }
            OnArrival::Call { handler, bytes } => call::execute(host, head, handler, &bytes),
            OnArrival::Refuse { why, .. } => Err(Error::Invalid(why)),
        };
        self.conclude(fabric, head, Due { reply: done.replies, counts: done.counts }, outcome)
    }

    /// Counts a request as executed. Sends its image the reply that it awaits, or a credit when one is due.
    pub(super) fn conclude(
        &mut self,
        fabric: &mut dyn Fabric,
        head: Head,
        due: Due,
        outcome: Result<Outcome>,
    ) -> Result<()> {
        let (limits, host) = (self.host.limits, self.host.peers.number());
        let client = self.clients.of(head.origin);
        client.executed += u64::from(due.counts);
        let outcome = match (due.reply, outcome) {
            (false, outcome) => {
                if let Err(error) = outcome {
                    client.fault.get_or_insert(error);
                }
                if due.counts && limits::is_due(limits.credits, client.executed - client.told) {
                    client.told = client.executed;
                    let reply = client.reply(host, 0, Answer::Credit);
                    self.outbox.reply(fabric, head.origin, reply)?;
                }
                return Ok(());
            }
            (true, outcome) => match client.fault.take() {
                Some(error) => Err(error),
                None => outcome,
            },
        };
        client.told = client.executed;
        let mut reply = |answer| client.reply(host, head.id, answer);
        let (to, outbox) = (head.origin, &mut self.outbox);
        let inline = limits.inline as usize;
        match outcome {
            Ok(Outcome::Value(value)) => outbox.reply(fabric, to, reply(Answer::Value(value))),
            Ok(Outcome::Segment(bytes)) if bytes.len() <= inline => {
                // SAFETY: bytes of a segment, checked; the program guarantees that no image writes them now.
                let bytes = unsafe { &*bytes };
                outbox.reply(fabric, to, reply(Answer::Data(bytes)))
            }
            Ok(Outcome::Segment(bytes)) => {
                outbox.reply(fabric, to, reply(Answer::Follows(bytes.len() as u64)))?;
                // SAFETY: the region is mapped as long as the job, which this holds.
                unsafe { outbox.segment(fabric, to, bytes) }
            }
            Ok(Outcome::Gathered(bytes)) if bytes.len() <= inline => {
                outbox.reply(fabric, to, reply(Answer::Data(&bytes)))
            }
            Ok(Outcome::Gathered(bytes)) => {
                outbox.reply(fabric, to, reply(Answer::Follows(bytes.len() as u64)))?;
                outbox.gathered(fabric, to, bytes, limits.chunk as usize)
            }
            Ok(Outcome::Done | Outcome::Incoming(_)) => {
                unreachable!("a reply has a value or bytes")
            }
            Err(Error::StoppedImage(image)) => {
                outbox.reply(fabric, to, reply(Answer::Stopped(image)))
            }
            Err(Error::FailedImage(image)) => {
                outbox.reply(fabric, to, reply(Answer::Failed(image)))
            }
            Err(error) => {
                let why = error.to_string();
                let end = (0..=REFUSAL.min(why.len())).rev().find(|&end| why.is_char_boundary(end));
                let why = &why[..end.unwrap_or(0)];
                outbox.reply(fabric, to, reply(Answer::Refused(why)))
            }
        }
    }
}
