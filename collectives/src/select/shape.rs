//! The choice on a host, by the shape of an operation.

use super::names::HostReduce;
use super::table::{self, Line, measured};
use crate::host::reduce::{copy_in, sliced, slots};
use xmp_core::Image;
use xmp_core::coll_area::SLOT_DATA;
use xmp_core::machine;

/// The properties of an operation on a host that decide which algorithm it uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Bytes that each member gives.
    pub bytes: usize,
    /// Number of members of the collective area.
    pub members: usize,
    /// Whether images share cores, so that a barrier costs microseconds.
    pub crowded: bool,
    /// Bytes of a chunk for algorithms that work on one chunk at a time.
    pub chunk: usize,
}

impl Shape {
    /// The shape of an operation of `members` on the host of `image`.
    #[inline]
    pub fn new(image: &Image, bytes: usize, members: usize) -> Shape {
        let page = image.job().page();
        Shape { bytes, members, crowded: page.waiting.crowded != 0, chunk: page.chunk as usize }
    }

    /// Whether operands in segments are used where they are. Operands that fit in a slot go there: one barrier, not two.
    #[inline]
    pub(super) fn directly(self, lines: &'static [Line<bool>]) -> bool {
        self.bytes > SLOT_DATA && self.find(lines)
    }

    #[inline]
    fn find<A: Copy>(self, lines: &'static [Line<A>]) -> A {
        table::find(lines, self.members, self.crowded, self.bytes)
    }

    /// The algorithm of a reduction of elements of `element` bytes, for all members or for one of them.
    pub fn reduce(
        self,
        element: usize,
        for_all: bool,
        forced: Option<HostReduce>,
    ) -> Choice<HostReduce> {
        let fits = |algorithm: &HostReduce| match algorithm {
            HostReduce::Slots => element <= slots::LONGEST,
            HostReduce::CopyIn => element <= copy_in::LONGEST,
            HostReduce::Sliced => element <= sliced::MAX_CHUNK,
            HostReduce::Direct | HostReduce::Grouped | HostReduce::Messages => true,
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

    /// The same for an operation of the program, which may take longer than all else: of operands longer than a slot
    /// each element is combined on one member only, so that all members together call the operation once for each
    /// operand but the first.
    pub fn reduce_by_program(
        self,
        element: usize,
        for_all: bool,
        forced: Option<HostReduce>,
    ) -> Choice<HostReduce> {
        let choice = self.reduce(element, for_all, forced);
        let repeats = for_all && forced.is_none() && choice.otherwise == HostReduce::CopyIn;
        let otherwise = if repeats && element <= sliced::MAX_CHUNK {
            HostReduce::Sliced
        } else {
            choice.otherwise
        };
        Choice { otherwise, ..choice }
    }

    /// Bytes of a chunk for algorithms in which a member writes a chunk while others read another.
    pub fn pipelined_chunk(self) -> usize {
        machine::pipelined_chunk(self.chunk, self.crowded)
    }
}

/// The forced algorithm, or `table` and `direct` if it `may` be used.
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

/// The algorithm that was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice<A> {
    /// Whether the images try first to work straight in segments.
    pub direct: bool,
    /// The algorithm that they use otherwise.
    pub otherwise: A,
}
