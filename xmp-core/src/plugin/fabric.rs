//! The fabric of the communication server, by messages of MPI.

use super::Plugin;
use crate::error::Result;
use crate::rank::Rank;
use crate::server::{Fabric, Op, Tag, Window};

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
