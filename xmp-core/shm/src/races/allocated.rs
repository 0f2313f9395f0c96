//! The blocks that this image has allocated together with others, each with its statement: the words for memory of coarrays whose
//! front end knows no names.

use super::sites::Site;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Blocks by their offsets in the segment, which are equal on all images.
#[derive(Debug, Default)]
pub struct AllocatedBlocks(Mutex<BTreeMap<u64, Allocated>>);

/// A block.
#[derive(Clone, Copy, Debug)]
struct Allocated {
    len: u64,
    /// Bytes of an element; 0 where it is not known.
    element: u64,
    site: Site,
}

/// A part of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AllocatedPart {
    /// The number of the byte, or of the element where `is_element`, from 0.
    pub number: u64,
    /// Whether elements are known.
    pub is_element: bool,
    /// The statement that has allocated the block.
    pub site: Site,
}

impl AllocatedBlocks {
    /// A block of this many bytes was allocated. Those that were in its place are gone: END TEAM frees without a word.
    pub fn add(&self, offset: u64, len: u64, site: Site) {
        let mut blocks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let end = offset + len.max(1);
        blocks.retain(|&start, block| start >= end || start + block.len.max(1) <= offset);
        blocks.insert(offset, Allocated { len, element: 0, site });
    }

    /// The block at this offset has elements of this many bytes.
    pub fn set_element(&self, offset: u64, element: u64) {
        let mut blocks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(block) = blocks.get_mut(&offset) {
            block.element = element;
        }
    }

    /// The part of a block that is at this offset.
    pub fn part(&self, offset: u64) -> Option<AllocatedPart> {
        let blocks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (&start, block) = blocks.range(..=offset).next_back()?;
        let byte = offset - start;
        let number = byte.checked_div(block.element).unwrap_or(byte);
        (byte < block.len).then_some(AllocatedPart {
            number,
            is_element: block.element != 0,
            site: block.site,
        })
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_byte_of_a_block_is_a_part_of_it() {
        let blocks = AllocatedBlocks::default();
        let [first, second] = [1, 2].map(Site::from_number);
        blocks.add(64, 80, first);
        let part = |number, is_element, site| Some(AllocatedPart { number, is_element, site });
        assert_eq!(blocks.part(64 + 17), part(17, false, first));
        blocks.set_element(64, 8);
        assert_eq!(blocks.part(64 + 17), part(2, true, first));
        assert_eq!([blocks.part(63), blocks.part(64 + 80)], [None, None]);
        // Memory that was used before.
        blocks.add(128, 32, second);
        assert_eq!(blocks.part(64), None);
        assert_eq!(blocks.part(128), part(0, false, second));
        blocks.add(0, 256, first);
        assert_eq!(blocks.part(128), part(128, false, first));
    }
}
