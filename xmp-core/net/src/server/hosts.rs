//! The transport of a job of several hosts: images of this host are reached by loads and stores, remote ones through
//! the server of their host.

use super::{Origin, Peers, Port};
use crate::error::Result;
use crate::job::Handler;
use crate::job::Job;
use crate::nest::Nest;
use crate::rank::Rank;
use crate::settings::Limits;
use crate::transport::{
    AtomicOp, Capabilities, Local, Mark, Rendezvous, Run, Transport, Update, Wake, Width,
};
use crate::wait::Background;
use std::ptr::NonNull;
use std::sync::Arc;

/// The transport of a job of several hosts. Its puts complete later, so it must be wrapped in
/// [`crate::transport::ProgramOrder`].
#[derive(Debug)]
pub struct Hosts {
    near: Local,
    far: Origin,
}

impl Hosts {
    /// The transport of the image that `peers` describes, on the host of `job`.
    pub fn new(job: Arc<Job>, peers: Arc<Peers>, port: Arc<Port>, limits: Limits) -> Hosts {
        Hosts {
            near: Local::new(job.clone(), peers.me()),
            far: Origin::new(port, job, peers, limits),
        }
    }

    #[inline(always)]
    fn is_near(&self, target: Rank) -> bool {
        self.far.is_here(target)
    }
}

// SAFETY: the pointers are those of `near`, which lives as long.
unsafe impl Transport for Hosts {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            immediate_puts: false,
            // The server writes a packet in the same order as `near` does.
            ordered_bytes: true,
            needs_registration: false,
            independent_progress: true,
        }
    }

    fn host_ptr(&self, target: Rank, offset: u64) -> Option<NonNull<u8>> {
        match self.is_near(target) {
            true => self.near.host_ptr(target, offset),
            false => None,
        }
    }

    unsafe fn put(&self, target: Rank, offset: u64, src: *const u8, len: usize) -> Result<()> {
        // SAFETY: memory and offsets are valid by the contract of [`Transport`], which both sides share.
        unsafe {
            match self.is_near(target) {
                true => self.near.put(target, offset, src, len),
                false => self.far.put(target, offset, src, len),
            }
        }
    }

    unsafe fn get(&self, target: Rank, offset: u64, dst: *mut u8, len: usize) -> Result<()> {
        // SAFETY: memory and offsets are valid by the contract of [`Transport`], which both sides share.
        unsafe {
            match self.is_near(target) {
                true => self.near.get(target, offset, dst, len),
                false => self.far.get(target, offset, dst, len),
            }
        }
    }

    unsafe fn put_strided(
        &self,
        target: Rank,
        offset: u64,
        src: *const u8,
        nest: Nest<'_>,
    ) -> Result<()> {
        // SAFETY: memory and offsets are valid by the contract of [`Transport`], which both sides share.
        unsafe {
            match self.is_near(target) {
                true => self.near.put_strided(target, offset, src, nest),
                false => self.far.put_strided(target, offset, src, nest),
            }
        }
    }

    unsafe fn get_strided(
        &self,
        target: Rank,
        offset: u64,
        dst: *mut u8,
        nest: Nest<'_>,
    ) -> Result<()> {
        // SAFETY: memory and offsets are valid by the contract of [`Transport`], which both sides share.
        unsafe {
            match self.is_near(target) {
                true => self.near.get_strided(target, offset, dst, nest),
                false => self.far.get_strided(target, offset, dst, nest),
            }
        }
    }

    unsafe fn put_runs(&self, target: Rank, src: *const u8, runs: &[Run]) -> Result<()> {
        // SAFETY: memory and offsets of each run are valid by the contract of [`Transport`], which both sides share.
        unsafe {
            match self.is_near(target) {
                true => self.near.put_runs(target, src, runs),
                false => self.far.put_runs(target, src, runs),
            }
        }
    }

    unsafe fn get_runs(&self, target: Rank, dst: *mut u8, runs: &[Run]) -> Result<()> {
        // SAFETY: memory and offsets of each run are valid by the contract of [`Transport`], which both sides share.
        unsafe {
            match self.is_near(target) {
                true => self.near.get_runs(target, dst, runs),
                false => self.far.get_runs(target, dst, runs),
            }
        }
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
        // SAFETY: data and counter are valid by the contract of [`Transport`], which both sides share.
        unsafe {
            match self.is_near(target) {
                true => self.near.put_notify(target, offset, src, len, counter, value),
                false => self.far.put_notify(target, offset, src, len, counter, value),
            }
        }
    }

    unsafe fn tell(&self, target: Rank, counter: u64, value: u64) -> Result<()> {
        match self.is_near(target) {
            // SAFETY: the counter is valid by the contract of [`Transport::tell`].
            true => unsafe { self.near.tell(target, counter, value) },
            false => self.far.tell(target, counter, value),
        }
    }

    unsafe fn put_packet(
        &self,
        target: Rank,
        end: u64,
        parts: [&[u8]; 2],
        mark: Mark,
    ) -> Result<()> {
        match self.is_near(target) {
            // SAFETY: slot and mark are valid by the contract of [`Transport::put_packet`].
            true => unsafe { self.near.put_packet(target, end, parts, mark) },
            false => self.far.put_packet(target, end, parts, mark),
        }
    }

    unsafe fn fetch_op(
        &self,
        op: AtomicOp,
        target: Rank,
        offset: u64,
        width: Width,
        operand: u64,
    ) -> Result<u64> {
        match self.is_near(target) {
            // SAFETY: an aligned word, accessed atomically, by the contract of [`Transport::fetch_op`].
            true => unsafe { self.near.fetch_op(op, target, offset, width, operand) },
            false => self.far.fetch_op(op, target, offset, width, operand),
        }
    }

    unsafe fn compare_swap(
        &self,
        target: Rank,
        offset: u64,
        width: Width,
        expected: u64,
        desired: u64,
    ) -> Result<u64> {
        match self.is_near(target) {
            // SAFETY: an aligned word, accessed atomically, by the contract of [`Transport::compare_swap`].
            true => unsafe { self.near.compare_swap(target, offset, width, expected, desired) },
            false => self.far.compare_swap(target, offset, width, expected, desired),
        }
    }

    unsafe fn signal(
        &self,
        target: Rank,
        offset: u64,
        width: Width,
        update: Update,
        wake: Wake,
    ) -> Result<()> {
        match self.is_near(target) {
            // SAFETY: an aligned word, accessed atomically, by the contract of [`Transport::signal`].
            true => unsafe { self.near.signal(target, offset, width, update, wake) },
            false => self.far.signal(target, offset, width, update, wake),
        }
    }

    fn ring(&self, target: Rank) {
        match self.is_near(target) {
            true => self.near.ring(target),
            // After an error the job is ending, or the host is gone with the image: there is nothing to wake.
            false => self.far.ring(target).unwrap_or(()),
        }
    }

    fn flush(&self, target: Rank) -> Result<()> {
        match self.is_near(target) {
            true => self.near.flush(target),
            false => self.far.flush(target),
        }
    }

    fn flush_all(&self) -> Result<()> {
        self.near.flush_all()?;
        self.far.flush_all()
    }

    fn flush_for(&self, target: Rank) -> Result<()> {
        match self.is_near(target) {
            true => self.flush_all(),
            false => self.far.flush_but(target),
        }
    }

    fn finish(&self) -> Result<()> {
        self.near.flush_all()?;
        self.far.finish()
    }

    fn call(
        &self,
        target: Rank,
        handler: Handler,
        payload: &[u8],
        reply: &mut Vec<u8>,
    ) -> Result<()> {
        match self.is_near(target) {
            true => self.near.call(target, handler, payload, reply),
            false => self.far.call(target, handler.number, payload, reply),
        }
    }

    fn rendezvous(&self, partner: Rank) -> Option<&dyn Rendezvous> {
        (!self.is_near(partner)).then_some(&self.far as &dyn Rendezvous)
    }

    fn behind_waits(&self) -> Option<&dyn Background> {
        let port = self.far.port();
        port.leads().then_some(&**port as &dyn Background)
    }
}
