//! The transport of one machine: every segment is mapped in this process, so every operation is a load or a store.
//!
//! It serves images that are threads and images that are processes alike. Between *virtual* hosts it returns no
//! pointers, so that the layers above take the paths that they take between real hosts.

use super::word::{compare_swap_word, fetch_word};
use super::{
    AtomicOp, AtomicRequest, FlushScope, Layout, Mark, Post, Transport, Update, Wake, Width,
};
use crate::error::{Error, Result};
use crate::job::Job;
use crate::job::{Handler, HandlerCall};
use crate::machine::byte_atomic;
use crate::rank::Rank;
use crate::sync::{AtomicU64, Ordering, fence_after_rmw, store_then_fence};
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::fence;

/// The transport between images of one machine.
#[derive(Debug)]
pub struct Local {
    job: Arc<Job>,
    rank: Rank,
    host: u32,
}

impl Local {
    /// The transport of the image `rank`.
    pub fn new(job: Arc<Job>, rank: Rank) -> Local {
        let host = job.entry(rank).host;
        Local { job, rank, host }
    }

    fn at(&self, target: Rank, offset: u64) -> *mut u8 {
        // The end is allowed, too: for no bytes.
        debug_assert!(offset <= self.job.geometry().stride);
        let segment = self.job.segment(target).expect("an image of this machine");
        segment.wrapping_add(offset as usize)
    }
}

// SAFETY: `at` points into the segment of the target, a contiguous part of the region, which stays mapped as long as
// the job that this holds. It panics for images that do not exist or whose segments are elsewhere.
unsafe impl Transport for Local {
    fn host_ptr(&self, target: Rank, offset: u64) -> Option<NonNull<u8>> {
        if self.job.entry(target).host != self.host {
            return None;
        }
        NonNull::new(self.at(target, offset))
    }

    unsafe fn put(
        &self,
        target: Rank,
        offset: u64,
        src: *const u8,
        layout: Layout<'_>,
    ) -> Result<()> {
        let remote = self.at(target, offset);
        // SAFETY: all bytes are valid on both sides by the contract of [`Transport`]. Images that race, as safe programs may,
        // access them atomically per byte, too.
        for_each_run(layout, |r, l, len| unsafe {
            byte_atomic::copy(remote.offset(r), src.offset(l), len);
        });
        Ok(())
    }

    unsafe fn get(
        &self,
        target: Rank,
        offset: u64,
        dst: *mut u8,
        layout: Layout<'_>,
    ) -> Result<()> {
        let remote = self.at(target, offset);
        // SAFETY: as in `put`.
        for_each_run(layout, |r, l, len| unsafe {
            byte_atomic::copy(dst.offset(l), remote.offset(r), len);
        });
        Ok(())
    }

    #[inline]
    unsafe fn post(&self, target: Rank, post: Post<'_>) -> Result<()> {
        let (word, value) = match post {
            Post::Packet { end, parts: [data, header], mark } => {
                let end = self.at(target, end);
                // SAFETY: the parts end there, in memory of the segment that is free by the contract of [`Transport`].
                unsafe {
                    let header_at = end.sub(header.len());
                    let data_at = header_at.sub(data.len());
                    std::ptr::copy_nonoverlapping(data.as_ptr(), data_at, data.len());
                    std::ptr::copy_nonoverlapping(header.as_ptr(), header_at, header.len());
                }
                match mark {
                    Mark::Trailing(value) => (end, value),
                    Mark::Counter { offset, value } => (self.at(target, offset), value),
                }
            }
            Post::Notify { counter, value } | Post::NotifyLate { counter, value } => {
                (self.at(target, counter), value)
            }
        };
        // SAFETY: mark and counter are aligned words in the segment by the contract of [`Transport`].
        // Release: what was stored before is visible to an image that reads the word with acquire order.
        store_then_fence(unsafe { &*word.cast::<AtomicU64>() }, value);
        self.job.entry(target).doorbell.ring_if_parked();
        Ok(())
    }

    unsafe fn atomic(
        &self,
        target: Rank,
        offset: u64,
        width: Width,
        request: AtomicRequest,
    ) -> Result<u64> {
        // SAFETY: an aligned word in the segment, accessed atomically, by the contract of [`Transport::atomic`].
        Ok(unsafe { request.execute(self.at(target, offset), width) })
    }

    unsafe fn signal(
        &self,
        target: Rank,
        offset: u64,
        width: Width,
        update: Update,
        wake: Wake,
    ) -> Result<()> {
        // SAFETY: an aligned word in the segment, accessed atomically, by the contract of [`Transport::signal`]; the
        // gate, too, is a word of the segment.
        unsafe {
            let word = self.at(target, offset);
            match update {
                Update::Add(value) => {
                    fetch_word(AtomicOp::Add, word, width, value);
                }
                Update::Clear(value) => {
                    let found = compare_swap_word(word, width, value, 0);
                    if found != value {
                        return Err(Error::Invalid(format!(
                            "the word at {offset} of {target} is {found}, not {value}"
                        )));
                    }
                }
            }
            // The read-modify-write is the first half of the notifier's protocol.
            fence_after_rmw();
            let rings = |rank| self.job.entry(rank).doorbell.ring_if_parked();
            match wake {
                Wake::Target => rings(target),
                Wake::Sleepers(gate) => {
                    let gate = self.at(target, gate);
                    if fetch_word(AtomicOp::Load, gate, Width::W4, 0) != 0 {
                        self.job.region_ranks().iter().copied().for_each(rings);
                    }
                }
            }
        }
        Ok(())
    }

    fn ring(&self, target: Rank) {
        self.job.entry(target).doorbell.ring();
    }

    fn flush(&self, _scope: FlushScope) -> Result<()> {
        fence(Ordering::SeqCst);
        Ok(())
    }

    fn call(
        &self,
        target: Rank,
        handler: Handler,
        payload: &[u8],
        reply: &mut Vec<u8>,
    ) -> Result<()> {
        (handler.run)(HandlerCall { job: &self.job, origin: self.rank, target }, payload, reply)
    }
}

/// Calls `visit` for the contiguous runs of a layout: the distances on both sides, remote and local, and the length.
#[inline]
fn for_each_run(layout: Layout<'_>, mut visit: impl FnMut(isize, isize, usize)) {
    match layout {
        Layout::Contiguous(len) => visit(0, 0, len),
        Layout::Nest(nest) => {
            nest.for_each(|remote, local| visit(remote as isize, local as isize, nest.unit));
        }
        Layout::Runs(runs) => {
            runs.iter().for_each(|run| visit(run.offset as isize, run.local, run.len));
        }
    }
}
