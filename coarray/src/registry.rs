//! The registered-range table: which block an address belongs to (the SortedChunkTable of the Omni
//! runtime), and the resource sets that free what a procedure allocated.

use crate::{Block, sync_all};
use slab::Slab;
use std::collections::BTreeMap;
use std::rc::Rc;
use xmp_core::image_set::ImageSet;
use xmp_core::{Image, Result};

/// Names a registered block; small numbers, reused after the block is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(usize);

/// Names a resource set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ResourceSetId(usize);

/// The coarrays of one image.
#[derive(Debug, Default)]
pub struct Registry {
    blocks: Slab<Block>,
    /// Blocks by segment offset.
    sorted: BTreeMap<u64, BlockId>,
    /// Blocks of each open resource set, in order of allocation.
    resource_sets: Slab<Vec<BlockId>>,
}

impl Registry {
    /// Enters a block into the table.
    pub fn insert(&mut self, block: Block) -> BlockId {
        let id = BlockId(self.blocks.insert(block));
        self.sorted.insert(block.offset, id);
        id
    }

    /// Takes a block out of the table, and out of its resource set.
    pub fn remove(&mut self, id: BlockId) -> Option<Block> {
        let block = self.blocks.try_remove(id.0)?;
        self.sorted.remove(&block.offset);
        for (_, set) in &mut self.resource_sets {
            set.retain(|&member| member != id);
        }
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

    /// Opens a resource set: the prolog of a procedure instance.
    pub fn open_set(&mut self) -> ResourceSetId {
        ResourceSetId(self.resource_sets.insert(Vec::new()))
    }

    /// Makes a block a resource of the set, to be freed with it.
    ///
    /// # Panics
    /// When the set is closed.
    pub fn assign(&mut self, set: ResourceSetId, block: BlockId) {
        self.resource_sets[set.0].push(block);
    }

    /// Closes a resource set and gives back its blocks: the epilog of a procedure instance. Synchronises
    /// the images of `executing` once, if there is anything to give back.
    ///
    /// # Errors
    /// When an image has stopped or failed: the blocks stay allocated then.
    ///
    /// # Panics
    /// When the set is closed already.
    pub fn close_set(
        &mut self,
        image: &Image,
        executing: &Rc<ImageSet>,
        set: ResourceSetId,
    ) -> Result<()> {
        let members = self.resource_sets.remove(set.0);
        if members.is_empty() {
            return Ok(());
        }
        sync_all(image, executing)?;
        for id in members.into_iter().rev() {
            if let Some(block) = self.remove(id) {
                block.free(image)?;
            }
        }
        Ok(())
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
    fn a_resource_set_frees_what_is_left_of_its_blocks() {
        threads::run(3, 1, |image| {
            let mut registry = Registry::default();
            let executing = image.executing();
            let before = image.memory().usage()[0].0;
            let outer = registry.open_set();
            for round in 1..20 {
                let inner = registry.open_set();
                for size in [64 * round, 8, 4096] {
                    let id = registry.insert(Block::allocate(image, size).unwrap());
                    registry.assign(inner, id);
                    if size == 8 {
                        registry.remove(id).unwrap().free(image).unwrap();
                    }
                }
                registry.close_set(image, &executing, inner).unwrap();
            }
            registry.close_set(image, &executing, outer).unwrap();
            assert!(registry.is_empty());
            assert_eq!(image.memory().usage()[0].0, before);
        })
        .unwrap();
    }
}
