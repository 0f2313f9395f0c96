//! Long transfers by the fabric's window, where it has one: without the server of the other host.

use super::Origin;
use super::link::{Link, To};
use crate::error::Result;
use crate::rank::Rank;
use crate::server::wire::Request;
use crate::transport::Op;
use std::ptr;

/// Most bytes of one operation: MPI counts with an int.
const MAX_OPERATION: usize = 1 << 30;

impl Origin {
    /// Whether a transfer of `len` bytes uses the window.
    pub(super) fn goes_by_window(&self, len: usize) -> bool {
        self.window && len > self.limits.inline as usize
    }

    /// [`Origin::put`] by the window, checked. A later put must arrive later: messages to this host wait for the
    /// window's operations (`send_request`), and the window waits for messages and for itself, as it keeps no order.
    ///
    /// # Safety
    /// `src` can be read for `len` bytes.
    pub(super) unsafe fn put_by_window(
        &self,
        to: To<'_>,
        offset: u64,
        src: *const u8,
        len: usize,
    ) -> Result<()> {
        self.flush_host(to)?;
        self.rouse(to)?;
        let place = self.in_window(to.target, offset);
        to.link.in_window.set(true);
        for at in (0..len).step_by(MAX_OPERATION) {
            let part = ptr::slice_from_raw_parts(src.wrapping_add(at), MAX_OPERATION.min(len - at));
            let op = self.port.carry(|fabric| {
                let window = fabric.window().expect("there was one at the start");
                // SAFETY: within the `len` bytes of `src` (contract of this method), until `complete_in_window`
                // returns; within the segment, checked.
                unsafe { window.put(to.link.leader, place + at as u64, part) }
            })?;
            self.complete_in_window(to.link, op)?;
        }
        Ok(())
    }

    /// [`Origin::get`] by the window, checked.
    ///
    /// # Safety
    /// `dst` can be written for `len` bytes.
    pub(super) unsafe fn get_by_window(
        &self,
        to: To<'_>,
        offset: u64,
        dst: *mut u8,
        len: usize,
    ) -> Result<()> {
        self.rouse(to)?;
        let place = self.in_window(to.target, offset);
        for at in (0..len).step_by(MAX_OPERATION) {
            let part =
                ptr::slice_from_raw_parts_mut(dst.wrapping_add(at), MAX_OPERATION.min(len - at));
            let op = self.port.carry(|fabric| {
                let window = fabric.window().expect("there was one at the start");
                // SAFETY: within the `len` bytes of `dst` (contract of this method), until `complete_in_window`
                // returns; within the segment, checked.
                unsafe { window.get(to.link.leader, place + at as u64, part) }
            })?;
            self.complete_in_window(to.link, op)?;
        }
        Ok(())
    }

    /// Makes the server of that host poll often. MPI carries out window operations while a thread there calls it, many
    /// times for one long transfer; and a napping server knows nothing of a transfer that is not a message.
    fn rouse(&self, to: To<'_>) -> Result<()> {
        self.send_request(to, &Request::Ring).map(|_| ())
    }

    /// Waits until an operation is done. After an error it continues, for MPI forbids to cancel it (MPI 3.1, section
    /// 11.3.5): the job is ending, or the other end of it has failed.
    fn complete_in_window(&self, link: &Link, op: Op) -> Result<()> {
        self.follow(link, op).0.map(|_| ())
    }

    /// Completes the puts to a host by the window.
    pub(super) fn flush_window(&self, link: &Link) -> Result<()> {
        if !link.in_window.replace(false) {
            return Ok(());
        }
        let flush = |fabric: &mut dyn crate::server::Fabric| {
            fabric.window().expect("there was one at the start").flush(link.leader)
        };
        self.port.carry(flush)
    }

    /// The offset in the window of an offset in a segment.
    fn in_window(&self, target: Rank, offset: u64) -> u64 {
        u64::from(self.peers.slot(target)) * self.job.geometry().stride + offset
    }
}
