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

/// Address of the region in every process: far from where Linux puts programs, heaps and libraries, and from the shadow memory of
/// sanitizers. On x86-64 the former are above 0x5500_0000_0000. On AArch64 libraries begin at a quarter of all addresses if stacks are
/// unlimited: at 0x2000_0000_0000 or at 0x4000_0000_0000. The shadow memory of the address sanitizer ends at 0x2010_0000_0000.
pub const BASE: u64 = if cfg!(target_arch = "aarch64") { 3 << 44 } else { 1 << 45 };
/// Whether an address can be one of a region, in any job: two instructions, for functions that are called for every
/// address of a program.
#[inline(always)]
pub fn may_contain(address: usize) -> bool {
    const { assert!(MAX_REGION.is_power_of_two() && BASE.is_multiple_of(MAX_REGION)) };
    (address as u64 & !(MAX_REGION - 1)) == BASE
}

/// Most address space that a region may take: up to the programs of position-independent executables, or to libraries.
pub const MAX_REGION: u64 = if cfg!(target_arch = "aarch64") { 1 << 44 } else { 1 << 45 };

#[cfg(test)]
mod tests {
    use super::*;

    /// By `ELF_ET_DYN_BASE`, `TASK_UNMAPPED_BASE` and `ARCH_MMAP_RND_BITS_MAX` of Linux, and the offset of the address sanitizer.
    #[test]
    fn regions_are_apart_from_programs_libraries_and_the_shadow_of_a_sanitizer() {
        let is_arm = cfg!(target_arch = "aarch64");
        for bits in if is_arm { 47..=48 } else { 47..=47 } {
            let (top, random) = (1u64 << bits, 1 << (bits - 3));
            let shadow = if is_arm { 1 << 36 } else { 0x7fff_8000 };
            let program = top / 3 * 2;
            let mut taken = vec![
                0..1 << 32,
                program..program + random,
                top - 2 * random..top,
                shadow..shadow + top / 8,
            ];
            if is_arm {
                taken.push(top / 4..top / 4 + random);
            }
            let end = BASE + MAX_REGION;
            assert!(taken.iter().all(|it| it.end <= BASE || end <= it.start), "{bits}: {taken:x?}");
            assert!(may_contain(BASE as usize) && may_contain(end as usize - 1));
            assert!(!may_contain(BASE as usize - 1) && !may_contain(end as usize));
        }
    }

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
