//! The origin side: requests of one image to the servers of other hosts, and their replies.
//!
//! An image leaves the library with no message half sent: when a call returns, its bytes are in the fabric's hands, or
//! received. So its memory may be changed, and it may compute for as long as it likes without any image waiting for it.

mod ahead;
mod call;
mod causal_order;
mod flow_control;
mod link;
mod operations;
mod rendezvous;
mod replies;
mod runs;
mod strided;
#[cfg(test)]
mod tests;
mod transfer;
mod window;

use super::dependencies::KnownDependencies;
use super::fabric::{Fabric, Tag};
use super::local_host::check_bytes;
use super::peers::Peers;
use super::port::Port;
use super::route::Route;
use super::wire::{self, Head, REPLY_HEADER, Request};
use crate::error::{Error, Result};
use crate::failure;
use crate::failure::{departure, ending_code, exit_status};
use crate::job::Job;
use crate::rank::Rank;
use crate::server::limits::{request_len, together};
use crate::settings::Limits;
use crate::transport::Op;
use crate::wait::{Polling, SharedCores};
use link::{Arrival, Link, ServerReply, To};
use std::cell::{Cell, OnceCell, RefCell, RefMut};
use std::rc::Rc;
use std::sync::Arc;

/// Most bytes of the text of a refusal.
pub const REFUSAL: usize = 512;

/// The state of an image that sends requests to other hosts.
#[derive(Debug)]
pub struct Origin {
    port: Arc<Port>,
    job: Arc<Job>,
    peers: Arc<Peers>,
    /// What this image knows of its cores, if it shares them.
    cores: OnceCell<Rc<dyn SharedCores>>,
    limits: Limits,
    route: Route,
    /// Whether the fabric has a window.
    window: bool,
    /// Whether images of this host are ordered by dependencies (`causal_order.rs`).
    is_causal: bool,
    /// Whether bytes can be got ahead (`ahead.rs`).
    gets_ahead: bool,
    /// Whether also those after the next barrier.
    gets_next: bool,
    /// The leader of this host.
    own_leader: Rank,
    /// The number that this image has last published.
    published: Cell<u64>,
    /// The dependencies that this image knows.
    known: KnownDependencies,
    /// Whether [`FlushScope::Before`](crate::transport::FlushScope) has left operations without a confirmation.
    is_owed: Cell<bool>,
    /// Most bytes of a message with coalesced requests, before the last one.
    together: usize,
    /// By host.
    links: Box<[Link]>,
    /// Whether messages of all kinds can be exchanged with each image.
    reaches: Box<[bool]>,
    /// Number of the last request.
    last: Cell<u32>,
    /// The request that is being sent.
    message: RefCell<Vec<u8>>,
    /// Where replies are received.
    landing: RefCell<Box<[u8]>>,
    /// Where they are received first, if they may come from any server.
    arrival: RefCell<Arrival>,
    /// Memory for messages of coalesced requests; empty ones.
    messages: RefCell<Vec<Vec<u8>>>,
    /// Memory for packed sections, and for dependencies.
    spare: RefCell<Vec<Vec<u8>>>,
}

impl Origin {
    /// The origin side of this process's image.
    pub fn new(port: Arc<Port>, job: Arc<Job>, peers: Arc<Peers>, limits: Limits) -> Origin {
        let route = Route::new(&limits, &peers);
        let here = peers.host(peers.me()) as u32;
        let window = port.has_window();
        // The reasons are in `causal_order.rs`. (A window's puts are no messages.)
        let hosts = peers.leaders().len();
        let is_causal = hosts == 2 && route.is_direct() && !window && port.sends_by_itself();
        let gets_ahead = is_causal && peers.here().count() == 1;
        let gets_next = gets_ahead && peers.images() == 2;
        let link = |(host, &leader): (usize, &Rank)| Link {
            leader,
            entry: route.topology.entry(here, host as u32) as usize,
            sent: Cell::new(0),
            executed: Cell::new(0),
            has_puts: Cell::new(false),
            has_signals: Cell::new(false),
            is_dependent: Cell::new(false),
            next: Cell::new(0),
            early: RefCell::default(),
            in_window: Cell::new(false),
            coalesced: RefCell::default(),
            ahead: Cell::new(None),
            came: RefCell::default(),
        };
        let landing = REPLY_HEADER + REFUSAL.max(limits.inline as usize);
        Origin {
            window,
            is_causal,
            gets_ahead,
            gets_next,
            own_leader: peers.leader(peers.me()),
            published: Cell::new(0),
            known: KnownDependencies::new(if is_causal { peers.here().count() } else { 0 }),
            is_owed: Cell::new(false),
            together: together(&limits, port.eager()),
            links: peers.leaders().iter().enumerate().map(link).collect(),
            reaches: (0..peers.images() as u32)
                .map(|image| port.reaches(Rank::new(image)))
                .collect(),
            route,
            port,
            job,
            peers,
            cores: OnceCell::new(),
            limits,
            last: Cell::new(0),
            message: RefCell::new(Vec::with_capacity(request_len(&limits))),
            landing: RefCell::new(vec![0; landing].into()),
            arrival: RefCell::new(Arrival::new(if route.is_direct() { 0 } else { landing })),
            messages: RefCell::default(),
            spare: RefCell::default(),
        }
    }

    /// Whether an image is on this host, so that no request is needed.
    #[inline(always)]
    pub fn is_here(&self, image: Rank) -> bool {
        self.peers.is_here(image)
    }

    /// Completes all puts to images of a host.
    fn flush_host(&self, to: To<'_>) -> Result<()> {
        self.flush_window(to.link)?;
        if to.link.is_pending() { self.confirm(to) } else { Ok(()) }
    }

    /// Sends all requests first, then waits for each reply, so that it takes as long as the slowest.
    fn confirm_all(&self, choose: impl Fn(&Link) -> bool) -> Result<()> {
        // Mostly there is nothing to confirm: a barrier of two hosts asks each time.
        if !self.links.iter().any(|link| link.in_window.get() || choose(link)) {
            return Ok(());
        }
        let windows = self.links.iter().map(|link| self.flush_window(link));
        let mut outcome = windows.fold(Ok(()), Result::and);
        let mut asked = smallvec::SmallVec::<[(To<'_>, u32); 8]>::new();
        for link in self.links.iter().filter(|link| choose(link)) {
            let to = To { link, target: link.leader };
            match self.send_request(to, &Request::Flush) {
                Ok(id) => asked.push((to, id)),
                Err(error) => outcome = outcome.and(Err(error)),
            }
        }
        for (to, id) in asked {
            outcome = outcome.and(self.confirmed(to, id));
        }
        outcome
    }

    fn confirm(&self, to: To<'_>) -> Result<()> {
        let id = self.send_request(to, &Request::Flush)?;
        self.confirmed(to, id)
    }

    fn confirmed(&self, to: To<'_>, id: u32) -> Result<()> {
        let reply = self.reply(to.link, id);
        // Also after a refusal: every other put is complete.
        to.link.has_puts.set(false);
        to.link.has_signals.set(false);
        to.link.is_dependent.set(false);
        reply.map(|_| ())
    }

    fn to(&self, target: Rank) -> To<'_> {
        To { link: &self.links[self.peers.host(target)], target }
    }

    /// Checks user input once more: no request is sent that the server would refuse.
    fn check(&self, what: &str, target: Rank, from: u64, len: usize) -> Result<()> {
        let from = i128::from(from);
        check_bytes(what, target, from, from + len as i128, self.job.geometry().stride)
    }

    /// Sends a request: waits for a credit, then until the fabric has the message. Returns the request's number.
    fn send_request(&self, to: To<'_>, request: &Request<'_>) -> Result<u32> {
        self.flush_window(to.link)?;
        self.send_dependencies(to)?;
        self.leave_room_for(to.link, request)?;
        self.take_credit(to.link, matches!(request, Request::Flush))?;
        let (id, message) = self.write(to, request);
        self.send_with_coalesced(to, &message, request.is_followed())?;
        Ok(id)
    }

    /// Writes a request, and returns its number.
    fn write(&self, to: To<'_>, request: &Request<'_>) -> (u32, RefMut<'_, Vec<u8>>) {
        let head = self.next_head(to);
        let mut message = self.message.borrow_mut();
        message.clear();
        wire::write_request(&mut message, head, request);
        (head.id, message)
    }

    /// The head of the next request.
    fn next_head(&self, to: To<'_>) -> Head {
        let id = self.last.get().wrapping_add(1);
        self.last.set(id);
        Head { origin: self.peers.me(), target: to.target, id }
    }

    /// Sends a request and waits for its reply.
    fn ask(&self, to: To<'_>, request: &Request<'_>) -> Result<ServerReply> {
        let id = self.send_request(to, request)?;
        self.reply(to.link, id)
    }

    /// Sends requests, and waits until the bytes are not needed any more. `followed`: bytes to the same process follow at once.
    ///
    /// # Safety
    /// The bytes are valid, and no other code changes them meanwhile.
    unsafe fn send(&self, link: &Link, bytes: *const [u8], followed: bool) -> Result<()> {
        let (op, done) = self.port.carry(|fabric| {
            let (to, tag) = (link.leader, Tag::REQUEST);
            // SAFETY: the bytes are valid and unchanged until `complete` returns (contract of this method).
            let op = unsafe {
                if followed {
                    fabric.send_followed(to, tag, bytes)?
                } else {
                    fabric.send(to, tag, bytes)?
                }
            };
            Ok((op, fabric.test(op)?.is_some()))
        })?;
        if !done {
            self.complete(link, op)?;
        }
        Ok(())
    }

    /// Waits until an operation is done, and gives it up after an error. Returns the number of received bytes.
    fn complete(&self, link: &Link, op: Op) -> Result<usize> {
        let (outcome, goes_on) = self.follow(link, op);
        if goes_on {
            self.give_up([op]);
        }
        outcome
    }

    /// Waits until an operation is over; returns the number of received bytes. The operation continues after an error
    /// of the wait. After an error of its own it does not, and its number may be reused.
    fn follow(&self, link: &Link, op: Op) -> (Result<usize>, bool) {
        let mut goes_on = true;
        let outcome = self.wait(link, |fabric| {
            let outcome = fabric.test(op);
            goes_on = matches!(outcome, Ok(None));
            outcome
        });
        (outcome.map(|(_, len)| len), goes_on)
    }

    fn give_up(&self, ops: impl IntoIterator<Item = Op>) {
        for op in ops {
            // The wait has an error already.
            if let Ok(false) = self.port.carry(|fabric| fabric.cancel(op)) {
                // Its memory may be the program's, which continues after this.
                tracing::error!("a transfer cannot be given up: this process ends");
                departure::announce();
                // SAFETY: does not return.
                unsafe { libc::_exit(exit_status(ending_code(&self.job)).into()) }
            }
        }
    }

    /// Looks again and again, and serves if this image leads its host.
    fn wait<T>(
        &self,
        link: &Link,
        mut look: impl FnMut(&mut dyn Fabric) -> Result<Option<T>>,
    ) -> Result<T> {
        let page = self.job.page();
        let polling = Polling {
            status: &page.status,
            budget: page.waiting,
            cores: self.cores.get().map(|cores| &**cores),
            nap: self.limits.nap,
        };
        polling.until(|| self.watch(link), || self.port.look(&mut look))
    }

    /// Checks that the reply can still come. The end of another image is no error: its memory remains, and a leader
    /// that has stopped, or executed FAIL IMAGE, continues to serve. Only if its process is dead, the requests that it
    /// held are lost; that is detected for the leader of this host (the death of others ends the job).
    fn watch(&self, link: &Link) -> Result<()> {
        if failure::ending(&self.job).is_some() {
            return Err(Error::JobEnding);
        }
        let leader = self.links[link.entry].leader;
        let has_died = failure::has_died(self.job.entry(leader));
        if has_died { Err(Error::FailedImage(leader)) } else { Ok(()) }
    }
}
