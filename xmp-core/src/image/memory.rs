//! The heaps of an image's segment, and the check that the machine can give what they hand out.

use crate::error::{Error, Result};
use crate::heap::{Arena, End};
use crate::job::Job;
use crate::rank::Rank;
use crate::region::SegmentLayout;
use crate::sync::Ordering;
use std::cell::RefCell;
use std::sync::Arc;

/// Freed blocks of at least this many bytes are given back to the system at once: below, taking the
/// pages again (0.5 us each and more) costs more than keeping them.
const GIVE_BACK: u64 = 32 << 20;

/// The symmetric heap of the initial team and the non-symmetric heap of one image. Offsets are relative
/// to the segment.
#[derive(Debug)]
pub struct Memory {
    job: Arc<Job>,
    rank: Rank,
    arena: RefCell<Arena>,
}

impl Memory {
    pub(super) fn new(job: Arc<Job>, rank: Rank, layout: &SegmentLayout) -> Memory {
        let arena = Arena::new("symmetric heap", "non-symmetric heap", layout.heap.clone());
        Memory { job, rank, arena: RefCell::new(arena) }
    }

    /// Takes `size` bytes of the symmetric heap. Every image of the initial team makes the same calls in
    /// the same order and gets the same offset; so does the check against the machine's memory, which
    /// depends on nothing that differs between images. The bytes are not cleared.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], the same on every image as long as non-symmetric blocks leave room.
    pub fn allocate_symmetric(&self, size: u64, align: u64) -> Result<u64> {
        let mut arena = self.arena.borrow_mut();
        let images = self.job.images() as u64;
        let room = self.job.page().memory_limit / images;
        let available = room.saturating_sub(arena.heap(End::Low).in_use());
        if size > available && size <= arena.available(End::Low) {
            return Err(Error::OutOfMemory {
                heap: "machine's memory",
                requested: size,
                available,
            });
        }
        arena.allocate(End::Low, size, align)
    }

    /// Gives back a block of the symmetric heap; no image may use it any more.
    ///
    /// # Errors
    /// When no block starts at `offset`.
    pub fn free_symmetric(&self, offset: u64) -> Result<()> {
        let len = self.arena.borrow_mut().free(End::Low, offset)?;
        self.give_back(offset, len);
        Ok(())
    }

    /// Takes `size` bytes of the non-symmetric heap: memory that others can address but that only this
    /// image allocates. The bytes are not cleared.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn allocate_local(&self, size: u64, align: u64) -> Result<u64> {
        let mut arena = self.arena.borrow_mut();
        let symmetric = arena.heap(End::Low).in_use().saturating_mul(self.job.images() as u64);
        let in_use = &self.job.page().unsymmetric_in_use;
        let room = self.job.page().memory_limit.saturating_sub(symmetric);
        let available = room.saturating_sub(in_use.load(Ordering::Relaxed));
        if size > available {
            return Err(Error::OutOfMemory {
                heap: "machine's memory",
                requested: size,
                available,
            });
        }
        let before = arena.heap(End::High).in_use();
        let offset = arena.allocate(End::High, size, align)?;
        // A statistic of all images together; nothing is ordered by it.
        in_use.fetch_add(arena.heap(End::High).in_use() - before, Ordering::Relaxed);
        Ok(offset)
    }

    /// Gives back a block of the non-symmetric heap.
    ///
    /// # Errors
    /// When no block starts at `offset`.
    pub fn free_local(&self, offset: u64) -> Result<()> {
        let len = self.arena.borrow_mut().free(End::High, offset)?;
        self.job.page().unsymmetric_in_use.fetch_sub(len, Ordering::Relaxed);
        self.give_back(offset, len);
        Ok(())
    }

    /// Bytes in use and most bytes ever spanned, of the symmetric and of the non-symmetric heap.
    pub fn usage(&self) -> [(u64, u64); 2] {
        let arena = self.arena.borrow();
        [End::Low, End::High].map(|end| {
            let heap = arena.heap(end);
            (heap.in_use(), heap.high_water())
        })
    }

    fn give_back(&self, offset: u64, len: u64) {
        if len >= GIVE_BACK {
            self.job.region().discard(self.job.geometry().segment(self.rank) + offset, len);
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use crate::transport::threads;
    use crate::{Error, heap};

    #[test]
    fn offsets_are_symmetric_whatever_the_other_heap_does() {
        let offsets = threads::run(4, 1, |image| {
            let memory = image.memory();
            let mut offsets = Vec::new();
            for round in 0..50 {
                for _ in 0..image.rank().get() {
                    memory.allocate_local(100 + round, heap::GRAIN).unwrap();
                }
                offsets.push(memory.allocate_symmetric(1000 * (round + 1), 64).unwrap());
                if round % 3 == 2 {
                    memory.free_symmetric(offsets[round as usize / 2]).unwrap();
                    offsets[round as usize / 2] = memory.allocate_symmetric(64, 64).unwrap();
                }
            }
            offsets
        })
        .unwrap();
        assert!(offsets.windows(2).all(|pair| pair[0] == pair[1]));
    }

    #[test]
    fn what_cannot_be_had_is_an_error() {
        threads::run(2, 1, |image| {
            let before = image.memory().usage();
            for size in [1 << 60, u64::MAX, 1 << 31] {
                let error = image.memory().allocate_symmetric(size, 64).unwrap_err();
                assert!(matches!(error, Error::OutOfMemory { requested, .. } if requested == size));
            }
            assert_eq!(image.memory().usage(), before);
        })
        .unwrap();
    }
}
