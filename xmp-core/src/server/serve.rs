//! The serving side: receives requests, executes them in order for each image that asks, replies.

mod execute;
#[cfg(test)]
mod tests;
mod together;

use super::carrier::{Carrier, Op, Tag, cancel_with};
use super::clients::{Client, Clients, Held};
use super::here::Here;
use super::limits::Limits;
use super::merging::Word;
use super::mirror::Mirror;
use super::outbox::{Outbox, Staged};
use super::parcels::{self, Parcels};
use super::peers::Peers;
use super::relaying::Relaying;
use super::route::Route;
use super::telling::Telling;
use super::wire::{self, Answer, Head, Payload, Request};
use crate::error::{Error, Result};
use crate::job::Job;
use crate::rank::Rank;
use crate::transport::Local;
use std::collections::VecDeque;
use std::sync::Arc;

/// Receives that wait for requests.
const RECEIVES: usize = 8;
/// So few of them may be left while there are requests to execute: those that were used begin again when there is time.
const LEAST_RECEIVES: usize = 2;
/// Requests that are executed before anything else is looked at.
const BATCH: usize = 16;
/// Transfers through memory of the server (sections, handlers) that may be on their way at once: it takes at most about
/// so many times [`Limits::chunk`].
const STAGED: usize = 8;

/// The communication server of a host.
#[derive(Debug)]
pub struct Server {
    here: Here,
    clients: Clients,
    /// Receives in the order of their starts, which is that of the messages.
    slots: VecDeque<(Op, Box<[u8]>)>,
    spare: Vec<Box<[u8]>>,
    /// Clients with something going on.
    busy: VecDeque<Rank>,
    /// Requests whose bytes are being received into memory of the server.
    staged: Staged,
    outbox: Outbox,
    mirror: Mirror,
    telling: Telling,
    /// `None` if requests go directly.
    relaying: Option<Relaying>,
    /// Whether several messages with requests of other servers had come when they were looked for last.
    crowded: bool,
}

/// What has become of a message.
enum Taken {
    /// It need not be kept.
    Done,
    /// It waits for what this image has asked before, or for memory.
    Waits(Rank),
    /// It is for an image of this other host, and of this image.
    ForHost(u32, Rank),
}

impl Server {
    /// The server of the host of this leader's job.
    pub fn new(job: Arc<Job>, peers: Arc<Peers>, limits: Limits) -> Server {
        let local = Local::new(job.clone(), peers.me());
        let route = Route::new(&limits, &peers);
        let (way, groups) = (route.policy.mode, route.topology.groups());
        tracing::debug!(host = peers.number(), ?way, groups, "way of requests between hosts");
        Server {
            clients: Clients::new(peers.images()),
            mirror: Mirror::new(&peers),
            telling: Telling::new(&peers),
            relaying: Relaying::new(&route, &peers),
            crowded: false,
            here: Here { job, local, peers, limits },
            slots: VecDeque::new(),
            spare: Vec::new(),
            busy: VecDeque::new(),
            staged: Staged::default(),
            outbox: Outbox::default(),
        }
    }

    /// Whether there is one image only on this host.
    pub fn is_alone(&self) -> bool {
        self.here.peers.here().count() == 1
    }

    /// This host's job.
    pub fn job(&self) -> &Arc<Job> {
        &self.here.job
    }

    /// Does what can be done now, until somebody else wants the carrier; whether anything was.
    ///
    /// # Errors
    /// When the carrier fails.
    pub fn poll(&mut self, carrier: &mut dyn Carrier, wanted: impl Fn() -> bool) -> Result<bool> {
        let mut progress = self.outbox.poll(carrier)?;
        progress |= self.advance_busy(carrier)?;
        progress |= self.relay(carrier)?;
        // Whether there may be more than was looked at.
        let mut more = true;
        for _ in 0..BATCH {
            if self.slots.len() < LEAST_RECEIVES {
                self.post_all(carrier)?;
            }
            let next = self.slots.front().map_or(Ok(None), |&(op, _)| carrier.test(op))?;
            more = next.is_some();
            let Some((from, len)) = next else { break };
            let (_, buffer) = self.slots.pop_front().expect("the one that was looked at");
            self.accept(carrier, from, buffer, len)?;
            progress = true;
            if wanted() {
                break;
            }
        }
        if !more {
            self.post_all(carrier)?;
        }
        if let Some(relaying) = &mut self.relaying {
            let sent = relaying.forward(carrier, &mut self.outbox, &self.here.peers, more)?;
            progress |= !sent.is_empty();
            self.spare.extend(sent);
        }
        self.tell_changes(carrier)?;
        Ok(progress)
    }

    /// Whether nothing is on its way from this server or half received.
    pub fn is_quiet(&self) -> bool {
        self.outbox.is_empty() && self.busy.is_empty()
    }

    /// Cancels everything that has begun, so that the memory of this server is its own again: the receives that wait for
    /// requests and, unless it is quiet, what is on its way.
    ///
    /// # Errors
    /// When the carrier fails.
    pub fn close(&mut self, carrier: &mut dyn Carrier) -> Result<()> {
        if let Some(relaying) = &mut self.relaying {
            relaying.close(carrier)?;
        }
        for image in std::mem::take(&mut self.busy) {
            let mut incoming = self.clients.of(image).incoming.iter_mut();
            incoming.try_for_each(|incoming| incoming.close(carrier))?;
        }
        self.outbox.close(carrier)?;
        self.slots.drain(..).try_for_each(|(op, buffer)| cancel_with(carrier, op, buffer))
    }

    /// Room for a request.
    fn buffer(&mut self) -> Box<[u8]> {
        let new = || vec![0; self.here.limits.request()].into_boxed_slice();
        self.spare.pop().unwrap_or_else(new)
    }

    fn post_all(&mut self, carrier: &mut dyn Carrier) -> Result<()> {
        while self.slots.len() < RECEIVES {
            let mut buffer = self.buffer();
            // SAFETY: the buffer is kept until the operation is over (`close` cancels it); moving the box does not move it.
            let op = unsafe { carrier.receive_any(Tag::REQUEST, &mut buffer[..])? };
            self.slots.push_back((op, buffer));
        }
        Ok(())
    }

    /// Where a message arrives: one request, or one with those that its image has kept for it.
    fn accept(
        &mut self,
        carrier: &mut dyn Carrier,
        from: Rank,
        buffer: Box<[u8]>,
        len: usize,
    ) -> Result<()> {
        if buffer[..len].first() != Some(&parcels::REQUESTS) {
            return self.accept_one(carrier, from, buffer, len);
        }
        let mut requests = Parcels::new(buffer, len);
        loop {
            let is_last = requests.first().is_none_or(|(.., is_last)| is_last);
            let why = match requests.peek() {
                Ok(None) => break,
                Ok(Some((origin, request))) if origin == from => {
                    match self.take(carrier, from, request, is_last)? {
                        Taken::Done => {
                            requests.next()?;
                            continue;
                        }
                        Taken::Waits(image) => match self.check_rest(&requests, from, image) {
                            Ok(()) => {
                                self.hold(image, Held::Rest(requests));
                                return Ok(());
                            }
                            Err(error) => error.to_string(),
                        },
                        Taken::ForHost(host, _) => {
                            format!("requests for host {host} that were kept")
                        }
                    }
                }
                Ok(Some((origin, _))) => format!("a request of {origin} that {from} has kept"),
                Err(error) => error.to_string(),
            };
            self.refuse(carrier, from, &why)?;
            break;
        }
        self.spare.push(requests.into_buffer());
        Ok(())
    }

    /// Whether what is left of a message can be executed later without being looked at again.
    fn check_rest(&self, requests: &Parcels, from: Rank, image: Rank) -> Result<()> {
        let peers = &self.here.peers;
        requests.rest().try_for_each(|next| {
            let (origin, request) = next?;
            let (head, request) = wire::read_request(request)?;
            let is_here = head.target.index() < peers.images() && peers.is_here(head.target);
            let of_a_server = matches!(request, Request::States(_) | Request::FetchTogether { .. });
            match origin == from && head.origin == image && is_here {
                true if !of_a_server => Ok(()),
                _ => Err(Error::Invalid(format!(
                    "a request of {} that {from} has kept",
                    head.origin
                ))),
            }
        })
    }

    /// Where a request arrives: it is executed, held because of what its image has asked before, or passed on.
    fn accept_one(
        &mut self,
        carrier: &mut dyn Carrier,
        from: Rank,
        buffer: Box<[u8]>,
        len: usize,
    ) -> Result<()> {
        match self.take(carrier, from, &buffer[..len], true)? {
            Taken::Done => self.spare.push(buffer),
            Taken::Waits(image) => self.hold(image, Held::Request { buffer, len }),
            Taken::ForHost(host, origin) => match &mut self.relaying {
                Some(relaying) => relaying.hold(host, origin, buffer, len)?,
                None => unreachable!("taken as one for here"),
            },
        }
        Ok(())
    }

    /// Requests that other servers have passed on.
    fn relay(&mut self, carrier: &mut dyn Carrier) -> Result<bool> {
        let mut count = 0;
        while let Some(relaying) = &mut self.relaying {
            let (outbox, peers) = (&mut self.outbox, &self.here.peers);
            let Some((from, mut requests)) = relaying.receive(carrier, outbox, peers)? else {
                break;
            };
            // Another one has come at the same time, now or before.
            let busy = self.crowded || count > 0;
            relaying.prepare(outbox, peers, from, &requests, busy);
            count += 1;
            while let Some((_, request)) = requests.next()? {
                match self.take(carrier, from, request, true)? {
                    Taken::Done => {}
                    Taken::Waits(image) => self.hold_copy(image, request),
                    Taken::ForHost(host, _) => {
                        return Err(Error::Invalid(format!(
                            "the server of {from} passes a request for host {host} on to here"
                        )));
                    }
                }
            }
            if let Some(relaying) = &mut self.relaying {
                relaying.acknowledge(carrier, &mut self.outbox, from, requests)?;
            }
            if count == BATCH {
                break;
            }
        }
        self.crowded = count > 1;
        Ok(count > 0)
    }

    /// Executes a message, if it is a request for an image of this host that can be begun now. `counts`: see `execute`.
    fn take(
        &mut self,
        carrier: &mut dyn Carrier,
        from: Rank,
        message: &[u8],
        counts: bool,
    ) -> Result<Taken> {
        let (head, request) = match wire::read_request(message) {
            Ok((head, _)) if head.origin.index() >= self.here.peers.images() => {
                let why = format!("a request of {}, which does not exist", head.origin);
                return self.refuse(carrier, from, &why);
            }
            Err(error) => return self.refuse(carrier, from, &error.to_string()),
            Ok(request) => request,
        };
        let Here { peers, job, .. } = &self.here;
        let exists = head.target.index() < peers.images();
        if let Request::States(changes) = request {
            let wrong = |&(image, _): &(Rank, _)| !self.telling.speaks_for(peers, from, image);
            if let Some((image, _)) = changes.iter().find(wrong) {
                let why = format!("{from} does not speak for {image}");
                return self.refuse(carrier, from, &why);
            }
            let told_by = Some(peers.host(from));
            for (image, change) in changes.iter() {
                self.telling.note(told_by, image, change);
                self.mirror.apply(job, image, change);
            }
            return Ok(Taken::Done);
        }
        if exists && self.relaying.is_some() && !peers.is_here(head.target) {
            return Ok(Taken::ForHost(peers.host(head.target) as u32, head.origin));
        }
        if let Request::FetchTogether { op, offset, width, members } = request {
            let word = Word { target: head.target, op, offset, width };
            return self.take_together(carrier, from, word, members);
        }
        let staged = self.staged + self.outbox.staged();
        let client = self.clients.of(head.origin);
        if client.held.is_empty() && can_begin(&self.here.limits, client, head, &request, staged) {
            self.execute(carrier, head, request, counts)?;
            return Ok(Taken::Done);
        }
        Ok(Taken::Waits(head.origin))
    }

    fn hold(&mut self, image: Rank, held: Held) {
        self.note_busy(image);
        self.clients.of(image).held.push_back(held);
    }

    /// Holds a request that another server has passed on with others.
    fn hold_copy(&mut self, image: Rank, request: &[u8]) {
        let mut buffer = self.buffer();
        buffer[..request.len()].copy_from_slice(request);
        self.hold(image, Held::Request { buffer, len: request.len() });
    }

    /// Answers what is no request. Nobody may be waiting for the answer: the next one who does gets it.
    fn refuse(&mut self, carrier: &mut dyn Carrier, from: Rank, why: &str) -> Result<Taken> {
        tracing::error!(image = from.image(), why, "refused");
        let host = self.here.peers.number();
        let reply = self.clients.of(from).reply(host, 0, Answer::Refused(why));
        self.outbox.reply(carrier, from, reply).map(|()| Taken::Done)
    }

    /// Goes on with what is half received, then with what waits for it.
    fn advance_busy(&mut self, carrier: &mut dyn Carrier) -> Result<bool> {
        let mut progress = false;
        for _ in 0..self.busy.len() {
            let Some(image) = self.busy.pop_front() else { break };
            progress |= self.advance_client(carrier, image)?;
            if self.clients.of(image).is_busy() {
                self.busy.push_back(image);
            }
        }
        Ok(progress)
    }

    fn advance_client(&mut self, carrier: &mut dyn Carrier, image: Rank) -> Result<bool> {
        let mut progress = false;
        for incoming in &mut self.clients.of(image).incoming {
            progress |= incoming.poll(carrier)?;
            // The messages of the next one come behind all of this one's.
            if !incoming.is_posted() {
                break;
            }
        }
        // In order: what is scattered last is what stays.
        while let Some(done) = self.clients.of(image).take_done() {
            progress = true;
            self.complete(carrier, done)?;
        }
        while let Some(held) = self.take_held(image) {
            progress = true;
            if let Some(rest) = self.execute_next(carrier, held)? {
                self.clients.of(image).held.push_front(rest);
            }
        }
        Ok(progress)
    }

    /// Executes the next request of a message that was held; what is left of it.
    fn execute_next(&mut self, carrier: &mut dyn Carrier, mut held: Held) -> Result<Option<Held>> {
        let next = held.next().map(|(request, is_last)| (wire::read_request(request), is_last));
        let Some((request, is_last)) = next else { return Ok(None) };
        let (head, request) = request?;
        self.execute(carrier, head, request, is_last)?;
        match &mut held {
            Held::Rest(requests) if !is_last => {
                requests.next()?;
                Ok(Some(held))
            }
            _ => {
                self.spare.push(held.into_buffer());
                Ok(None)
            }
        }
    }

    /// The next message of a client that waits, if it need not any more.
    fn take_held(&mut self, image: Rank) -> Option<Held> {
        let staged = self.staged + self.outbox.staged();
        let client = self.clients.of(image);
        let (message, _) = client.held.front()?.next()?;
        let (head, request) = wire::read_request(message).ok()?;
        match can_begin(&self.here.limits, client, head, &request, staged) {
            true => client.held.pop_front(),
            false => None,
        }
    }

    fn note_busy(&mut self, image: Rank) {
        if !self.busy.contains(&image) {
            self.busy.push_back(image);
        }
    }

    fn tell_changes(&mut self, carrier: &mut dyn Carrier) -> Result<()> {
        let Here { job, peers, limits, .. } = &self.here;
        let telling = &mut self.telling;
        self.mirror.compare(job, |image, change| telling.note(None, image, change));
        telling.tell(carrier, &mut self.outbox, peers, limits.request())
    }
}

/// Whether a request can be begun now: after all that its image has asked before, and with the memory that it needs.
fn can_begin(
    limits: &Limits,
    client: &Client,
    head: Head,
    request: &Request<'_>,
    staged: Staged,
) -> bool {
    let mut before = client.incoming.iter();
    // What it needs of the server's memory, as far as is known.
    let (in_order, needs) = match request {
        // Received where it belongs while others still are, if it does not meet them there.
        &Request::Put { offset, data: Payload::Follows(len) } => {
            let to = offset.saturating_add(len);
            (before.all(|it| it.is_posted() && !it.touches(head.target, offset, to)), None)
        }
        &Request::Scatter { data: Payload::Follows(len), .. }
        | &Request::Call { data: Payload::Follows(len), .. } => {
            (before.all(|it| it.is_posted()), Some(len))
        }
        Request::Gather { grid } => {
            let len = grid.packed().unwrap_or(u64::MAX);
            (before.next().is_none(), Some(len).filter(|&len| len > limits.inline.into()))
        }
        Request::Call { .. } => (before.next().is_none(), Some(0)),
        _ => (before.next().is_none(), None),
    };
    let most = Staged { count: STAGED, bytes: limits.payload };
    // What is longer than that is refused, so it need not wait.
    in_order && needs.is_none_or(|len| len > limits.payload || staged.has_room(len, most))
}
