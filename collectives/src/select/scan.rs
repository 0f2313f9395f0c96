//! The choice for scans.

use super::names::HostScan;
use super::shape::{Choice, Shape, choice};
use crate::host::scan::{doubling, slots, staged};
use xmp_core::coll_area::SLOT_DATA;

/// Members up to which it is better to combine everything in one step than to make a step for each doubling. (Of two,
/// doubling is one step too, and only one of them writes and only the other reads.)
const STAGED_MEMBERS: usize = 4;
/// Bytes up to which that is so for any number of members; where images share cores, a step costs more.
const STAGED_UP_TO: usize = 2 << 10;
const STAGED_UP_TO_CROWDED: usize = 16 << 10;

impl Shape {
    /// How a scan of elements of `element` bytes is made.
    pub fn scan(self, element: usize, forced: Option<HostScan>) -> Choice<HostScan> {
        let fits = |algorithm: &HostScan| match algorithm {
            HostScan::Slots => element <= slots::LONGEST,
            HostScan::Staged => element <= staged::LONGEST,
            HostScan::Doubling => element <= doubling::LONGEST,
            HostScan::Direct | HostScan::Messages => true,
        };
        let up_to = if self.crowded { STAGED_UP_TO_CROWDED } else { STAGED_UP_TO };
        let staged = match (self.members, self.bytes) {
            (2, _) => HostScan::Doubling,
            (_, 0..=SLOT_DATA) => HostScan::Slots,
            (0..=STAGED_MEMBERS, _) => HostScan::Staged,
            (_, bytes) if bytes <= up_to => HostScan::Staged,
            _ => HostScan::Doubling,
        };
        let staged = if fits(&staged) { staged } else { HostScan::Messages };
        choice(forced.filter(fits), HostScan::Direct, self.part_directly(), staged)
    }
}
