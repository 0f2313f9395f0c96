//! The transport of one machine: every segment is mapped in this process, so every operation is a load or a store.
//!
//! It serves images that are threads and images that are processes alike. Between *virtual* hosts it returns no
//! pointers, so that the layers above take the paths that they take between real hosts.

use super::word::{compare_swap_word, fetch_word};
use super::{AtomicOp, Capabilities, Mark, Transport, Update, Wake, Width};
use crate::error::{Error, Result};
use crate::job::Job;
use crate::job::{Handler, Served};
use crate::nest::Nest;
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
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            immediate_puts: true,
            // Stores of one processor become visible in their order to a reader of the last one: it is made with
            // release order and read with acquire order, see `put_packet`.
            ordered_bytes: true,
            needs_registration: false,
            independent_progress: true,
        }
    }

    fn host_ptr(&self, target: Rank, offset: u64) -> Option<NonNull<u8>> {
        if self.job.entry(target).host != self.host {
            return None;
        }
        NonNull::new(self.at(target, offset))
    }

    unsafe fn put(&self, target: Rank, offset: u64, src: *const u8, len: usize) -> Result<()> {
        // SAFETY: both ranges are valid by the contract of [`Transport`]; `copy` because they may be one image's memory
        // and overlap.
        unsafe { std::ptr::copy(src, self.at(target, offset), len) };
        Ok(())
    }

    unsafe fn get(&self, target: Rank, offset: u64, dst: *mut u8, len: usize) -> Result<()> {
        // SAFETY: both ranges are valid by the contract of [`Transport`]; `copy` because they may be one image's memory
        // and overlap.
        unsafe { std::ptr::copy(self.at(target, offset), dst, len) };
        Ok(())
    }

    unsafe fn put_strided(
        &self,
        target: Rank,
        offset: u64,
        src: *const u8,
        nest: Nest<'_>,
    ) -> Result<()> {
        let remote = self.at(target, offset);
        // SAFETY: every unit of the nest is valid on both sides by the contract of [`Transport`].
        nest.for_each(|r, l| unsafe {
            std::ptr::copy(src.offset(l as isize), remote.offset(r as isize), nest.unit);
        });
        Ok(())
    }

    unsafe fn get_strided(
        &self,
        target: Rank,
        offset: u64,
        dst: *mut u8,
        nest: Nest<'_>,
    ) -> Result<()> {
        let remote = self.at(target, offset);
        // SAFETY: every unit of the nest is valid on both sides by the contract of [`Transport`].
        nest.for_each(|r, l| unsafe {
            std::ptr::copy(remote.offset(r as isize), dst.offset(l as isize), nest.unit);
        });
        Ok(())
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
        // SAFETY: both ranges are valid by the contract of [`Transport`]; the counter is an aligned word in the
        // segment.
        unsafe {
            std::ptr::copy_nonoverlapping(src, self.at(target, offset), len);
            // Release: the data is visible to an image that reads the counter with acquire order.
            store_then_fence(&*self.at(target, counter).cast::<AtomicU64>(), value);
        }
        self.job.entry(target).doorbell.ring_if_parked();
        Ok(())
    }

    #[inline]
    unsafe fn put_packet(
        &self,
        target: Rank,
        end: u64,
        parts: [&[u8]; 2],
        mark: Mark,
    ) -> Result<()> {
        let end = self.at(target, end);
        let (word, value) = match mark {
            Mark::Trailing(value) => (end, value),
            Mark::Counter { offset, value } => (self.at(target, offset), value),
        };
        let [data, header] = parts;
        // SAFETY: the slot is valid and free by the contract of [`Transport`]; mark and counter are aligned words in
        // the segment.
        unsafe {
            let header_at = end.sub(header.len());
            let data_at = header_at.sub(data.len());
            std::ptr::copy_nonoverlapping(data.as_ptr(), data_at, data.len());
            std::ptr::copy_nonoverlapping(header.as_ptr(), header_at, header.len());
            // Release: the packet is visible to an image that reads the word with acquire order.
            store_then_fence(&*word.cast::<AtomicU64>(), value);
        }
        self.job.entry(target).doorbell.ring_if_parked();
        Ok(())
    }

    unsafe fn fetch_op(
        &self,
        op: AtomicOp,
        target: Rank,
        offset: u64,
        width: Width,
        operand: u64,
    ) -> Result<u64> {
        // SAFETY: an aligned word in the segment, accessed atomically, by the contract of [`Transport::fetch_op`].
        Ok(unsafe { fetch_word(op, self.at(target, offset), width, operand) })
    }

    unsafe fn compare_swap(
        &self,
        target: Rank,
        offset: u64,
        width: Width,
        expected: u64,
        desired: u64,
    ) -> Result<u64> {
        // SAFETY: an aligned word in the segment, accessed atomically, by the contract of [`Transport::compare_swap`].
        Ok(unsafe { compare_swap_word(self.at(target, offset), width, expected, desired) })
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

    fn flush(&self, _target: Rank) -> Result<()> {
        fence(Ordering::SeqCst);
        Ok(())
    }

    fn flush_all(&self) -> Result<()> {
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
        (handler.run)(Served { job: &self.job, origin: self.rank, target }, payload, reply)
    }
}
