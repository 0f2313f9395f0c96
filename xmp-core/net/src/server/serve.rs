//! The serving side: receives requests, executes them in order for each origin, replies.

mod ahead;
mod arrivals;
mod execute;
mod merged;
#[cfg(test)]
mod tests;
mod waiting;

use super::clients::{AwaitingGet, Clients};
use super::fabric::{Fabric, Tag, cancel_with};
use super::limits::request_len;
use super::local_host::LocalHost;
use super::notes::Notes;
use super::outbox::{Outbox, Staged};
use super::peers::Peers;
use super::propagation::Propagation;
use super::relaying::Relaying;
use super::replica::Replica;
use super::route::Route;
use super::wire::{self, Head, Request};
use crate::error::Result;
use crate::job::Job;
use crate::rank::Rank;
use crate::settings::Limits;
use crate::transport::Local;
use crate::transport::Op;
use std::collections::VecDeque;
use std::sync::Arc;

/// Receives that wait for requests.
const RECEIVES: usize = 8;
/// The fewest receives that may wait while there are requests to execute: used ones begin again when there is time.
const LEAST_RECEIVES: usize = 2;
/// Requests that are executed before any other work.
const BATCH: usize = 16;

/// The communication server of a host.
#[derive(Debug)]
pub struct Server {
    host: LocalHost,
    clients: Clients,
    /// Receives in the order of their starts, which is that of the messages.
    slots: VecDeque<(Op, Box<[u8]>)>,
    spare: Vec<Box<[u8]>>,
    /// Clients with requests in progress.
    busy: VecDeque<Rank>,
    /// Gets ahead that wait until the images of this host arrive.
    awaiting: Vec<AwaitingGet>,
    /// Requests whose bytes are being received into memory of the server.
    staged: Staged,
    outbox: Outbox,
    replica: Replica,
    propagation: Propagation,
    /// `None` if requests go directly.
    relaying: Option<Relaying>,
    /// Notes of other leaders.
    notes: Arc<Notes>,
    /// Whether a request has been found that waits for messages of other images.
    has_dependent: bool,
    /// Whether several messages with requests of other servers had arrived at the last look.
    crowded: bool,
}

impl Server {
    /// The server of the host of this leader's job.
    pub fn new(job: Arc<Job>, peers: Arc<Peers>, limits: Limits) -> Server {
        let local = Local::new(job.clone(), peers.me());
        let route = Route::new(&limits, &peers);
        let (way, groups) = (route.policy.mode, route.topology.groups());
        tracing::debug!(host = peers.number(), ?way, groups, "route of requests between hosts");
        Server {
            clients: Clients::new(peers.images()),
            replica: Replica::new(&peers),
            propagation: Propagation::new(&peers),
            relaying: Relaying::new(&route, &peers),
            notes: Arc::default(),
            has_dependent: false,
            crowded: false,
            host: LocalHost { job, local, peers, limits },
            slots: VecDeque::new(),
            spare: Vec::new(),
            busy: VecDeque::new(),
            awaiting: Vec::new(),
            staged: Staged::default(),
            outbox: Outbox::default(),
        }
    }

    /// Whether this host has one image only.
    pub fn is_alone(&self) -> bool {
        self.host.peers.here().count() == 1
    }

    /// This host's job.
    pub fn job(&self) -> &Arc<Job> {
        &self.host.job
    }

    /// The notes that other leaders have sent.
    pub fn notes(&self) -> &Arc<Notes> {
        &self.notes
    }

    /// Sends a note to the leader of another host. Requests of images do not wait for it, nor it for them.
    ///
    /// # Errors
    /// When the fabric fails.
    pub fn send_note(&mut self, fabric: &mut dyn Fabric, to: Rank, bytes: &[u8]) -> Result<()> {
        let head = Head { origin: self.host.peers.me(), target: to, id: 0 };
        self.outbox.message(fabric, to, Tag::REQUEST, |message| {
            wire::write_request(message, head, &Request::Note(bytes));
        })
    }

    /// Does the work that can be done now, until another thread wants the fabric. Returns whether there was any; a part of a
    /// message that has come or gone counts.
    ///
    /// # Errors
    /// When the fabric fails.
    pub fn poll(&mut self, fabric: &mut dyn Fabric, wanted: impl Fn() -> bool) -> Result<bool> {
        let before = fabric.moves();
        let mut progress = self.outbox.poll(fabric)?;
        progress |= self.advance_busy(fabric)?;
        progress |= self.relay(fabric)?;
        progress |= self.answer_awaiting(fabric, false)?;
        // Whether there may be more than was looked at.
        let mut more = true;
        for _ in 0..BATCH {
            if self.slots.len() < LEAST_RECEIVES {
                self.post_all(fabric)?;
            }
            let next = self.slots.front().map_or(Ok(None), |&(op, _)| fabric.test(op))?;
            more = next.is_some();
            let Some((from, len)) = next else { break };
            let (_, buffer) = self.slots.pop_front().expect("the one that was looked at");
            self.accept(fabric, from, buffer, len)?;
            progress = true;
            if wanted() {
                break;
            }
        }
        // What these wait for may have come after them; and others wait for them.
        while progress
            && !wanted()
            && std::mem::take(&mut self.has_dependent)
            && self.advance_busy(fabric)?
        {}
        if !more {
            self.post_all(fabric)?;
        }
        if let Some(relaying) = &mut self.relaying {
            let sent = relaying.forward(fabric, &mut self.outbox, &self.host.peers, more)?;
            progress |= !sent.is_empty();
            self.spare.extend(sent);
        }
        self.tell_changes(fabric)?;
        Ok(progress || fabric.moves() != before)
    }

    /// Whether nothing is in transit from this server or half received.
    pub fn is_quiet(&self) -> bool {
        self.outbox.is_empty() && self.busy.is_empty()
    }

    /// Cancels everything that has begun, so that the memory of this server is its own again: the receives that wait
    /// for requests and, unless the server is quiet, what is in transit.
    ///
    /// # Errors
    /// When the fabric fails.
    pub fn close(&mut self, fabric: &mut dyn Fabric) -> Result<()> {
        if let Some(relaying) = &mut self.relaying {
            relaying.close(fabric)?;
        }
        for image in std::mem::take(&mut self.busy) {
            let mut incoming = self.clients.of(image).incoming.iter_mut();
            incoming.try_for_each(|incoming| incoming.close(fabric))?;
        }
        self.outbox.close(fabric)?;
        self.slots.drain(..).try_for_each(|(op, buffer)| cancel_with(fabric, op, buffer))
    }

    /// Room for a request.
    fn buffer(&mut self) -> Box<[u8]> {
        let new = || vec![0; request_len(&self.host.limits)].into_boxed_slice();
        self.spare.pop().unwrap_or_else(new)
    }

    fn post_all(&mut self, fabric: &mut dyn Fabric) -> Result<()> {
        while self.slots.len() < RECEIVES {
            let mut buffer = self.buffer();
            // SAFETY: the buffer is kept until the operation is over (`close` cancels it); moving the box does not move
            // it.
            let op = unsafe { fabric.receive_any(Tag::REQUEST, &mut buffer[..])? };
            self.slots.push_back((op, buffer));
        }
        Ok(())
    }

    fn tell_changes(&mut self, fabric: &mut dyn Fabric) -> Result<()> {
        let LocalHost { job, peers, limits, .. } = &self.host;
        let propagation = &mut self.propagation;
        self.replica.compare(job, |image, change| propagation.note(None, image, change));
        propagation.tell(fabric, &mut self.outbox, peers, request_len(limits))
    }
}
