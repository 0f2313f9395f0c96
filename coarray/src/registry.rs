//! The registered-range table: which block an address belongs to. (What the Omni runtime has for this, with resource sets that
//! free what a procedure has allocated, is in the crate for programs of its compiler.)

use crate::Block;
use slab::Slab;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use xmp_core::by_offset::ByOffset;
use xmp_core::{Image, heap};

/// Names a registered block; small numbers, reused after the block is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(usize);

/// The coarrays of one image.
#[derive(Debug, Default)]
pub struct Registry {
    blocks: Slab<Block>,
    /// Blocks by segment offset.
    sorted: ByOffset<BlockId>,
    /// Blocks that were found lately.
    recent: Arc<RecentBlocks>,
}

impl Registry {
    /// Enters a block into the table.
    pub fn insert(&mut self, block: Block) -> BlockId {
        let id = BlockId(self.blocks.insert(block));
        self.sorted.insert(block.offset, id);
        id
    }

    /// Takes a block out of the table.
    pub fn remove(&mut self, id: BlockId) -> Option<Block> {
        let block = self.blocks.try_remove(id.0)?;
        self.sorted.remove(block.offset);
        self.recent.forget(block);
        Some(block)
    }

    /// The block with this name.
    pub fn get(&self, id: BlockId) -> Option<&Block> {
        self.blocks.get(id.0)
    }

    /// The block that holds this address of this image's own segment, and the offset within the block.
    pub fn find(&self, image: &Image, address: *const u8) -> Option<(BlockId, u64)> {
        let (rank, offset) = image.locate(address)?;
        if rank != image.rank() {
            return None;
        }
        let (start, &id) = self.sorted.at_or_before(offset)?;
        let within = offset - start;
        // A block of size 0 still has its first byte as a name.
        (within < self.blocks[id.0].size.max(1)).then_some((id, within))
    }

    /// The blocks that were found lately and that [`RecentBlocks::note`] has entered; those that are removed are forgotten.
    pub fn recent(&self) -> &Arc<RecentBlocks> {
        &self.recent
    }

    /// Number of registered blocks.
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// Whether no block is registered.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }
}

/// A few registered blocks, or parts of large ones, for fast paths that know an address only. Any thread may look one up at any
/// time.
#[derive(Debug, Default)]
pub struct RecentBlocks {
    /// Each a range as one word, so that no reader sees half of one: the offset in units of [`heap::GRAIN`] in the lower half,
    /// the number of bytes in the upper one. 0: none. The range that was entered last is the first.
    words: [AtomicU64; 4],
}

/// The longest range.
const LONGEST: u64 = (1 << 32) - heap::GRAIN;

/// Parts of blocks that are longer begin at multiples of this, so that they overlap.
const PART: u64 = 1 << 31;

impl RecentBlocks {
    /// Whether `len` bytes at this offset of the segment are within one of the blocks.
    #[inline(always)]
    pub fn contain(&self, offset: u64, len: u64) -> bool {
        self.words.iter().any(|word| {
            // Relaxed: blocks that are freed are not accessed by other threads, and the others have been there before.
            let word = word.load(Ordering::Relaxed);
            let (start, size) = (u64::from(word as u32) * heap::GRAIN, word >> 32);
            let within = offset.wrapping_sub(start);
            within < size && len <= size - within
        })
    }

    /// Enters a registered block, or what is around byte `within` of a large one, instead of what was entered first. Blocks
    /// that no word can describe stay out.
    pub fn note(&self, block: Block, within: u64) {
        let Some(word) = RecentBlocks::word(block, within) else { return };
        // Relaxed: one thread at a time enters and forgets blocks; a reader that misses one takes its slow path.
        for number in (1..self.words.len()).rev() {
            self.words[number]
                .store(self.words[number - 1].load(Ordering::Relaxed), Ordering::Relaxed);
        }
        self.words[0].store(word, Ordering::Relaxed);
    }

    fn forget(&self, Block { offset, size }: Block) {
        for word in &self.words {
            let start = u64::from(word.load(Ordering::Relaxed) as u32) * heap::GRAIN;
            if (offset..offset.saturating_add(size.max(1))).contains(&start) {
                word.store(0, Ordering::Relaxed);
            }
        }
    }

    fn word(Block { offset, size }: Block, within: u64) -> Option<u64> {
        let from = if size > LONGEST { within / PART * PART } else { 0 };
        let start = offset.checked_add(from)?;
        let grains = u32::try_from(start / heap::GRAIN).ok()?;
        let len = size.checked_sub(from)?.min(LONGEST);
        start.is_multiple_of(heap::GRAIN).then_some(len << 32 | u64::from(grains))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xmp_core::transport::threads;

    #[test]
    fn addresses_are_found_in_their_blocks_only() {
        threads::run(2, 1, |image| {
            let mut registry = Registry::default();
            let blocks: Vec<Block> =
                [100, 0, 5000].iter().map(|&size| Block::allocate(image, size).unwrap()).collect();
            let ids: Vec<BlockId> = blocks.iter().map(|&block| registry.insert(block)).collect();
            for (block, &id) in blocks.iter().zip(&ids) {
                let start = block.local(image);
                assert_eq!(registry.find(image, start), Some((id, 0)));
                if block.size > 0 {
                    let last = start.wrapping_add(block.size as usize - 1);
                    assert_eq!(registry.find(image, last), Some((id, block.size - 1)));
                }
                assert_eq!(
                    registry.find(image, start.wrapping_add(block.size.max(1) as usize)),
                    None
                );
            }
            let elsewhere = 0u8;
            assert_eq!(registry.find(image, &elsewhere), None);
            assert_eq!(registry.remove(ids[2]), Some(blocks[2]));
            assert_eq!(registry.find(image, blocks[2].local(image)), None);
            assert_eq!(registry.remove(ids[2]), None);
        })
        .unwrap();
    }

    #[test]
    fn recent_blocks_contain_their_bytes_until_they_are_removed() {
        let mut registry = Registry::default();
        let blocks = [(64, 100), (1 << 20, 8), (192, 0), (640, 64), (1 << 30, LONGEST)]
            .map(|(offset, size)| Block { offset, size });
        let ids = blocks.map(|block| registry.insert(block));
        let recent = registry.recent().clone();
        assert!(!recent.contain(64, 1) && !recent.contain(0, 0));
        for block in blocks {
            recent.note(block, 0);
            let Block { offset, size } = block;
            assert_eq!(recent.contain(offset, size), size > 0);
            assert!(!recent.contain(offset, size + 1) && !recent.contain(offset + size, 0));
            assert!(!recent.contain(offset - 1, 1) && !recent.contain(offset, u64::MAX));
        }
        // The first one has made room for the fifth.
        assert!(!recent.contain(64, 1) && recent.contain(1 << 20, 8));
        registry.remove(ids[1]);
        assert!(!recent.contain(1 << 20, 8) && recent.contain(640, 64));
        // A block that no word can describe is not kept.
        for (offset, size) in [(65, 8), (1 << 38, 8)] {
            recent.note(Block { offset, size }, 0);
            assert!(!recent.contain(offset, 8));
        }
    }

    #[test]
    fn of_a_large_block_what_is_around_an_access_is_recent() {
        let mut registry = Registry::default();
        let (offset, size) = (192, (7 << 31) + 8);
        let id = registry.insert(Block { offset, size });
        let recent = registry.recent().clone();
        for within in [0, 5 << 30, (6 << 31) + 4096, size - 8] {
            recent.note(Block { offset, size }, within);
            assert!(recent.contain(offset + within, 8));
            assert!(!recent.contain(offset + within, size) && !recent.contain(offset + size, 1));
        }
        registry.remove(id);
        assert!([0, 5 << 30, size - 8].iter().all(|within| !recent.contain(offset + within, 1)));
    }
}
