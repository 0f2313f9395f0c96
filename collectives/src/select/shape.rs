//! The choice on a host, by the shape of an operation.

use super::names::{HostAllgather, HostBroadcast, HostReduce};
use super::table::{self, Line, measured};
use crate::host::reduce::{copy_in, sliced, slots};
use xmp_core::Image;
use xmp_core::coll_area::SLOT_DATA;

/// What an algorithm is chosen by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Bytes that each member brings.
    pub bytes: usize,
    /// Members that share this host.
    pub members: usize,
    /// Whether images share cores, so that a step costs microseconds.
    pub crowded: bool,
}

impl Shape {
    /// The shape of an operation of `members` on the host of `image`.
    #[inline]
    pub fn new(image: &Image, bytes: usize, members: usize) -> Shape {
        Shape { bytes, members, crowded: image.job().page().waiting.crowded != 0 }
    }

    /// Whether operands are used where they are in segments. What fits into a slot goes there: one step, not two.
    #[inline]
    fn directly(self, lines: &'static [Line<bool>]) -> bool {
        self.bytes > SLOT_DATA && self.find(lines)
    }

    #[inline]
    fn find<A: Copy>(self, lines: &'static [Line<A>]) -> A {
        table::find(lines, self.members, self.crowded, self.bytes)
    }

    /// Whether parts in segments are copied straight from there or to there.
    pub(super) fn part_directly(self) -> bool {
        self.directly(measured::DIRECT_ALLGATHER)
    }

    /// How a reduction of elements of `element` bytes is made, for all members or for one of them.
    pub fn reduce(
        self,
        element: usize,
        for_all: bool,
        forced: Option<HostReduce>,
    ) -> Choice<HostReduce> {
        let fits = |algorithm: &HostReduce| match algorithm {
            HostReduce::Slots => element <= slots::LONGEST,
            HostReduce::CopyIn => element <= copy_in::LONGEST,
            HostReduce::Sliced => element <= sliced::MOST,
            HostReduce::Direct | HostReduce::Messages => true,
        };
        let (tables, direct) = if for_all {
            (measured::HOST_ALLREDUCE, measured::DIRECT_ALLREDUCE)
        } else {
            (measured::HOST_REDUCE, measured::DIRECT_REDUCE)
        };
        let staged = match self.bytes {
            0..=SLOT_DATA => HostReduce::Slots,
            _ => self.find(tables),
        };
        let staged = if fits(&staged) { staged } else { HostReduce::Messages };
        choice(forced.filter(fits), HostReduce::Direct, self.directly(direct), staged)
    }

    /// How data is broadcast.
    pub fn broadcast(self, forced: Option<HostBroadcast>) -> Choice<HostBroadcast> {
        let staged = match self.bytes {
            0..=SLOT_DATA => HostBroadcast::Slots,
            _ => HostBroadcast::Staged,
        };
        choice(forced, HostBroadcast::Direct, self.directly(measured::DIRECT_BROADCAST), staged)
    }

    /// How contributions are gathered.
    pub fn allgather(self, forced: Option<HostAllgather>) -> Choice<HostAllgather> {
        let staged = match self.bytes {
            0..=SLOT_DATA => HostAllgather::Slots,
            _ => HostAllgather::Staged,
        };
        choice(forced, HostAllgather::Direct, self.part_directly(), staged)
    }

    /// Bytes of a chunk where nothing is gained by working on two at a time: few steps.
    pub fn chunk(self) -> usize {
        self.find(measured::CHUNK)
    }

    /// Bytes of a chunk where a member writes one while others read another.
    pub fn pipelined_chunk(self) -> usize {
        self.find(measured::PIPELINED_CHUNK)
    }
}

pub(super) fn choice<A: PartialEq + Copy>(
    forced: Option<A>,
    direct: A,
    may: bool,
    table: A,
) -> Choice<A> {
    match forced {
        Some(forced) if forced == direct => Choice { direct: true, otherwise: table },
        Some(forced) => Choice { direct: false, otherwise: forced },
        None => Choice { direct: may, otherwise: table },
    }
}

/// What was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice<A> {
    /// Whether to try first to do it straight from segments.
    pub direct: bool,
    /// The algorithm to use otherwise.
    pub otherwise: A,
}
