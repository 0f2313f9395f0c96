//! The pending-put check: a get that overlaps an incomplete put to the same image waits for it.
//!
//! Puts are non-blocking, so a get could overtake an earlier put of the same image to the same place and return the old
//! value. The check costs a comparison: for each target one interval bounds all pending puts. "No overlap" is exact. An
//! overlap with the interval but not with a put costs one needless flush, after which the interval is empty.

use super::{AtomicOp, Capabilities, Mark, Rendezvous, Run, Transport, Update, Wake, Width};
use crate::error::Result;
use crate::job::Handler;
use crate::nest::Nest;
use crate::rank::Rank;
use crate::wait::Background;
use std::cell::Cell;
use std::ops::Range;
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

    fn record(&self, target: Rank, touched: Range<u64>) {
        let (from, to) = self.pending[target.index()].get();
        self.pending[target.index()].set((from.min(touched.start), to.max(touched.end)));
    }

    fn settle(&self, target: Rank, touched: Range<u64>) -> Result<()> {
        let (from, to) = self.pending[target.index()].get();
        if touched.start < to && from < touched.end {
            self.flush(target)?;
        }
        Ok(())
    }
}

/// The bytes of the target's segment that a nest at `offset` touches, all of which lie in it.
fn touched(nest: Nest<'_>, offset: u64) -> Range<u64> {
    let Range { start, end } = nest.touched(offset);
    start as u64..end as u64
}

// SAFETY: the pointers are those of `inner`, which lives as long.
unsafe impl<T: Transport> Transport for ProgramOrder<T> {
    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

    fn host_ptr(&self, target: Rank, offset: u64) -> Option<NonNull<u8>> {
        self.inner.host_ptr(target, offset)
    }

    unsafe fn put(&self, target: Rank, offset: u64, src: *const u8, len: usize) -> Result<()> {
        self.record(target, offset..offset.saturating_add(len as u64));
        // SAFETY: `inner` has the same contract (see [`Transport`]).
        unsafe { self.inner.put(target, offset, src, len) }
    }

    unsafe fn get(&self, target: Rank, offset: u64, dst: *mut u8, len: usize) -> Result<()> {
        self.settle(target, offset..offset.saturating_add(len as u64))?;
        // SAFETY: `inner` has the same contract (see [`Transport`]).
        unsafe { self.inner.get(target, offset, dst, len) }
    }

    unsafe fn put_strided(
        &self,
        target: Rank,
        offset: u64,
        src: *const u8,
        nest: Nest<'_>,
    ) -> Result<()> {
        self.record(target, touched(nest, offset));
        // SAFETY: `inner` has the same contract (see [`Transport`]).
        unsafe { self.inner.put_strided(target, offset, src, nest) }
    }

    unsafe fn get_strided(
        &self,
        target: Rank,
        offset: u64,
        dst: *mut u8,
        nest: Nest<'_>,
    ) -> Result<()> {
        self.settle(target, touched(nest, offset))?;
        // SAFETY: `inner` has the same contract (see [`Transport`]).
        unsafe { self.inner.get_strided(target, offset, dst, nest) }
    }

    unsafe fn put_runs(&self, target: Rank, src: *const u8, runs: &[Run]) -> Result<()> {
        runs.iter().for_each(|run| self.record(target, run.touched()));
        // SAFETY: `inner` has the same contract (see [`Transport`]).
        unsafe { self.inner.put_runs(target, src, runs) }
    }

    unsafe fn get_runs(&self, target: Rank, dst: *mut u8, runs: &[Run]) -> Result<()> {
        runs.iter().try_for_each(|run| self.settle(target, run.touched()))?;
        // SAFETY: `inner` has the same contract (see [`Transport`]).
        unsafe { self.inner.get_runs(target, dst, runs) }
    }

    unsafe fn put_notify(
        &self,
        target: Rank,
        offset: u64,
        src: *const u8,
        len: usize,
        counter: u64,
        value: u64,
    ) -> Result<()> {
        self.record(target, offset..offset.saturating_add(len as u64));
        // SAFETY: `inner` has the same contract (see [`Transport`]).
        unsafe { self.inner.put_notify(target, offset, src, len, counter, value) }
    }

    unsafe fn tell(&self, target: Rank, counter: u64, value: u64) -> Result<()> {
        // SAFETY: `inner` has the same contract (see [`Transport`]).
        unsafe { self.inner.tell(target, counter, value) }
    }

    unsafe fn put_packet(
        &self,
        target: Rank,
        end: u64,
        parts: [&[u8]; 2],
        mark: Mark,
    ) -> Result<()> {
        let len = parts[0].len() + parts[1].len();
        self.record(target, end.saturating_sub(len as u64)..end);
        // SAFETY: `inner` has the same contract (see [`Transport`]).
        unsafe { self.inner.put_packet(target, end, parts, mark) }
    }

    unsafe fn fetch_op(
        &self,
        op: AtomicOp,
        target: Rank,
        offset: u64,
        width: Width,
        operand: u64,
    ) -> Result<u64> {
        // SAFETY: `inner` has the same contract (see [`Transport`]).
        unsafe { self.inner.fetch_op(op, target, offset, width, operand) }
    }

    unsafe fn compare_swap(
        &self,
        target: Rank,
        offset: u64,
        width: Width,
        expected: u64,
        desired: u64,
    ) -> Result<u64> {
        // SAFETY: `inner` has the same contract (see [`Transport`]).
        unsafe { self.inner.compare_swap(target, offset, width, expected, desired) }
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

    fn flush(&self, target: Rank) -> Result<()> {
        self.inner.flush(target)?;
        self.pending[target.index()].set((u64::MAX, 0));
        Ok(())
    }

    fn flush_all(&self) -> Result<()> {
        self.inner.flush_all()?;
        self.pending.iter().for_each(|pending| pending.set((u64::MAX, 0)));
        Ok(())
    }

    /// Operations that stay incomplete stay in the intervals.
    fn flush_for(&self, target: Rank) -> Result<()> {
        self.inner.flush_for(target)
    }

    fn finish(&self) -> Result<()> {
        self.inner.finish()
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

    fn behind_waits(&self) -> Option<&dyn Background> {
        self.inner.behind_waits()
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
