//! Ordinary memory of the program in this image's segment: the program allocates it for itself, but other images reach it.
//!
//! It is in the non-symmetric heap and counts against no limit of coarrays: programs allocate much that they never touch.
//! Where it has no room the program takes other memory, so it never takes room that coarrays need before: a quarter of the heap at
//! most, and no more than the coarrays of an image may have.

use super::Memory;
use super::parts::spread;
use crate::heap::{Arena, End, GRAIN};
use crate::region::HugePages;
use std::ops::Range;

/// The part of the heap that ordinary memory may take: one of this many.
const PARTS: u64 = 4;

/// Zeros of at least this many bytes are pages that the system clears when they are touched first: programs allocate large zeros
/// that they use a part of.
const LEAST_CLEARED_PAGES: u64 = 1 << 20;

impl Memory {
    /// Allocates `size` bytes of the non-symmetric heap for the program itself. `None` where they have no room.
    pub fn allocate_ordinary(&self, size: u64) -> Option<u64> {
        self.recently_freed.take(size).or_else(|| self.allocate_new_ordinary(size))
    }

    #[inline(never)]
    fn allocate_new_ordinary(&self, size: u64) -> Option<u64> {
        let usage = &self.ordinary;
        let heap = usage.heap();
        let room = ((heap.end - heap.start) / PARTS).min(self.job.page().symmetric_limit);
        let arena = &mut self.heaps.borrow_mut().arena;
        let has_room = || size <= room.saturating_sub(usage.bytes());
        if !has_room() {
            self.release_recently_freed(arena);
            if !has_room() {
                return None;
            }
        }
        let before = arena.heap(End::High).in_use();
        let offset = arena.allocate(End::High, spread(size), GRAIN).ok()?;
        usage.count((arena.heap(End::High).in_use() - before) as i64);
        if let Some(pages) = usage.extend_to(offset) {
            let region = self.job.region();
            let start = self.segment() as u64 - region.start() as u64;
            region.include_in_core_dumps(start + pages.start..start + pages.end);
        }
        self.use_huge_pages(offset, size);
        Some(offset)
    }

    /// Sets the first `size` bytes from an offset on to zero.
    ///
    /// # Safety
    /// They are in a block of ordinary memory, which no image uses yet.
    pub unsafe fn clear_ordinary(&self, offset: u64, size: u64) {
        let segment = self.segment();
        // SAFETY: in a block of this image that is not in use.
        let clear = |bytes: Range<u64>| unsafe {
            let len = (bytes.end - bytes.start) as usize;
            segment.wrapping_add(bytes.start as usize).write_bytes(0, len);
        };
        let mut pages = offset..offset;
        if size >= LEAST_CLEARED_PAGES && !self.has_collapsed_pages() {
            let region = self.job.region();
            let start = segment as u64 - region.start() as u64;
            // SAFETY: as above.
            let discarded = unsafe { region.discard(start + offset, size) };
            pages = discarded.start - start..discarded.end - start;
        }
        clear(offset..pages.start);
        clear(pages.end..offset + size);
    }

    /// Frees a block of ordinary memory that was allocated for at least `size` bytes. A small one is kept for the next allocation of
    /// that size.
    ///
    /// # Safety
    /// A block that [`Memory::allocate_ordinary`] has allocated starts at `offset`. No image uses it any more.
    #[inline]
    pub unsafe fn free_ordinary(&self, offset: u64, size: u64) {
        if let Some(offset) = self.recently_freed.keep(size, offset) {
            self.release_ordinary(&mut self.heaps.borrow_mut().arena, offset);
        }
    }

    /// Gives the blocks that are kept back to their heap. Returns whether there were any.
    #[cold]
    pub(super) fn release_recently_freed(&self, arena: &mut Arena) -> bool {
        let blocks = self.recently_freed.take_all();
        blocks.map(|offset| self.release_ordinary(arena, offset)).count() > 0
    }

    #[inline(never)]
    fn release_ordinary(&self, arena: &mut Arena, offset: u64) {
        let len = arena.free(End::High, offset).expect("a block of ordinary memory");
        self.ordinary.count(-(len as i64));
        self.give_back(offset, len);
    }

    /// Tells whether large ordinary memory would lose the huge pages that it has outside of the segment.
    pub fn takes_huge_pages_away(&self) -> bool {
        HugePages::from_number(self.job.page().huge_pages).are_only_private()
    }

    /// Tells whether large blocks have taken huge pages when they were allocated.
    fn has_collapsed_pages(&self) -> bool {
        HugePages::from_number(self.job.page().huge_pages) == HugePages::Collapsed
    }

    /// The block of the non-symmetric heap that an offset of the segment is in.
    pub fn local_block(&self, offset: u64) -> Option<Range<u64>> {
        self.heaps.borrow().arena.heap(End::High).find(offset)
    }

    /// The offsets of the segment among which all ordinary memory is, if there is any. Any thread may ask.
    pub fn ordinary_range(&self) -> Option<Range<u64>> {
        self.ordinary.range()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use crate::sync::Ordering;
    use crate::thread_images as threads;

    #[test]
    fn small_blocks_serve_again_until_they_are_released() {
        threads::run(1, 1, |image| {
            let memory = image.memory();
            let blocks = [1000, 1000, 5000].map(|size| memory.allocate_ordinary(size).unwrap());
            // SAFETY: no image of the test uses the blocks any more.
            unsafe {
                memory.free_ordinary(blocks[0], 1000);
                memory.free_ordinary(blocks[2], 5000);
            }
            assert_eq!(memory.allocate_ordinary(1000), Some(blocks[0]));
            // SAFETY: as above.
            unsafe { memory.free_ordinary(blocks[0], 1000) };
            assert!(memory.usage()[1].0 >= 7000);
            let release = || memory.release_recently_freed(&mut memory.heaps.borrow_mut().arena);
            assert!(release() && !release());
            assert_eq!(memory.usage()[1].0, 1024, "the block that is in use");
        })
        .unwrap();
    }

    #[test]
    fn zeros_are_zeros_wherever_they_begin_and_end() {
        threads::run(1, 1, |image| {
            let memory = image.memory();
            for size in [1, 5000, (1 << 20) - 1, (1 << 20) + 4097, 5 << 20] {
                let block = memory.allocate_ordinary(size + 128).expect("there is room");
                let bytes = image.own_segment().wrapping_add(block as usize);
                // SAFETY: the block of this image, which no other image uses.
                let all = unsafe { std::slice::from_raw_parts_mut(bytes, size as usize + 128) };
                all.fill(7);
                // SAFETY: in the block, which no image uses yet.
                unsafe { memory.clear_ordinary(block + 64, size) };
                let (before, rest) = all.split_at(64);
                let (zeros, after) = rest.split_at(size as usize);
                assert!(before.iter().chain(after).all(|&byte| byte == 7), "{size}");
                assert!(zeros.iter().all(|&byte| byte == 0), "{size}");
                // SAFETY: the test uses the block no more.
                unsafe { memory.free_ordinary(block, size + 128) };
            }
        })
        .unwrap();
    }

    #[test]
    fn ordinary_memory_counts_against_no_limit_and_takes_a_quarter_of_the_heap_at_most() {
        threads::run(2, 1, |image| {
            let memory = image.memory();
            assert!(memory.ordinary_range().is_none());
            let heap = image.layout().heap.clone();
            let counted = || image.job().page().unsymmetric_in_use.load(Ordering::Relaxed);
            let before = counted();
            let mut blocks = Vec::new();
            while let Some(offset) = memory.allocate_ordinary(1 << 20) {
                let range = memory.ordinary_range().expect("there is a block");
                assert!(range.contains(&offset) && range.contains(&(offset + (1 << 20) - 1)));
                assert_eq!(memory.local_block(offset + 5000).expect("a block").start, offset);
                blocks.push(offset);
            }
            let bytes = (blocks.len() as u64) << 20;
            let most = ((heap.end - heap.start) / 4).min(image.job().page().symmetric_limit);
            assert!(bytes <= most && bytes > most / 2, "{bytes} of {most}");
            assert_eq!(counted(), before);
            assert!(memory.allocate_ordinary(u64::MAX).is_none());
            let coarray = memory.allocate_symmetric(1 << 20, 64).unwrap();
            assert!(coarray < blocks[blocks.len() - 1]);
            for offset in blocks {
                // SAFETY: no image of the test uses the block any more.
                unsafe { memory.free_ordinary(offset, 1 << 20) };
            }
            assert!(memory.ordinary_range().is_none());
            assert_eq!((memory.usage()[1].0, counted()), (0, before));
        })
        .unwrap();
    }
}
