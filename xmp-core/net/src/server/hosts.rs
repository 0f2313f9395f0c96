//! The transport of a job of several hosts: images of this host are reached by loads and stores, remote ones through
//! the server of their host. A server executes the requests of an image in order. Where gets may overtake them, because they go by
//! MPI's window, a get waits for this image's own earlier puts to the same bytes.

use super::pending::PendingPuts;
use super::{Origin, Peers, Port};
use crate::error::Result;
use crate::job::{Handler, Job};
use crate::rank::Rank;
use crate::settings::Limits;
use crate::transport::{
    AheadTransport, AtomicRequest, FlushScope, Layout, Local, Meeting, Post, Rendezvous, Run,
    Transport, Update, Wake, Width,
};
use crate::wait::{Background, SharedCores};
use std::ptr::NonNull;
use std::rc::Rc;
use std::sync::Arc;

/// The transport of a job of several hosts.
#[derive(Debug)]
pub struct Hosts {
    local: Local,
    remote: Origin,
    /// Where gets may overtake puts.
    pending: Option<PendingPuts>,
}

impl Hosts {
    /// The transport of the image that `peers` describes, on the host of `job`.
    pub fn new(job: Arc<Job>, peers: Arc<Peers>, port: Arc<Port>, limits: Limits) -> Hosts {
        let pending = port.has_window().then(|| PendingPuts::new(job.images()));
        let local = Local::new(job.clone(), peers.me());
        Hosts { local, pending, remote: Origin::new(port, job, peers, limits) }
    }

    /// The transport that reaches `target`.
    #[inline(always)]
    fn route(&self, target: Rank) -> &dyn Transport {
        if self.remote.is_here(target) { &self.local } else { &self.remote }
    }
}

impl AheadTransport for Hosts {
    fn gets_ahead(&self) -> bool {
        self.remote.gets_ahead()
    }

    fn arrives(&self) -> Result<()> {
        self.remote.arrives()
    }

    fn request_ahead(&self, target: Rank, at: Meeting, runs: &[Run]) -> Result<bool> {
        self.remote.request_ahead(target, at, runs)
    }

    fn take_ahead(&self, target: Rank) -> Result<Option<Vec<u8>>> {
        self.remote.take_ahead(target)
    }
}

// SAFETY: the pointers are those of `local`, which lives as long.
unsafe impl Transport for Hosts {
    fn host_ptr(&self, target: Rank, offset: u64) -> Option<NonNull<u8>> {
        self.route(target).host_ptr(target, offset)
    }

    unsafe fn put(
        &self,
        target: Rank,
        offset: u64,
        src: *const u8,
        layout: Layout<'_>,
    ) -> Result<()> {
        if let Some(pending) = &self.pending {
            pending.put(target, offset, layout);
        }
        // SAFETY: every route has the contract of [`Transport`].
        unsafe { self.route(target).put(target, offset, src, layout) }
    }

    unsafe fn get(
        &self,
        target: Rank,
        offset: u64,
        dst: *mut u8,
        layout: Layout<'_>,
    ) -> Result<()> {
        let overlaps = |pending: &PendingPuts| pending.overlap(target, offset, layout);
        if self.pending.as_ref().is_some_and(overlaps) {
            self.flush(FlushScope::Target(target))?;
        }
        // SAFETY: every route has the contract of [`Transport`].
        unsafe { self.route(target).get(target, offset, dst, layout) }
    }

    unsafe fn post(&self, target: Rank, post: Post<'_>) -> Result<()> {
        if let Some(pending) = &self.pending {
            pending.post(target, &post);
        }
        // SAFETY: every route has the contract of [`Transport`].
        unsafe { self.route(target).post(target, post) }
    }

    unsafe fn atomic(
        &self,
        target: Rank,
        offset: u64,
        width: Width,
        request: AtomicRequest,
    ) -> Result<u64> {
        // SAFETY: every route has the contract of [`Transport`].
        unsafe { self.route(target).atomic(target, offset, width, request) }
    }

    unsafe fn signal(
        &self,
        target: Rank,
        offset: u64,
        width: Width,
        update: Update,
        wake: Wake,
    ) -> Result<()> {
        // SAFETY: every route has the contract of [`Transport`].
        unsafe { self.route(target).signal(target, offset, width, update, wake) }
    }

    fn ring(&self, target: Rank) {
        self.route(target).ring(target);
    }

    fn flush(&self, scope: FlushScope) -> Result<()> {
        match scope {
            FlushScope::Target(target) => self.route(target).flush(scope)?,
            FlushScope::Before(_) | FlushScope::Ordered(_) => self.remote.flush(scope)?,
            FlushScope::All | FlushScope::Everything => {
                self.local.flush(scope)?;
                self.remote.flush(scope)?;
            }
        }
        if let Some(pending) = &self.pending {
            pending.flushed(scope);
        }
        Ok(())
    }

    fn call(
        &self,
        target: Rank,
        handler: Handler,
        payload: &[u8],
        reply: &mut Vec<u8>,
    ) -> Result<()> {
        self.route(target).call(target, handler, payload, reply)
    }

    fn rendezvous(&self, partner: Rank) -> Option<&dyn Rendezvous> {
        self.route(partner).rendezvous(partner)
    }

    fn background(&self) -> Option<&dyn Background> {
        self.remote.background()
    }

    fn share_cores(&self, cores: Rc<dyn SharedCores>) {
        self.remote.share_cores(cores);
    }
}
