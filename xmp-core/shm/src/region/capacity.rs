//! The capacity of a process for a region: its addresses, and the limits of resources that hold for shared memory.

use super::address::{MAX_REGION, PAGE};
use crate::size::Size;
use rustix::process::{Resource, getrlimit};
use std::fmt;
use std::fs;

/// The most bytes that a region can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegionCapacity {
    /// Their number.
    pub bytes: u64,
    /// The limit that holds for them.
    pub limit: CapacityLimit,
}

/// A limit of the size of a region.
#[repr(u64)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CapacityLimit {
    /// The addresses that a process has for the region.
    Addresses = 0,
    /// `ulimit -v`: the address space of the process.
    Process = 1,
    /// `ulimit -f`: the size of files, which holds for memory that processes share by a descriptor.
    File = 2,
}

impl RegionCapacity {
    /// The capacity without limits of resources.
    pub const UNLIMITED: RegionCapacity =
        RegionCapacity { bytes: MAX_REGION, limit: CapacityLimit::Addresses };

    /// The capacity for a region that only this process, with all its threads, maps.
    pub fn of_process() -> RegionCapacity {
        match getrlimit(Resource::As).current {
            Some(limit) => RegionCapacity {
                bytes: limit.saturating_sub(address_space()),
                limit: CapacityLimit::Process,
            }
            .tighter(RegionCapacity::UNLIMITED),
            None => RegionCapacity::UNLIMITED,
        }
    }

    /// The capacity for a region that several processes share.
    pub fn of_file() -> RegionCapacity {
        let capacity = RegionCapacity::of_process();
        match getrlimit(Resource::Fsize).current {
            Some(bytes) => capacity.tighter(RegionCapacity { bytes, limit: CapacityLimit::File }),
            None => capacity,
        }
    }

    /// The one with less bytes.
    pub fn tighter(self, other: RegionCapacity) -> RegionCapacity {
        if other.bytes < self.bytes { other } else { self }
    }

    /// The part that a region takes where no setting requests a size. It leaves half of a limited address space to the
    /// program.
    pub fn share(&self) -> u64 {
        let share = if self.limit == CapacityLimit::Process { self.bytes / 2 } else { self.bytes };
        share / PAGE * PAGE
    }
}

/// Bytes of address space that this process has; 0 without `/proc`.
fn address_space() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kibibytes = status.lines().find_map(|line| {
        line.strip_prefix("VmSize:")?.trim().trim_end_matches(" kB").parse::<u64>().ok()
    });
    kibibytes.unwrap_or(0) << 10
}

impl fmt::Display for RegionCapacity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = Size(self.bytes);
        match self.limit {
            CapacityLimit::Addresses => write!(f, "a process has {size} of addresses for it"),
            CapacityLimit::Process => write!(f, "`ulimit -v` leaves {size} for it"),
            CapacityLimit::File => write!(f, "`ulimit -f`, which holds for it, is {size}"),
        }
    }
}

impl CapacityLimit {
    /// The limit with this number.
    pub fn from_number(number: u64) -> CapacityLimit {
        match number {
            1 => CapacityLimit::Process,
            2 => CapacityLimit::File,
            _ => CapacityLimit::Addresses,
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_process_has_address_space() {
        assert!(address_space() > 1 << 20);
    }

    #[test]
    fn the_tightest_limit_holds_and_half_of_an_address_space_is_left() {
        let room = |bytes, limit| RegionCapacity { bytes, limit };
        let process = room(9 << 30, CapacityLimit::Process);
        let file = room(8 << 30, CapacityLimit::File);
        assert_eq!(process.tighter(file), file);
        assert_eq!(file.tighter(process), file);
        assert_eq!(RegionCapacity::UNLIMITED.tighter(process), process);
        assert_eq!((process.share(), file.share()), ((9 << 30) / 2, 8 << 30));
        for limit in [CapacityLimit::Addresses, CapacityLimit::Process, CapacityLimit::File] {
            assert_eq!(CapacityLimit::from_number(limit as u64), limit);
        }
    }
}
