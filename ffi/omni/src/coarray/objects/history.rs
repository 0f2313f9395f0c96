//! The chunks in the order of their allocation, what of them is garbage, and the search by address (the SortedChunkTable of
//! the Omni runtime).

use super::Chunk;
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;
use xmp_core::{Image, Result};

/// All chunks of an image that are not freed.
#[derive(Debug, Default)]
pub(super) struct History {
    /// Oldest first.
    order: Vec<Rc<Chunk>>,
    /// By the address of their part here. Live ones only: memory of garbage that was registered may be the program's again.
    sorted: BTreeMap<usize, Rc<Chunk>>,
}

impl History {
    /// A chunk was allocated.
    pub fn append(&mut self, chunk: Rc<Chunk>) {
        self.sorted.insert(chunk.local().addr(), chunk.clone());
        self.order.push(chunk);
    }

    /// The live chunk that has this address.
    pub fn find(&self, address: *const u8) -> Option<Rc<Chunk>> {
        let (&start, chunk) = self.sorted.range(..=address.addr()).next_back()?;
        // A chunk of size 0 still has its first byte as a name.
        let within = ((address.addr() - start) as u64) < chunk.len().max(1);
        within.then(|| chunk.clone())
    }

    /// A chunk is deallocated: from now on it is garbage.
    pub fn discard(&mut self, chunk: &Rc<Chunk>) {
        chunk.discard();
        self.remove_address(chunk);
    }

    fn remove_address(&mut self, chunk: &Rc<Chunk>) {
        let start = chunk.local().addr();
        // Another chunk may start there by now.
        if self.sorted.get(&start).is_some_and(|known| Rc::ptr_eq(known, chunk)) {
            self.sorted.remove(&start);
        }
    }

    /// Frees the garbage at the end of the order; all garbage of the executing set if there is more than `threshold` bytes.
    pub fn collect(&mut self, image: &Image, threshold: u64) -> Result<()> {
        while self
            .order
            .last()
            .is_some_and(|last| last.is_garbage() && last.is_of_executing_set(image))
        {
            self.order.pop().expect("there is a last one").free(image)?;
        }
        // The same sizes on all images of the set, so the same decision.
        let garbage = self.bytes(|chunk| chunk.is_garbage() && chunk.is_of_executing_set(image));
        if garbage > threshold {
            self.sweep(image)?;
        }
        Ok(())
    }

    /// Frees all garbage of the executing set; whether there was any.
    pub fn sweep(&mut self, image: &Image) -> Result<bool> {
        let garbage =
            |chunk: &mut Rc<Chunk>| chunk.is_garbage() && chunk.is_of_executing_set(image);
        let found: Vec<_> = self.order.extract_if(.., garbage).collect();
        found.iter().try_for_each(|chunk| chunk.free(image))?;
        Ok(!found.is_empty())
    }

    /// Live chunks that the executing set has allocated since it was entered.
    pub fn allocated_in_executing_set(&self, image: &Image) -> Vec<Rc<Chunk>> {
        // Those of the executing set are the last ones: chunks of sets that were entered later went with these sets.
        let of_others = self.order.iter().rposition(|chunk| !chunk.is_of_executing_set(image));
        let own = &self.order[of_others.map_or(0, |position| position + 1)..];
        let is_allocated = |chunk: &&Rc<Chunk>| chunk.is_live() && chunk.is_allocatable();
        own.iter().filter(is_allocated).cloned().collect()
    }

    /// A set was left, and these blocks of the segment were freed; what it had registered is not its any more either.
    pub fn released(&mut self, image: &Image, blocks: &[Range<u64>]) {
        let frames = image.stack().frames();
        let is_of_entered =
            |chunk: &Rc<Chunk>| frames.iter().rev().any(|frame| chunk.is_of_one(&[frame.serial()]));
        // Chunks of the set that was left are the last ones.
        if blocks.is_empty() && self.order.last().is_none_or(is_of_entered) {
            return;
        }
        let entered: Vec<u64> = frames.iter().map(|frame| frame.serial()).collect();
        let gone = |chunk: &mut Rc<Chunk>| {
            let gone = chunk.is_in(blocks) || !chunk.is_of_one(&entered);
            if gone {
                chunk.forget();
            }
            gone
        };
        let found: Vec<_> = self.order.extract_if(.., gone).collect();
        for chunk in found {
            chunk.leave_set();
            self.remove_address(&chunk);
        }
    }

    /// Bytes of the chunks of which this is true.
    pub fn bytes(&self, counts: impl Fn(&Chunk) -> bool) -> u64 {
        self.order.iter().filter(|chunk| counts(chunk)).map(|chunk| chunk.counted()).sum()
    }

    /// Bytes of the bookkeeping.
    pub fn own_bytes(&self) -> u64 {
        let entry = size_of::<Chunk>() + 2 * size_of::<Rc<Chunk>>() + size_of::<usize>();
        (self.order.len() * entry) as u64
    }
}
