//! Arrival of messages: requests are executed, held (`waiting.rs`), or forwarded.

use super::{BATCH, Server};
use crate::error::{Error, Result};
use crate::rank::Rank;
use crate::server::bundle::{self, Bundle, Entry};
use crate::server::clients::QueuedMessage;
use crate::server::fabric::Fabric;
use crate::server::local_host::LocalHost;
use crate::server::merging::Word;
use crate::server::requests::put;
use crate::server::wire::{self, Action, Answer, Request};

/// What happened to a message.
pub(super) enum Disposition {
    /// It need not be kept.
    Done,
    /// It waits for earlier requests of this image, for messages that it depends on, or for memory.
    Waits(Rank),
    /// It is for an image of this other host, and from this image.
    ForHost(u32, Rank),
}

impl Server {
    /// Accepts a message: one request, or one with coalesced requests before it.
    pub(super) fn accept(
        &mut self,
        fabric: &mut dyn Fabric,
        from: Rank,
        buffer: Box<[u8]>,
        len: usize,
    ) -> Result<()> {
        if buffer[..len].first() != Some(&bundle::REQUESTS) {
            return self.accept_one(fabric, from, buffer, len);
        }
        let mut requests = Bundle::new(buffer, len);
        loop {
            let why = match requests.first() {
                Ok(None) => break,
                Ok(Some(entry)) if entry.origin == from => {
                    let (request, is_last, taken) = (entry.bytes, entry.is_last, entry.len());
                    if !is_last && self.has_put(from, request) {
                        requests.skip(taken);
                        continue;
                    }
                    match self.take(fabric, from, request, is_last)? {
                        Disposition::Done => {
                            requests.skip(taken);
                            continue;
                        }
                        Disposition::Waits(image) => {
                            match self.check_rest(&requests, from, image) {
                                Ok(()) => {
                                    self.hold(image, QueuedMessage::Rest(requests));
                                    return Ok(());
                                }
                                Err(error) => error.to_string(),
                            }
                        }
                        Disposition::ForHost(host, _) => {
                            format!("coalesced requests for host {host}")
                        }
                    }
                }
                Ok(Some(entry)) => format!("a coalesced request of {} from {from}", entry.origin),
                Err(error) => error.to_string(),
            };
            self.refuse(fabric, from, &why)?;
            break;
        }
        self.spare.push(requests.into_buffer());
        Ok(())
    }

    /// Executes a coalesced put as [`Server::take`] does, in few steps, if it is a short one and no earlier request of
    /// its image is in progress; false if nothing has happened.
    fn has_put(&mut self, from: Rank, request: &[u8]) -> bool {
        let Some((head, offset, data)) = wire::read_short_put(request) else { return false };
        let is_next = head.origin == from && !self.clients.of(from).is_busy();
        is_next && put::contiguous(&self.host, head, offset, data).is_ok()
    }

    /// Checks that the rest of a message can be executed later without another check.
    fn check_rest(&self, requests: &Bundle, from: Rank, image: Rank) -> Result<()> {
        let peers = &self.host.peers;
        requests.rest().try_for_each(|next| {
            let entry = next?;
            let (head, request) = wire::read_request(entry.bytes)?;
            let is_here = head.target.index() < peers.images() && peers.is_here(head.target);
            let of_a_server = matches!(
                request,
                Request::States(_)
                    | Request::Note(_)
                    | Request::Atomic { action: Action::Merged { .. }, .. }
            );
            if entry.origin == from && head.origin == image && is_here && !of_a_server {
                Ok(())
            } else {
                Err(Error::Invalid(format!("a coalesced request of {} from {from}", head.origin)))
            }
        })
    }

    /// Accepts a request: it is executed, held because of earlier requests of its origin, or forwarded.
    fn accept_one(
        &mut self,
        fabric: &mut dyn Fabric,
        from: Rank,
        buffer: Box<[u8]>,
        len: usize,
    ) -> Result<()> {
        match self.take(fabric, from, &buffer[..len], true)? {
            Disposition::Done => self.spare.push(buffer),
            Disposition::Waits(image) => self.hold(image, QueuedMessage::Request { buffer, len }),
            Disposition::ForHost(host, origin) => match &mut self.relaying {
                Some(relaying) => relaying.hold(host, origin, buffer, len)?,
                None => unreachable!("taken as a request for this host"),
            },
        }
        Ok(())
    }

    /// Accepts requests that other servers have forwarded.
    pub(super) fn relay(&mut self, fabric: &mut dyn Fabric) -> Result<bool> {
        let mut count = 0;
        while let Some(relaying) = &mut self.relaying {
            let (outbox, peers) = (&mut self.outbox, &self.host.peers);
            let Some((from, mut requests)) = relaying.receive(fabric, outbox, peers)? else {
                break;
            };
            // Another one has arrived at the same time, now or before.
            let busy = self.crowded || count > 0;
            relaying.prepare(outbox, peers, from, &requests, busy);
            count += 1;
            while let Some(Entry { bytes: request, .. }) = requests.next()? {
                match self.take(fabric, from, request, true)? {
                    Disposition::Done => {}
                    Disposition::Waits(image) => self.hold_copy(image, request),
                    Disposition::ForHost(host, _) => {
                        return Err(Error::Invalid(format!(
                            "the server of {from} forwards a request for host {host} to this host"
                        )));
                    }
                }
            }
            if let Some(relaying) = &mut self.relaying {
                relaying.acknowledge(fabric, &mut self.outbox, from, requests)?;
            }
            if count == BATCH {
                break;
            }
        }
        self.crowded = count > 1;
        Ok(count > 0)
    }

    /// Executes a message, if it is a request for an image of this host that can begin now. `counts`: see `execute`.
    pub(super) fn take(
        &mut self,
        fabric: &mut dyn Fabric,
        from: Rank,
        message: &[u8],
        counts: bool,
    ) -> Result<Disposition> {
        let (head, request) = match wire::read_request(message) {
            Ok((head, _)) if head.origin.index() >= self.host.peers.images() => {
                let why = format!("a request of {}, which does not exist", head.origin);
                return self.refuse(fabric, from, &why);
            }
            Err(error) => return self.refuse(fabric, from, &error.to_string()),
            Ok(request) => request,
        };
        let LocalHost { peers, job, .. } = &self.host;
        let exists = head.target.index() < peers.images();
        if let Request::States(changes) = request {
            let wrong = |&(image, _): &(Rank, _)| !self.propagation.speaks_for(peers, from, image);
            if let Some((image, _)) = changes.iter().find(wrong) {
                let why = format!("{from} does not propagate the state of {image}");
                return self.refuse(fabric, from, &why);
            }
            let told_by = Some(peers.host(from));
            for (image, change) in changes.iter() {
                self.propagation.note(told_by, image, change);
                self.replica.apply(job, image, change);
            }
            return Ok(Disposition::Done);
        }
        if let Request::Note(bytes) = request {
            if peers.other_leaders().all(|leader| leader != from) {
                let why = format!("a note of {from}, which leads no other host");
                return self.refuse(fabric, from, &why);
            }
            self.notes.add(from, bytes);
            return Ok(Disposition::Done);
        }
        if exists && self.relaying.is_some() && !peers.is_here(head.target) {
            return Ok(Disposition::ForHost(peers.host(head.target) as u32, head.origin));
        }
        if let Request::Atomic { offset, width, action: Action::Merged { op, members } } = request {
            let word = Word { target: head.target, op, offset, width };
            return self.take_merged(fabric, from, word, members);
        }
        let is_next = self.clients.get(head.origin).is_none_or(|client| client.held.is_empty());
        if is_next && self.can_begin(fabric, head, &request) {
            self.execute(fabric, head, request, counts)?;
            return Ok(Disposition::Done);
        }
        self.has_dependent |= matches!(request, Request::After(_));
        Ok(Disposition::Waits(head.origin))
    }

    /// Answers a message that is no request. Its sender may await no reply: then the next reply to it reports the
    /// refusal.
    pub(super) fn refuse(
        &mut self,
        fabric: &mut dyn Fabric,
        from: Rank,
        why: &str,
    ) -> Result<Disposition> {
        tracing::error!(image = from.image(), why, "refused");
        let host = self.host.peers.number();
        let reply = self.clients.of(from).reply(host, 0, Answer::Refused(why));
        self.outbox.reply(fabric, from, reply).map(|()| Disposition::Done)
    }
}
