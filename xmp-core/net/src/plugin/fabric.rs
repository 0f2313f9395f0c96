//! The fabric of the communication server, by messages of MPI.

use super::{Flavour, Plugin};
use crate::error::{Error, Result};
use crate::rank::Rank;
use crate::server::{Fabric, Op, Tag, Window};
use std::ffi::c_void;

/// Messages between the processes of an MPI job.
#[derive(Debug)]
pub struct MpiFabric {
    plugin: Plugin,
    window: Option<MpiWindow>,
}

/// A window over the segments of all hosts, each at its leader.
#[derive(Debug)]
struct MpiWindow {
    plugin: Plugin,
    number: xmp_plugin::Window,
}

impl Plugin {
    /// The fabric of the communication server, without a window.
    pub fn fabric(&self) -> MpiFabric {
        MpiFabric::new(self.clone(), None)
    }

    /// The fabric with a window over this host's segments, passed by its leader; other images of the host pass none.
    /// Collective over the job.
    ///
    /// # Errors
    /// When MPI has no one-sided access between these hosts; the text gives the launcher's options.
    ///
    /// # Safety
    /// The memory lives until [`Plugin::finish`], and Rust code accesses it only as memory that other processes write
    /// to.
    pub unsafe fn fabric_with_window(&self, segments: Option<*mut [u8]>) -> Result<MpiFabric> {
        let (base, len) = match segments {
            Some(segments) => (segments.cast::<c_void>(), segments.len()),
            None => (std::ptr::null_mut(), 0),
        };
        // SAFETY: the memory lives until `finish` (contract of this method).
        let window = unsafe { self.table.open_window(base, len) }
            .map_err(|error| self.without_window(&error))?;
        Ok(MpiFabric::new(self.clone(), Some(window)))
    }

    /// Why a job does not use windows whose puts may arrive after their flush.
    pub fn with_late_window(&self) -> Error {
        Error::Invalid(format!(
            "setting XMP_MPI_RMA=always: in {} puts over libfabric may arrive after MPI_Win_flush has returned, and later \
             messages would overtake them. Start with  mpirun --mca osc pt2pt  (over InfiniBand: --mca osc ucx) or with  mpirun \
             --mca btl ^ofi , or set XMP_MPI_RMA=never",
            self.library()
        ))
    }

    fn without_window(&self, error: &Error) -> Error {
        let advice = match self.flavour {
            // Open MPI 5 has no `pt2pt`; its `rdma` works over TCP.
            Flavour::OpenMpi if self.library().starts_with("Open MPI v4") => {
                "Start with  mpirun --mca osc pt2pt  (over InfiniBand: --mca osc ucx), or"
            }
            Flavour::OpenMpi => {
                "Start with  mpirun --mca osc rdma  (over InfiniBand: --mca osc ucx), or"
            }
            Flavour::Mpich => "To do without,",
        };
        Error::Invalid(format!(
            "{} has no one-sided access to memory between these hosts: {error}. {advice} set XMP_MPI_RMA=never",
            self.library()
        ))
    }
}

impl MpiFabric {
    pub(super) fn new(plugin: Plugin, window: Option<xmp_plugin::Window>) -> MpiFabric {
        let window = window.map(|number| MpiWindow { plugin: plugin.clone(), number });
        MpiFabric { plugin, window }
    }
}

impl Fabric for MpiFabric {
    fn rank(&self) -> Rank {
        self.plugin.rank()
    }

    unsafe fn send(&mut self, to: Rank, tag: Tag, bytes: *const [u8]) -> Result<Op> {
        // SAFETY: the bytes are valid until the operation is over, by the contract of [`Fabric::send`].
        unsafe { self.plugin.table.send(to, tag, bytes) }
    }

    unsafe fn receive(&mut self, from: Rank, tag: Tag, bytes: *mut [u8]) -> Result<Op> {
        // SAFETY: the bytes are valid until the operation is over, by the contract of [`Fabric::receive`].
        unsafe { self.plugin.table.receive(Some(from), tag, bytes) }
    }

    unsafe fn receive_any(&mut self, tag: Tag, bytes: *mut [u8]) -> Result<Op> {
        // SAFETY: the bytes are valid until the operation is over, by the contract of [`Fabric::receive_any`].
        unsafe { self.plugin.table.receive(None, tag, bytes) }
    }

    fn test(&mut self, op: Op) -> Result<Option<(Rank, usize)>> {
        let done = self.plugin.table.test(op)?;
        Ok(done.map(|(source, bytes)| (Rank::new(source), bytes as usize)))
    }

    fn cancel(&mut self, op: Op) -> Result<bool> {
        self.plugin.table.cancel(op)
    }

    fn window(&mut self) -> Option<&mut dyn Window> {
        self.window.as_mut().map(|window| window as &mut dyn Window)
    }
}

impl Window for MpiWindow {
    unsafe fn put(&mut self, leader: Rank, offset: u64, bytes: *const [u8]) -> Result<Op> {
        // SAFETY: the bytes are valid until the operation is over, and the place is in the window, by the contract of
        // [`Window::put`].
        unsafe { self.plugin.table.window_put(self.number, leader, offset, bytes) }
    }

    unsafe fn get(&mut self, leader: Rank, offset: u64, bytes: *mut [u8]) -> Result<Op> {
        // SAFETY: the bytes are valid until the operation is over, and the place is in the window, by the contract of
        // [`Window::get`].
        unsafe { self.plugin.table.window_get(self.number, leader, offset, bytes) }
    }

    fn flush(&mut self, leader: Rank) -> Result<()> {
        self.plugin.table.window_flush(self.number, leader)
    }
}
