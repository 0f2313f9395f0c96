//! The choice for scans.

use super::names::HostScan;
use super::shape::{Choice, Shape, choice};
use crate::host::scan::{doubling, slots, staged};
use xmp_core::board::SLOT_DATA;

/// Members up to which it is better to combine everything in one step than to make a step for each doubling.
const STAGED_MEMBERS: usize = 4;
/// Bytes up to which that is so for any number of members.
const STAGED_UP_TO: usize = 2 << 10;

impl Shape {
    /// How a scan of elements of `element` bytes is made.
    pub fn scan(self, element: usize, forced: Option<HostScan>) -> Choice<HostScan> {
        let fits = |algorithm: &HostScan| match algorithm {
            HostScan::Slots => element <= slots::LONGEST,
            HostScan::Staged => element <= staged::LONGEST,
            HostScan::Doubling => element <= doubling::LONGEST,
            HostScan::Direct | HostScan::Messages => true,
        };
        let few = self.members <= STAGED_MEMBERS || self.bytes <= STAGED_UP_TO;
        let staged = match self.bytes {
            0..=SLOT_DATA => HostScan::Slots,
            _ if few => HostScan::Staged,
            _ => HostScan::Doubling,
        };
        let staged = if fits(&staged) { staged } else { HostScan::Messages };
        choice(forced.filter(fits), HostScan::Direct, self.part_directly(), staged)
    }
}
