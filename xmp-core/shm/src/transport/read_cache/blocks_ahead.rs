//! Blocks that are fetched together with the descriptors that lead to them.
//!
//! A get through a component takes two round trips: one for the descriptor, one for the bytes, which are a block that is too long for lines,
//! or bytes of lines. Programs repeat such gets, segment by segment. So this remembers which bytes an image fetched after it had fetched
//! a descriptor; bytes that follow one another are one block, as an array is that begins in one line and ends in the next. After the second
//! time the block comes in the same message as the descriptor. Each byte of it is taken once, in the same generation. Programs that allocate
//! a component in each step get two places for it in turn, so this foresees such blocks, too.

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
    /// What is left of the block that came with it.
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
    /// What was got after the descriptor, or so far; empty if nothing was. The last time first.
    got: [Range<u64>; 4],
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
        if self.fetched == Some((descriptor, generation)) {
            // It is fetched anew between gets.
            return None;
        }
        if self.block.take().is_some()
            && let Some((last, _)) = self.fetched
        {
            // The program has not got it.
            self.known.retain(|known| known.descriptor != last);
        }
        self.fetched = Some((descriptor, generation));
        let block = self.known(image, offset);
        if let Some(known) = self.known.iter_mut().find(|known| known.descriptor == descriptor) {
            known.got.rotate_right(1);
            known.got[0] = 0..0;
        }
        block
    }

    /// The block that is likely to follow a descriptor.
    pub(super) fn known(&self, image: Rank, offset: u64) -> Option<Range<u64>> {
        let descriptor = Descriptor { image, offset };
        let known = self.known.iter().find(|known| known.descriptor == descriptor)?;
        let next = match &known.got {
            [last, before, ..] if last == before => last,
            [last, next, before, before_next] if last == before && next == before_next => next,
            _ => return None,
        };
        Some(next.clone()).filter(|next| !next.is_empty())
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
        let block = self.block.as_mut()?;
        let is_next = block.image == image
            && block.generation == generation
            && block.at.start == at.start
            && at.end <= block.at.end;
        if !is_next {
            return None;
        }
        block.at.start = at.end;
        let more = block.bytes.split_off((at.end - at.start) as usize);
        let bytes = std::mem::replace(&mut block.bytes, more);
        if block.at.is_empty() {
            self.block = None;
        }
        self.got(image, at, generation);
        Some(bytes)
    }

    /// The image gets these bytes, which were not fetched before.
    pub(super) fn missed(&mut self, image: Rank, at: &Range<u64>, generation: u64) {
        if self.got(image, at, generation) {
            self.block = None;
        }
    }

    /// Notes that the image gets these bytes. Returns whether they follow the last descriptor.
    fn got(&mut self, image: Rank, at: &Range<u64>, generation: u64) -> bool {
        let Some((descriptor, of)) = self.fetched else { return false };
        if descriptor.image != image || of != generation || at.end - at.start > LONGEST_BYTES {
            return false;
        }
        let known = match self.known.iter().position(|known| known.descriptor == descriptor) {
            Some(place) => &mut self.known[place],
            None => {
                if self.known.len() == MOST_DESCRIPTORS {
                    self.known.remove(0);
                }
                self.known.push(PredictedBlock { descriptor, got: Default::default() });
                self.known.last_mut().expect("just added")
            }
        };
        let last = &mut known.got[0];
        if last.is_empty() {
            *last = at.clone();
        } else if last.end == at.start && at.end - last.start <= LONGEST_BYTES {
            last.end = at.end;
        } else {
            return false;
        }
        true
    }

    /// This image defines these bytes of `image`.
    pub(super) fn forget(&mut self, image: Rank, bytes: &Range<u64>) {
        self.block.take_if(|block| {
            block.image == image && bytes.start < block.at.end && block.at.start < bytes.end
        });
    }
}
