//! The choice for operations that move a part for each image: gather, scatter, alltoall.

use super::names::{HostGather, HostScatter, LeaderTree};
use super::shape::{Choice, DIRECT_FROM, Shape, choice};
use crate::host::scatter;
use crate::parts::Lens;
use xmp_core::board::SLOT_DATA;

/// Bytes of a part from which passing it on costs more than waiting for one participant after the other.
const LINEAR_FROM: usize = 64 << 10;

impl Shape {
    /// How parts are gathered; the bytes are those of the longest.
    pub fn gather(self, forced: Option<HostGather>) -> Choice<HostGather> {
        let staged = match self.bytes {
            0..=SLOT_DATA => HostGather::Slots,
            _ => HostGather::Staged,
        };
        choice(forced, HostGather::Direct, self.bytes >= DIRECT_FROM, staged)
    }

    /// How parts are scattered; the bytes are those of the longest.
    pub fn scatter(self, forced: Option<HostScatter>) -> Choice<HostScatter> {
        let in_slot = scatter::slots::fits(self.bytes, self.members);
        let fits = |&algorithm: &HostScatter| algorithm != HostScatter::Slots || in_slot;
        let staged = if in_slot { HostScatter::Slots } else { HostScatter::Staged };
        choice(forced.filter(fits), HostScatter::Direct, self.bytes >= DIRECT_FROM, staged)
    }
}

impl LeaderTree {
    /// The schedule for parts of these lengths. Where not all participants know the lengths of all parts they could
    /// not agree by them, so the tree is used.
    pub fn choose(forced: Option<LeaderTree>, lens: &Lens) -> LeaderTree {
        match (forced, lens) {
            (Some(forced), _) => forced,
            (None, Lens::Equal(len)) if *len >= LINEAR_FROM => LeaderTree::Linear,
            _ => LeaderTree::Binomial,
        }
    }
}
