//! Blocks that are fetched together with the descriptors that lead to them.
//!
//! A get of a block through a component takes two round trips: one for the descriptor, one for the bytes, which are too many for lines.
//! Programs repeat such gets, segment by segment. So this remembers which block an image got after it had fetched a descriptor. After the
//! second time the block comes in the same message as the descriptor. It is served once, in the same generation.

use crate::rank::Rank;
use std::ops::Range;

/// Longest block: with the line of its descriptor it fits into a message.
const LONGEST_BYTES: u64 = 12 << 10;
/// Descriptors whose blocks are remembered.
const MOST_DESCRIPTORS: usize = 32;

/// The blocks of an image that gets them.
#[derive(Debug, Default)]
pub(super) struct BlocksAhead {
    /// The oldest first.
    known: Vec<PredictedBlock>,
    /// The descriptor that was fetched last, and the generation.
    fetched: Option<(Descriptor, u64)>,
    /// The block that came with it, before it was served.
    block: Option<Block>,
}

/// The place of a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Descriptor {
    image: Rank,
    offset: u64,
}

/// A descriptor, and the block that is expected to be got after it.
#[derive(Clone, Debug)]
struct PredictedBlock {
    descriptor: Descriptor,
    block: Range<u64>,
    /// Whether that has happened twice.
    is_certain: bool,
}

/// Bytes of a segment.
#[derive(Debug)]
struct Block {
    image: Rank,
    at: Range<u64>,
    generation: u64,
    bytes: Vec<u8>,
}

impl BlocksAhead {
    /// Before a descriptor of `image` is fetched: the block to fetch with it, if any.
    pub(super) fn before_fetch(
        &mut self,
        image: Rank,
        offset: u64,
        generation: u64,
    ) -> Option<Range<u64>> {
        let descriptor = Descriptor { image, offset };
        if self.block.take().is_some()
            && let Some((last, _)) = self.fetched
        {
            // The program has not got it.
            self.known.retain(|known| known.descriptor != last);
        }
        self.fetched = Some((descriptor, generation));
        self.known(image, offset)
    }

    /// The block that is likely to follow a descriptor.
    pub(super) fn known(&self, image: Rank, offset: u64) -> Option<Range<u64>> {
        let descriptor = Descriptor { image, offset };
        let known = self.known.iter().find(|known| known.descriptor == descriptor);
        known.filter(|known| known.is_certain).map(|known| known.block.clone())
    }

    /// Keeps the block that was fetched with the last descriptor.
    pub(super) fn keep(&mut self, at: Range<u64>, bytes: Vec<u8>) {
        self.block = self.fetched.map(|(descriptor, generation)| Block {
            image: descriptor.image,
            at,
            generation,
            bytes,
        });
    }

    /// The bytes of a get, if they have been fetched in this generation.
    pub(super) fn take(
        &mut self,
        image: Rank,
        at: &Range<u64>,
        generation: u64,
    ) -> Option<Vec<u8>> {
        let is_it = |block: &mut Block| {
            block.image == image && block.at == *at && block.generation == generation
        };
        self.block.take_if(is_it).map(|block| block.bytes)
    }

    /// The image gets these bytes, which were not fetched before.
    pub(super) fn missed(&mut self, image: Rank, at: Range<u64>, generation: u64) {
        let Some((descriptor, of)) = self.fetched else { return };
        if descriptor.image != image || of != generation || at.end - at.start > LONGEST_BYTES {
            return;
        }
        // The first one after it.
        self.fetched = None;
        self.block = None;
        let before = self.known.iter().position(|known| known.descriptor == descriptor);
        let before = before.map(|place| self.known.remove(place));
        if self.known.len() == MOST_DESCRIPTORS {
            self.known.remove(0);
        }
        let is_certain = before.is_some_and(|known| known.block == at);
        self.known.push(PredictedBlock { descriptor, block: at, is_certain });
    }

    /// This image defines these bytes of `image`.
    pub(super) fn forget(&mut self, image: Rank, bytes: &Range<u64>) {
        self.block.take_if(|block| {
            block.image == image && bytes.start < block.at.end && block.at.start < bytes.end
        });
    }
}
