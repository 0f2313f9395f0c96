//! Images of one machine: every segment is mapped here, so every operation is a load or a store.
//!
//! Serves images that are threads and images that are processes alike. Between *virtual* hosts it gives
//! out no pointers, so that the layers above take the paths that they take between real hosts.

use super::{AtomicOp, Capabilities, Section, Transport, Width};
use crate::error::Result;
use crate::job::Job;
use crate::rank::Rank;
use crate::sync::Ordering;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, fence};

/// One [`AtomicOp`] on an atomic of either width; sequentially consistent, as the trait promises.
macro_rules! word_op {
    ($word:expr, $op:expr, $operand:expr) => {{
        let (word, operand) = ($word, $operand);
        match $op {
            AtomicOp::Load => word.load(Ordering::SeqCst),
            AtomicOp::Swap => word.swap(operand, Ordering::SeqCst),
            AtomicOp::Add => word.fetch_add(operand, Ordering::SeqCst),
            AtomicOp::And => word.fetch_and(operand, Ordering::SeqCst),
            AtomicOp::Or => word.fetch_or(operand, Ordering::SeqCst),
            AtomicOp::Xor => word.fetch_xor(operand, Ordering::SeqCst),
        }
    }};
}

/// The transport between images of one machine.
#[derive(Debug)]
pub struct Local {
    job: Arc<Job>,
    host: u32,
}

impl Local {
    /// The transport of the image `rank`.
    pub fn new(job: Arc<Job>, rank: Rank) -> Local {
        let host = job.entry(rank).host;
        Local { job, host }
    }

    fn at(&self, target: Rank, offset: u64) -> *mut u8 {
        debug_assert!(offset < self.job.geometry().stride);
        self.job.segment(target).wrapping_add(offset as usize)
    }
}

impl Transport for Local {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            immediate_puts: true,
            ordered_bytes: false,
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
        // SAFETY: the caller's guarantee (see the trait); `copy` because source and target may be one
        // image's memory and overlap.
        unsafe { std::ptr::copy(src, self.at(target, offset), len) };
        Ok(())
    }

    unsafe fn get(&self, target: Rank, offset: u64, dst: *mut u8, len: usize) -> Result<()> {
        // SAFETY: as for `put`.
        unsafe { std::ptr::copy(self.at(target, offset), dst, len) };
        Ok(())
    }

    unsafe fn put_strided(
        &self,
        target: Rank,
        offset: u64,
        src: *const u8,
        section: Section<'_>,
    ) -> Result<()> {
        let remote = self.at(target, offset);
        // SAFETY: the caller's guarantee covers every run of the section.
        section.for_each(|r, l| unsafe {
            std::ptr::copy(src.offset(l), remote.offset(r), section.run);
        });
        Ok(())
    }

    unsafe fn get_strided(
        &self,
        target: Rank,
        offset: u64,
        dst: *mut u8,
        section: Section<'_>,
    ) -> Result<()> {
        let remote = self.at(target, offset);
        // SAFETY: the caller's guarantee covers every run of the section.
        section.for_each(|r, l| unsafe {
            std::ptr::copy(remote.offset(r), dst.offset(l), section.run);
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
        // SAFETY: the caller's guarantee; the counter is an aligned word in the segment.
        unsafe {
            std::ptr::copy_nonoverlapping(src, self.at(target, offset), len);
            // Release: the data is visible to who reads the counter with acquire order.
            (*self.at(target, counter).cast::<AtomicU64>()).store(value, Ordering::Release);
        }
        self.ring(target);
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
        let word = self.at(target, offset);
        // SAFETY: the caller's guarantee: an aligned word in the segment, accessed atomically.
        Ok(unsafe {
            match width {
                Width::W4 => u64::from(word_op!(&*word.cast::<AtomicU32>(), op, operand as u32)),
                Width::W8 => word_op!(&*word.cast::<AtomicU64>(), op, operand),
            }
        })
    }

    unsafe fn compare_swap(
        &self,
        target: Rank,
        offset: u64,
        width: Width,
        expected: u64,
        desired: u64,
    ) -> Result<u64> {
        use Ordering::SeqCst;
        let word = self.at(target, offset);
        // SAFETY: as for `fetch_op`.
        Ok(unsafe {
            match width {
                Width::W4 => {
                    let word = &*word.cast::<AtomicU32>();
                    match word.compare_exchange(expected as u32, desired as u32, SeqCst, SeqCst) {
                        Ok(old) | Err(old) => u64::from(old),
                    }
                }
                Width::W8 => {
                    let word = &*word.cast::<AtomicU64>();
                    match word.compare_exchange(expected, desired, SeqCst, SeqCst) {
                        Ok(old) | Err(old) => old,
                    }
                }
            }
        })
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
}

impl Section<'_> {
    /// Calls `visit(remote, local)` with the byte offsets of every run.
    pub fn for_each(&self, mut visit: impl FnMut(isize, isize)) {
        fn level(dims: &[super::Dim], r: i64, l: i64, visit: &mut impl FnMut(isize, isize)) {
            match dims.split_last() {
                None => visit(r as isize, l as isize),
                Some((outer, inner)) => {
                    for i in 0..outer.extent as i64 {
                        level(inner, r + i * outer.remote, l + i * outer.local, visit);
                    }
                }
            }
        }
        level(self.dims, 0, 0, &mut visit);
    }
}
