//! The registered-range table: which block an address belongs to. (What the Omni runtime has for this, with resource sets that
//! free what a procedure has allocated, is in [`crate::objects`].)

use crate::Block;
use slab::Slab;
use std::collections::BTreeMap;
use xmp_core::Image;

/// Names a registered block; small numbers, reused after the block is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(usize);

/// The coarrays of one image.
#[derive(Debug, Default)]
pub struct Registry {
    blocks: Slab<Block>,
    /// Blocks by segment offset.
    sorted: BTreeMap<u64, BlockId>,
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
        self.sorted.remove(&block.offset);
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
        let (&start, &id) = self.sorted.range(..=offset).next_back()?;
        let within = offset - start;
        // A block of size 0 still has its first byte as a name.
        (within < self.blocks[id.0].size.max(1)).then_some((id, within))
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
}
