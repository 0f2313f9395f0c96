//! The choice for operations that move data without combining it - broadcast, allgather, gather, scatter, alltoall - and
//! for scans.

use super::names::{HostMove, HostScan, LeaderAlltoall, LeaderTree};
use super::shape::{Choice, Shape, choice};
use super::table::measured;
use crate::host::{parts_fit_in_slot, scan};
use crate::parts::Lens;
use crate::schedules::{Participant, binomial_parts, linear};
use crate::signature::IN_RING;
use xmp_core::coll_area::SLOT_DATA;

/// Bytes of a part from which passing it on costs more than a message of each participant to the root.
const LINEAR_FROM: usize = 64 << 10;
/// Bytes that one host has for another up to which passing them on costs less than a message to each host.
const BRUCK_UP_TO: usize = 1 << 10;
/// Bytes of a part from which packing it for the leader costs more than the messages that this saves. On 2 and 4 hosts
/// of 2 to 4 images: at 64 bytes packing wins by up to a third, at 1 KiB messages by a tenth, at 4 KiB by half.
const EACH_FROM: usize = 1 << 10;
/// Images on each host up to which an allgather between all images costs less than one in two levels.
const BETWEEN_ALL_UP_TO: usize = 2;
/// Members up to which a scan in one barrier costs less than one barrier for each doubling. (For two members doubling
/// takes one barrier, too, and only one of them writes and only the other reads.)
const SCAN_STAGED_MEMBERS: usize = 4;
/// Bytes up to which that holds for any number of members.
const SCAN_STAGED_UP_TO: usize = 2 << 10;
/// The same where images share cores and a barrier costs more.
const SCAN_STAGED_UP_TO_CROWDED: usize = 16 << 10;

impl Shape {
    /// The algorithm of a broadcast.
    pub fn broadcast(self, forced: Option<HostMove>) -> Choice<HostMove> {
        let in_ring = self.bytes <= IN_RING;
        self.moving(forced, in_ring, !in_ring && self.directly(measured::DIRECT_BROADCAST))
    }

    /// The algorithm of an allgather; the bytes are those of the longest contribution.
    pub fn allgather(self, forced: Option<HostMove>) -> Choice<HostMove> {
        self.moving(forced, self.bytes <= SLOT_DATA, self.part_directly())
    }

    /// The algorithm of a gather; the bytes are those of the longest part.
    pub fn gather(self, forced: Option<HostMove>) -> Choice<HostMove> {
        self.moving(forced, self.bytes <= SLOT_DATA, self.part_directly())
    }

    /// The algorithm of a scatter; the bytes are those of the longest part.
    pub fn scatter(self, forced: Option<HostMove>) -> Choice<HostMove> {
        let fits = parts_fit_in_slot(self.bytes, self.members);
        self.moving(forced.filter(|&it| it != HostMove::Slots || fits), fits, self.part_directly())
    }

    /// The algorithm of an alltoall; the bytes are those of the longest part.
    pub fn alltoall(self, forced: Option<HostMove>) -> Choice<HostMove> {
        let fits = parts_fit_in_slot(self.bytes, self.members);
        let direct = Shape { bytes: self.bytes * self.members, ..self }.part_directly();
        self.moving(forced.filter(|&it| it != HostMove::Slots || fits), fits, direct)
    }

    /// The forced algorithm, or slots for data that fits there and staging for other data.
    fn moving(self, forced: Option<HostMove>, in_slots: bool, direct: bool) -> Choice<HostMove> {
        let staged = if in_slots { HostMove::Slots } else { HostMove::Staged };
        choice(forced, HostMove::Direct, direct, staged)
    }

    /// Whether parts in segments are copied straight from there or to there.
    fn part_directly(self) -> bool {
        self.directly(measured::DIRECT_ALLGATHER)
    }

    /// The algorithm of a scan of elements of `element` bytes.
    pub fn scan(self, element: usize, forced: Option<HostScan>) -> Choice<HostScan> {
        let fits = |algorithm: &HostScan| match algorithm {
            HostScan::Slots => element <= scan::LONGEST_IN_SLOT,
            HostScan::Staged | HostScan::Doubling => element <= scan::LONGEST_STAGED,
            HostScan::Direct | HostScan::Messages => true,
        };
        let up_to = if self.crowded { SCAN_STAGED_UP_TO_CROWDED } else { SCAN_STAGED_UP_TO };
        let staged = match (self.members, self.bytes) {
            (2, _) => HostScan::Doubling,
            (_, 0..=SLOT_DATA) => HostScan::Slots,
            (0..=SCAN_STAGED_MEMBERS, _) => HostScan::Staged,
            (_, bytes) if bytes <= up_to => HostScan::Staged,
            _ => HostScan::Doubling,
        };
        let staged = if fits(&staged) { staged } else { HostScan::Messages };
        choice(forced.filter(fits), HostScan::Direct, self.part_directly(), staged)
    }
}

/// Whether an allgather over hosts is one schedule between all images, without leaders.
pub fn between_all(images: usize, hosts: usize) -> bool {
    images <= hosts * BETWEEN_ALL_UP_TO
}

impl LeaderAlltoall {
    /// The algorithm for parts of `len` bytes between hosts that have `local_peers` images on average, or between
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
    /// Number of blocks that a participant of a gather or scatter holds: its own, and those that it passes on.
    pub fn held(self, who: Participant, root: usize) -> usize {
        let relative = (who.position + who.n - root) % who.n;
        match self {
            LeaderTree::Binomial => binomial_parts::held(who.n, relative),
            LeaderTree::Linear => linear::held(who.n, relative),
        }
    }

    /// The schedule for parts of these lengths. Participants that do not know the lengths of all parts could not agree
    /// on a schedule by them, so these use the tree.
    pub fn choose(forced: Option<LeaderTree>, lens: &Lens) -> LeaderTree {
        match (forced, lens) {
            (Some(forced), _) => forced,
            (None, Lens::Equal(len)) if *len >= LINEAR_FROM => LeaderTree::Linear,
            _ => LeaderTree::Binomial,
        }
    }
}
