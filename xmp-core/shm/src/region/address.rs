//! The place of regions in the address space of a process, and its pages.

use std::ops::Range;
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

/// The pages of this system that are within a range of bytes as a whole; an empty range if there is none. Bytes are addresses, or
/// offsets from the beginning of a page.
pub fn pages_within(bytes: Range<u64>) -> Range<u64> {
    within(bytes, page_size() as u64)
}

/// The pages of this system that a range of bytes has a part of.
pub fn pages_around(bytes: Range<u64>) -> Range<u64> {
    around(bytes, page_size() as u64)
}

fn within(bytes: Range<u64>, page: u64) -> Range<u64> {
    let (start, end) = (bytes.start.next_multiple_of(page), bytes.end / page * page);
    start..end.max(start)
}

fn around(bytes: Range<u64>, page: u64) -> Range<u64> {
    let start = bytes.start / page * page;
    start..if bytes.is_empty() { start } else { bytes.end.next_multiple_of(page) }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_pages_of_each_size_are_found() {
        for page in [4 << 10, 16 << 10, 64 << 10] {
            for (from, to, inner, outer) in [
                (0, 2 * page, 0..2 * page, 0..2 * page),
                (1, 2 * page, page..2 * page, 0..2 * page),
                (page - 1, 3 * page + 1, page..3 * page, 0..4 * page),
                (1, page - 1, page..page, 0..page),
                (page - 1, page + 1, page..page, 0..2 * page),
                (5 * page, 5 * page, 5 * page..5 * page, 5 * page..5 * page),
                (page + 1, page + 1, 2 * page..2 * page, page..page),
            ] {
                assert_eq!(
                    (within(from..to, page), around(from..to, page)),
                    (inner, outer),
                    "{from} {to} {page}"
                );
            }
        }
        let page = page_size() as u64;
        assert!(page.is_power_of_two() && page.is_multiple_of(PAGE), "{page}");
        assert_eq!(
            (pages_within(1..3 * page), pages_around(1..3 * page)),
            (page..3 * page, 0..3 * page)
        );
    }
}
