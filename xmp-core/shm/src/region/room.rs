//! The room for a region in a process: its addresses, and the limits of resources that hold for shared memory.

use super::address::{MAX_REGION, PAGE};
use crate::size::Size;
use rustix::process::{Resource, getrlimit};
use std::fmt;
use std::fs;

/// Most bytes of a region, and what they are limited by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// The bytes.
    pub bytes: u64,
    /// What limits them.
    pub limit: RoomLimit,
}

/// What limits the size of a region.
#[repr(u64)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoomLimit {
    /// The addresses that a process has for the region.
    Addresses = 0,
    /// `ulimit -v`: the address space of the process.
    Process = 1,
    /// `ulimit -f`: the size of files, which holds for memory that processes share by a descriptor.
    File = 2,
}

impl Room {
    /// Without limits of resources.
    pub const UNLIMITED: Room = Room { bytes: MAX_REGION, limit: RoomLimit::Addresses };

    /// For a region that only this process, with all its threads, maps.
    pub fn of_process() -> Room {
        match getrlimit(Resource::As).current {
            Some(limit) => {
                Room { bytes: limit.saturating_sub(address_space()), limit: RoomLimit::Process }
                    .tighter(Room::UNLIMITED)
            }
            None => Room::UNLIMITED,
        }
    }

    /// For a region that several processes share.
    pub fn of_file() -> Room {
        let room = Room::of_process();
        match getrlimit(Resource::Fsize).current {
            Some(bytes) => room.tighter(Room { bytes, limit: RoomLimit::File }),
            None => room,
        }
    }

    /// The one with less bytes.
    pub fn tighter(self, other: Room) -> Room {
        if other.bytes < self.bytes { other } else { self }
    }

    /// The part that a region takes where no setting requests a size. It leaves half of a limited address space to the
    /// program.
    pub fn share(&self) -> u64 {
        let share = if self.limit == RoomLimit::Process { self.bytes / 2 } else { self.bytes };
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

impl fmt::Display for Room {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = Size(self.bytes);
        match self.limit {
            RoomLimit::Addresses => write!(f, "a process has {size} of addresses for it"),
            RoomLimit::Process => write!(f, "`ulimit -v` leaves {size} for it"),
            RoomLimit::File => write!(f, "`ulimit -f`, which holds for it, is {size}"),
        }
    }
}

impl RoomLimit {
    /// From its number.
    pub fn from_number(number: u64) -> RoomLimit {
        match number {
            1 => RoomLimit::Process,
            2 => RoomLimit::File,
            _ => RoomLimit::Addresses,
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
        let room = |bytes, limit| Room { bytes, limit };
        let process = room(9 << 30, RoomLimit::Process);
        let file = room(8 << 30, RoomLimit::File);
        assert_eq!(process.tighter(file), file);
        assert_eq!(file.tighter(process), file);
        assert_eq!(Room::UNLIMITED.tighter(process), process);
        assert_eq!((process.share(), file.share()), ((9 << 30) / 2, 8 << 30));
        for limit in [RoomLimit::Addresses, RoomLimit::Process, RoomLimit::File] {
            assert_eq!(RoomLimit::from_number(limit as u64), limit);
        }
    }
}
