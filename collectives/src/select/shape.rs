//! The choice on a host, by the shape of an operation.

use super::names::{HostAllgather, HostBroadcast, HostReduce};
use crate::host::reduce::{mirrored, sliced, slots};
use xmp_core::Image;
use xmp_core::board::{SLOT_DATA, STAGING};

/// Bytes from which it is worth saying whether operands are in segments.
pub(super) const DIRECT_FROM: usize = 64 << 10;

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

    /// How a reduction of elements of `element` bytes is made, for all members or for one of them.
    pub fn reduce(
        self,
        element: usize,
        for_all: bool,
        forced: Option<HostReduce>,
    ) -> Choice<HostReduce> {
        let fits = |algorithm: &HostReduce| match algorithm {
            HostReduce::Slots => element <= slots::LONGEST,
            HostReduce::Mirrored => element <= mirrored::LONGEST,
            HostReduce::Sliced => element <= sliced::MOST,
            HostReduce::Direct | HostReduce::Messages => true,
        };
        // From where the work that `mirrored` repeats costs more than the step that `sliced` adds.
        let mirrored_up_to = match (self.members, self.crowded) {
            (2, _) if for_all => 2 << 20,
            (2, _) => usize::MAX,
            (members, true) => (96 << 10) / members,
            (members, false) => (32 << 10) / members,
        };
        let staged = match self.bytes {
            0..=SLOT_DATA => HostReduce::Slots,
            bytes if bytes <= mirrored_up_to => HostReduce::Mirrored,
            _ => HostReduce::Sliced,
        };
        let staged = if fits(&staged) { staged } else { HostReduce::Messages };
        let direct = self.bytes >= DIRECT_FROM;
        choice(forced.filter(fits), HostReduce::Direct, direct, staged)
    }

    /// How data is broadcast.
    pub fn broadcast(self, forced: Option<HostBroadcast>) -> Choice<HostBroadcast> {
        let staged = match self.bytes {
            0..=SLOT_DATA => HostBroadcast::Slots,
            _ => HostBroadcast::Staged,
        };
        // Of long messages the root's copying is hidden behind that of the others, and staging stays in caches.
        let direct = (DIRECT_FROM..=4 << 20).contains(&self.bytes);
        choice(forced, HostBroadcast::Direct, direct, staged)
    }

    /// How contributions are gathered.
    pub fn allgather(self, forced: Option<HostAllgather>) -> Choice<HostAllgather> {
        let staged = match self.bytes {
            0..=SLOT_DATA => HostAllgather::Slots,
            _ => HostAllgather::Staged,
        };
        let direct = self.bytes >= DIRECT_FROM;
        choice(forced, HostAllgather::Direct, direct, staged)
    }

    /// Bytes of a chunk where nothing is gained by working on two at a time: few steps.
    pub fn chunk(self) -> usize {
        if self.crowded { STAGING } else { 256 << 10 }
    }

    /// Bytes of a chunk where a member writes one while others read another.
    pub fn pipelined_chunk(self) -> usize {
        if self.crowded { STAGING / 2 } else { 64 << 10 }
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
