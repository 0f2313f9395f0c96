//! The choice for operations that move a part for each image: gather, scatter, alltoall.

use super::names::{HostAlltoall, HostGather, HostScatter, LeaderAlltoall, LeaderTree};
use super::shape::{Choice, Shape, choice};
use crate::host::parts_fit_in_slot;
use crate::parts::Lens;
use crate::schedules::{Participant, binomial_parts, linear};
use xmp_core::coll_area::SLOT_DATA;

/// Bytes of a part from which passing it on costs more than waiting for one participant after the other.
const LINEAR_FROM: usize = 64 << 10;
/// Bytes that one host has for another up to which it is better to pass them on than to meet every host.
const BRUCK_UP_TO: usize = 1 << 10;
/// Bytes of a part from which packing it for the leader costs more than the messages that this saves.
const EACH_FROM: usize = 4 << 10;

impl Shape {
    /// How parts are gathered; the bytes are those of the longest.
    pub fn gather(self, forced: Option<HostGather>) -> Choice<HostGather> {
        let staged = match self.bytes {
            0..=SLOT_DATA => HostGather::Slots,
            _ => HostGather::Staged,
        };
        choice(forced, HostGather::Direct, self.part_directly(), staged)
    }

    /// How parts are scattered; the bytes are those of the longest.
    pub fn scatter(self, forced: Option<HostScatter>) -> Choice<HostScatter> {
        let in_slot = parts_fit_in_slot(self.bytes, self.members);
        let fits = |&algorithm: &HostScatter| algorithm != HostScatter::Slots || in_slot;
        let staged = if in_slot { HostScatter::Slots } else { HostScatter::Staged };
        choice(forced.filter(fits), HostScatter::Direct, self.part_directly(), staged)
    }

    /// How parts are exchanged; the bytes are those of the longest.
    pub fn alltoall(self, forced: Option<HostAlltoall>) -> Choice<HostAlltoall> {
        let in_slot = parts_fit_in_slot(self.bytes, self.members);
        let fits = |&algorithm: &HostAlltoall| algorithm != HostAlltoall::Slots || in_slot;
        let staged = if in_slot { HostAlltoall::Slots } else { HostAlltoall::Staged };
        let direct = Shape { bytes: self.bytes * self.members, ..self }.part_directly();
        choice(forced.filter(fits), HostAlltoall::Direct, direct, staged)
    }
}

impl LeaderAlltoall {
    /// How parts of `len` bytes are exchanged between hosts that have `local_peers` images on average, or between
    /// images.
    pub fn choose(
        forced: Option<LeaderAlltoall>,
        len: usize,
        local_peers: usize,
    ) -> LeaderAlltoall {
        forced.unwrap_or(match (len, len.saturating_mul(local_peers).saturating_mul(local_peers)) {
            (_, 0..=BRUCK_UP_TO) => LeaderAlltoall::Bruck,
            (0..EACH_FROM, _) => LeaderAlltoall::Pairwise,
            _ => LeaderAlltoall::Each,
        })
    }
}

impl LeaderTree {
    /// Number of blocks that a participant of a gather or scatter holds: its own, and those that go through it.
    pub fn held(self, who: Participant, root: usize) -> usize {
        let relative = (who.position + who.n - root) % who.n;
        match self {
            LeaderTree::Binomial => binomial_parts::held(who.n, relative),
            LeaderTree::Linear => linear::held(who.n, relative),
        }
    }

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
