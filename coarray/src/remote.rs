//! Memory that this image cannot address: in the segment of an image of another host, or in another process.

use crate::Location;
use xmp_core::nest::Nest;
use xmp_core::process::memory;
use xmp_core::transport::Layout;
use xmp_core::{Image, Rank, Result};

/// An address in memory that this image cannot load from or store to: the transport or the system copies its bytes.
#[derive(Clone, Copy, Debug)]
pub enum RemoteMemory {
    /// In the segment of an image of another host.
    Segment(Location),
    /// At an address of an image's process, in no segment: where a pointer component may point.
    Private {
        /// The image.
        rank: Rank,
        /// The address there.
        address: u64,
    },
}

impl RemoteMemory {
    /// The place `bytes` further on.
    pub fn shifted(self, bytes: i64) -> RemoteMemory {
        match self {
            RemoteMemory::Segment(at) => RemoteMemory::Segment(Location {
                offset: at.offset.wrapping_add_signed(bytes),
                ..at
            }),
            RemoteMemory::Private { rank, address } => {
                RemoteMemory::Private { rank, address: address.wrapping_add_signed(bytes) }
            }
        }
    }

    /// Copies `len` bytes from this memory to `into`.
    ///
    /// # Errors
    /// When the image cannot be reached.
    ///
    /// # Safety
    /// `len` bytes at this address belong to an object of the image, without conflicting access meanwhile; `into` has
    /// room for them.
    pub unsafe fn get(self, image: &Image, into: *mut u8, len: usize) -> Result<()> {
        // SAFETY: an object of `len` bytes without conflicting access lies there, and `into` has room.
        unsafe {
            match self {
                RemoteMemory::Segment(at) => {
                    image.transport().get(at.rank, at.offset, into, Layout::Contiguous(len))
                }
                RemoteMemory::Private { rank, address } => {
                    memory::read(image, rank, address, into, len)
                }
            }
        }
    }

    /// Copies `len` bytes from `from` to this memory.
    ///
    /// # Errors
    /// When the image cannot be reached.
    ///
    /// # Safety
    /// `from` is readable; `len` bytes at this address belong to an object of the image, without conflicting access
    /// meanwhile.
    pub unsafe fn put(self, image: &Image, from: *const u8, len: usize) -> Result<()> {
        // SAFETY: an object of `len` bytes without conflicting access lies there, and `from` is readable.
        unsafe {
            match self {
                RemoteMemory::Segment(at) => {
                    image.transport().put(at.rank, at.offset, from, Layout::Contiguous(len))
                }
                RemoteMemory::Private { rank, address } => {
                    memory::write(image, rank, address, from, len)
                }
            }
        }
    }

    /// Copies the units of a nest from this memory to `into`.
    ///
    /// # Errors
    /// When the image cannot be reached.
    ///
    /// # Safety
    /// The conditions of [`RemoteMemory::get`] hold for each unit.
    pub unsafe fn get_nest(self, image: &Image, into: *mut u8, nest: Nest<'_>) -> Result<()> {
        // SAFETY: each unit lies in an object without conflicting access, and its local side in the buffer.
        unsafe {
            match self {
                RemoteMemory::Segment(at) if !nest.loops.is_empty() => {
                    image.transport().get(at.rank, at.offset, into, Layout::Nest(nest))
                }
                _ => nest.try_for_each(|remote, local| {
                    self.shifted(remote).get(image, into.wrapping_offset(local as isize), nest.unit)
                }),
            }
        }
    }

    /// Copies the units of a nest from `from` to this memory.
    ///
    /// # Errors
    /// When the image cannot be reached.
    ///
    /// # Safety
    /// The conditions of [`RemoteMemory::put`] hold for each unit.
    pub unsafe fn put_nest(self, image: &Image, from: *const u8, nest: Nest<'_>) -> Result<()> {
        // SAFETY: each unit lies in an object without conflicting access, and its local side in the buffer.
        unsafe {
            match self {
                RemoteMemory::Segment(at) if !nest.loops.is_empty() => {
                    image.transport().put(at.rank, at.offset, from, Layout::Nest(nest))
                }
                _ => nest.try_for_each(|remote, local| {
                    self.shifted(remote).put(image, from.wrapping_offset(local as isize), nest.unit)
                }),
            }
        }
    }
}
