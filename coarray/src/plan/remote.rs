//! Memory that this image cannot address, and the forms in which a transport reaches it.
//!
//! The memory is in the segment of an image of another host, or in another process. A plan reaches it as nests of loops
//! or as runs of bytes. Accesses fail when the image cannot be reached, visits with the first error of `visit`.

use super::shape::{Dim, Plan, Step};
use crate::Location;
use smallvec::SmallVec;
use xmp_core::line_cache::Content;
use xmp_core::nest::{Loop, Nest};
use xmp_core::process::memory;
use xmp_core::transport::{Layout, Run};
use xmp_core::{Image, Rank, Result};

/// Longest nest that is divided into runs, in bytes; beside a longer one its own message costs little.
const MAX_NEST_IN_RUNS: usize = 1 << 10;
/// Most runs that are collected for one call; the transport divides them into messages.
const MAX_RUNS: usize = 1 << 14;

/// The side of a plan that is in the segment of the other image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Remote {
    /// The destination: a put.
    Destination,
    /// The source: a get.
    Source,
}

impl Plan<'_> {
    /// Whether the plan consists of several short nests, as vector subscripts make them. Their runs of bytes then travel
    /// together ([`Plan::for_each_batch`]).
    fn is_scattered(&self) -> bool {
        let is_grid =
            |dim: &&Dim<'_>| matches!((dim.dst, dim.src), (Step::Stride(_), Step::Stride(_)));
        if self.dims.iter().all(|dim| is_grid(&dim)) {
            return false;
        }
        let extents = self.dims.iter().filter(is_grid).map(|dim| dim.extent);
        extents.fold(self.dst.unit, usize::saturating_mul) <= MAX_NEST_IN_RUNS
    }

    /// Calls `visit` with the runs of the plan in its order, up to [`MAX_RUNS`] at a time. `base` is the offset or
    /// address of the remote side, and the runs have such ones.
    ///
    /// # Panics
    /// For an element-wise plan with units of two sizes, as [`Plan::for_each_nest`].
    fn for_each_batch(
        &self,
        remote: Remote,
        base: u64,
        mut visit: impl FnMut(&[Run]) -> Result<()>,
    ) -> Result<()> {
        let mut runs = Vec::new();
        self.for_each_nest(remote, |remote_base, local_base, nest| {
            nest.try_for_each(|remote, local| {
                if runs.len() == MAX_RUNS {
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
    fn for_each_nest(
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
        // SAFETY: an object of `len` bytes without conflicting access is there, and `into` has room.
        unsafe {
            match self {
                RemoteMemory::Segment(at) => {
                    image.transport().get(at.rank, at.offset, into, Layout::Contiguous(len))
                }
                RemoteMemory::Private { rank, address } => {
                    memory::read_variable(image, rank, address, (into, len), Content::Values)
                }
            }
        }
    }

    /// Copies `len` bytes of a descriptor, or of what describes a block of memory, to `into`
    /// ([`Transport::get_descriptor`](xmp_core::transport::Transport::get_descriptor)).
    ///
    /// # Safety
    /// That of [`RemoteMemory::get`].
    pub unsafe fn get_descriptor(self, image: &Image, into: *mut u8, len: usize) -> Result<()> {
        // SAFETY: the same contract.
        unsafe {
            match self {
                RemoteMemory::Segment(at) => {
                    image.transport().get_descriptor(at.rank, at.offset, into, len)
                }
                RemoteMemory::Private { rank, address } => {
                    memory::read_variable(image, rank, address, (into, len), Content::Descriptors)
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
        // SAFETY: an object of `len` bytes without conflicting access is there, and `from` is readable.
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

    /// Copies the bytes of a plan from this memory to `into`.
    ///
    /// # Safety
    /// The bytes of the plan at this address belong to an object of the image, without conflicting access meanwhile; `into`
    /// has room for the bytes of the plan.
    pub unsafe fn get_plan(self, image: &Image, into: *mut u8, plan: &Plan<'_>) -> Result<()> {
        // SAFETY: every run and nest of the plan is within the bytes of its sides.
        unsafe {
            match self {
                RemoteMemory::Segment(at) if plan.is_scattered() => {
                    plan.for_each_batch(Remote::Source, at.offset, |runs| {
                        image.transport().get(at.rank, 0, into, Layout::Runs(runs))
                    })
                }
                RemoteMemory::Segment(at) => {
                    plan.for_each_nest(Remote::Source, |remote, local, nest| {
                        let offset = at.offset.wrapping_add_signed(remote);
                        let into = into.wrapping_offset(local as isize);
                        image.transport().get(at.rank, offset, into, layout(nest))
                    })
                }
                RemoteMemory::Private { rank, address } => {
                    plan.for_each_batch(Remote::Source, address, |runs| match *runs {
                        [Run { offset, local, len }] => {
                            let place = (into.wrapping_offset(local), len);
                            memory::read_variable(image, rank, offset, place, Content::Values)
                        }
                        _ => memory::read_runs(image, rank, into, runs),
                    })
                }
            }
        }
    }

    /// Copies the bytes of a plan from `from` to this memory.
    ///
    /// # Safety
    /// The bytes of the plan at this address belong to an object of the image, without conflicting access meanwhile; those
    /// at `from` are readable.
    pub unsafe fn put_plan(self, image: &Image, from: *const u8, plan: &Plan<'_>) -> Result<()> {
        // SAFETY: every run and nest of the plan is within the bytes of its sides.
        unsafe {
            match self {
                RemoteMemory::Segment(at) if plan.is_scattered() => {
                    plan.for_each_batch(Remote::Destination, at.offset, |runs| {
                        image.transport().put(at.rank, 0, from, Layout::Runs(runs))
                    })
                }
                RemoteMemory::Segment(at) => {
                    plan.for_each_nest(Remote::Destination, |remote, local, nest| {
                        let offset = at.offset.wrapping_add_signed(remote);
                        let from = from.wrapping_offset(local as isize);
                        image.transport().put(at.rank, offset, from, layout(nest))
                    })
                }
                RemoteMemory::Private { rank, address } => {
                    plan.for_each_batch(Remote::Destination, address, |runs| {
                        memory::write_runs(image, rank, from, runs)
                    })
                }
            }
        }
    }
}

/// The simplest layout of a nest.
fn layout(nest: Nest<'_>) -> Layout<'_> {
    if nest.loops.is_empty() { Layout::Contiguous(nest.unit) } else { Layout::Nest(nest) }
}
