//! The pending-put check: a get that overlaps an incomplete put to the same image waits for it.
//!
//! Puts are non-blocking, so a get could overtake an earlier put of the same image to the same place and return the old
//! value. The check costs a comparison: for each target one interval bounds all pending puts. "No overlap" is exact. An
//! overlap with the interval but not with a put costs one needless flush, after which the interval is empty.

use super::{AtomicRequest, FlushScope, Layout, Post, Rendezvous, Transport, Update, Wake, Width};
use crate::error::Result;
use crate::job::Handler;
use crate::rank::Rank;
use crate::wait::Background;
use std::cell::Cell;
use std::convert::Infallible;
use std::ptr::NonNull;

/// Adds program order to a transport whose puts complete later: gets see this image's own earlier puts.
#[derive(Debug)]
pub struct ProgramOrder<T> {
    inner: T,
    /// For each target the bytes that pending puts may touch; empty = none pending.
    pending: Box<[Cell<(u64, u64)>]>,
}

impl<T: Transport> ProgramOrder<T> {
    /// Adds the check to `inner`, for a job of `images` images.
    pub fn new(inner: T, images: usize) -> Self {
        ProgramOrder { inner, pending: vec![Cell::new((u64::MAX, 0)); images].into() }
    }

    fn record(&self, target: Rank, from: u64, to: u64) {
        let pending = &self.pending[target.index()];
        let (first, last) = pending.get();
        pending.set((first.min(from), last.max(to)));
    }

    fn settle(&self, target: Rank, from: u64, to: u64) -> Result<()> {
        let (first, last) = self.pending[target.index()].get();
        if from < last && first < to { self.flush(FlushScope::Target(target)) } else { Ok(()) }
    }
}

// SAFETY: the pointers are those of `inner`, which lives as long.
unsafe impl<T: Transport> Transport for ProgramOrder<T> {
    fn host_ptr(&self, target: Rank, offset: u64) -> Option<NonNull<u8>> {
        self.inner.host_ptr(target, offset)
    }

    unsafe fn put(
        &self,
        target: Rank,
        offset: u64,
        src: *const u8,
        layout: Layout<'_>,
    ) -> Result<()> {
        let recorded: std::result::Result<(), Infallible> =
            layout.for_each_touched(offset, |from, to| {
                self.record(target, from, to);
                Ok(())
            });
        let Ok(()) = recorded;
        // SAFETY: `inner` has the same contract (see [`Transport`]).
        unsafe { self.inner.put(target, offset, src, layout) }
    }

    unsafe fn get(
        &self,
        target: Rank,
        offset: u64,
        dst: *mut u8,
        layout: Layout<'_>,
    ) -> Result<()> {
        layout.for_each_touched(offset, |from, to| self.settle(target, from, to))?;
        // SAFETY: `inner` has the same contract (see [`Transport`]).
        unsafe { self.inner.get(target, offset, dst, layout) }
    }

    unsafe fn post(&self, target: Rank, post: Post<'_>) -> Result<()> {
        if let Post::Packet { end, parts: [data, header], .. } = post {
            let len = data.len() + header.len();
            self.record(target, end.saturating_sub(len as u64), end);
        }
        // SAFETY: `inner` has the same contract (see [`Transport`]).
        unsafe { self.inner.post(target, post) }
    }

    unsafe fn atomic(
        &self,
        target: Rank,
        offset: u64,
        width: Width,
        request: AtomicRequest,
    ) -> Result<u64> {
        // SAFETY: `inner` has the same contract (see [`Transport`]).
        unsafe { self.inner.atomic(target, offset, width, request) }
    }

    unsafe fn signal(
        &self,
        target: Rank,
        offset: u64,
        width: Width,
        update: Update,
        wake: Wake,
    ) -> Result<()> {
        // SAFETY: `inner` has the same contract (see [`Transport`]).
        unsafe { self.inner.signal(target, offset, width, update, wake) }
    }

    fn ring(&self, target: Rank) {
        self.inner.ring(target);
    }

    fn flush(&self, scope: FlushScope) -> Result<()> {
        self.inner.flush(scope)?;
        let settled = |pending: &Cell<(u64, u64)>| pending.set((u64::MAX, 0));
        match scope {
            FlushScope::Target(target) => settled(&self.pending[target.index()]),
            FlushScope::All | FlushScope::Everything => self.pending.iter().for_each(settled),
            // Operations that stay incomplete stay in the intervals.
            FlushScope::Before(_) | FlushScope::Ordered(_) => {}
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
        self.inner.call(target, handler, payload, reply)
    }

    fn rendezvous(&self, partner: Rank) -> Option<&dyn Rendezvous> {
        self.inner.rendezvous(partner)
    }

    fn background(&self) -> Option<&dyn Background> {
        self.inner.background()
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
