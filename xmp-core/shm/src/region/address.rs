//! The place of regions in the address space of a process, and its pages.

use std::sync::atomic::{AtomicUsize, Ordering};

/// The alignment of areas: bytes of the smallest page of all systems.
pub const PAGE: u64 = 4096;

/// Bytes of a page of this system, which its calls for memory count in: 4, 16 or 64 KiB.
pub fn page_size() -> usize {
    static SIZE: AtomicUsize = AtomicUsize::new(0);
    // Relaxed: it guards no other memory, and all threads get the same answer.
    match SIZE.load(Ordering::Relaxed) {
        0 => {
            // SAFETY: an inquiry, which cannot fail.
            let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
            SIZE.store(size, Ordering::Relaxed);
            size
        }
        size => size,
    }
}

/// Address of the region in every process: far from where Linux puts programs, heaps and libraries
/// (above 0x5500_0000_0000) and from the shadow memory of sanitizers.
pub const BASE: u64 = 0x2000_0000_0000;
/// Whether an address can be one of a region, in any job: two instructions, for functions that are called for every
/// address of a program.
#[inline(always)]
pub fn may_contain(address: usize) -> bool {
    const { assert!(MAX_REGION.is_power_of_two() && BASE.is_multiple_of(MAX_REGION)) };
    (address as u64 & !(MAX_REGION - 1)) == BASE
}

/// Most address space that a region may take: up to the programs of position-independent executables.
pub const MAX_REGION: u64 = 1 << 45;
