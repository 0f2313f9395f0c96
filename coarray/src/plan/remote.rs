//! Memory that this image cannot address, and the forms in which a transport reaches it.
//!
//! The memory is in the segment of an image of another host, or in another process. A plan reaches it as nests of loops
//! or as runs of bytes. Accesses fail when the image cannot be reached, visits with the first error of `visit`.

use super::shape::{Dim, Plan, Step};
use crate::Location;
use smallvec::SmallVec;
use xmp_core::nest::{Loop, Nest};
use xmp_core::process::memory;
use xmp_core::transport::{Layout, Run};
use xmp_core::{Image, Rank, Result};

/// Longest nest that is divided into runs, in bytes; beside a longer one its own message costs little.
const SHORT: usize = 1 << 10;
/// Most runs that are collected for one call; the transport divides them into messages.
const MOST: usize = 1 << 10;

/// Which side of a plan lies in the segment of the other image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remote {
    /// The destination: a put.
    Destination,
    /// The source: a get.
    Source,
}

impl Plan<'_> {
    /// Whether the plan consists of several short nests, as vector subscripts make them. Their runs of bytes then travel
    /// together ([`Plan::for_each_batch`]).
    pub fn is_scattered(&self) -> bool {
        let is_grid =
            |dim: &&Dim<'_>| matches!((dim.dst, dim.src), (Step::Stride(_), Step::Stride(_)));
        if self.dims.iter().all(|dim| is_grid(&dim)) {
            return false;
        }
        let extents = self.dims.iter().filter(is_grid).map(|dim| dim.extent);
        extents.fold(self.dst.unit, usize::saturating_mul) <= SHORT
    }

    /// Calls `visit` with the runs of the plan in its order, up to 1024 at a time. `base` is the segment offset of the
    /// remote side.
    ///
    /// # Panics
    /// For an element-wise plan with units of two sizes, as [`Plan::for_each_nest`].
    pub fn for_each_batch(
        &self,
        remote: Remote,
        base: u64,
        mut visit: impl FnMut(&[Run]) -> Result<()>,
    ) -> Result<()> {
        let mut runs = Vec::new();
        self.for_each_nest(remote, |remote_base, local_base, nest| {
            nest.try_for_each(|remote, local| {
                if runs.len() == MOST {
                    visit(&runs)?;
                    runs.clear();
                }
                let offset = base.wrapping_add_signed(remote_base + remote);
                runs.push(Run { offset, local: (local_base + local) as isize, len: nest.unit });
                Ok(())
            })
        })?;
        if runs.is_empty() { Ok(()) } else { visit(&runs) }
    }

    /// Calls `visit(remote, local, nest)` for nests that together are the plan: one, unless
    /// dimensions have vector subscripts, whose elements are visited one by one. `remote` and `local` are
    /// byte offsets from the bases of the two sides.
    ///
    /// # Panics
    /// For an element-wise plan with units of two sizes: what changes elements goes through a buffer.
    pub fn for_each_nest(
        &self,
        remote: Remote,
        mut visit: impl FnMut(i64, i64, Nest<'_>) -> Result<()>,
    ) -> Result<()> {
        assert_eq!(self.dst.unit, self.src.unit, "a nest moves bytes, it does not change them");
        if self.elements == 0 {
            return Ok(());
        }
        let mut loops: SmallVec<[Loop; 4]> = SmallVec::new();
        let mut lists: SmallVec<[&Dim<'_>; 2]> = SmallVec::new();
        for dim in &self.dims {
            match (dim.dst, dim.src) {
                (Step::Stride(dst), Step::Stride(src)) => {
                    let (remote, local) = match remote {
                        Remote::Destination => (dst, src),
                        Remote::Source => (src, dst),
                    };
                    loops.push(Loop { extent: dim.extent, remote, local });
                }
                _ => lists.push(dim),
            }
        }
        let nest = Nest { unit: self.dst.unit, loops: &loops };
        each_index(&lists, self.dst.start, self.src.start, &mut |dst, src| match remote {
            Remote::Destination => visit(dst, src, nest),
            Remote::Source => visit(src, dst, nest),
        })
    }
}

/// Calls `visit` with the offsets of both sides for every combination of elements of `lists`.
fn each_index(
    lists: &[&Dim<'_>],
    dst: i64,
    src: i64,
    visit: &mut impl FnMut(i64, i64) -> Result<()>,
) -> Result<()> {
    let Some((outer, inner)) = lists.split_last() else { return visit(dst, src) };
    let at = |step: Step<'_>, i: usize| match step {
        Step::Stride(stride) => stride * i as i64,
        Step::Index(offsets) => offsets[i],
    };
    (0..outer.extent)
        .try_for_each(|i| each_index(inner, dst + at(outer.dst, i), src + at(outer.src, i), visit))
}

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
