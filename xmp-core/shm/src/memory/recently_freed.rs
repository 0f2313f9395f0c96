//! Small blocks of ordinary memory that were freed lately: programs allocate arrays of the same sizes again and again.

use crate::heap::GRAIN;
use std::cell::Cell;

/// Larger blocks are given back at once.
pub(super) const MAX_BYTES: u64 = 64 << 10;

/// Blocks that are kept at most.
const PLACES: usize = 64;

/// Freed blocks that still belong to their heap. Each size, in units of [`GRAIN`], has one place, which it shares with others.
#[derive(Debug)]
pub(super) struct RecentlyFreed {
    places: [Cell<Option<Block>>; PLACES],
}

/// A freed block with room for this many units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Block {
    units: u64,
    offset: u64,
}

impl RecentlyFreed {
    /// Without any block.
    pub fn new() -> RecentlyFreed {
        RecentlyFreed { places: [const { Cell::new(None) }; PLACES] }
    }

    /// Takes a block out that was kept for this size.
    #[inline]
    pub fn take(&self, size: u64) -> Option<u64> {
        let units = size.div_ceil(GRAIN);
        let place = self.place(units);
        let block = place.get().filter(|block| block.units == units)?;
        place.set(None);
        Some(block.offset)
    }

    /// Keeps a block with room for `size` bytes. Returns the offset of a block that is not kept any more.
    #[inline]
    pub fn keep(&self, size: u64, offset: u64) -> Option<u64> {
        if size > MAX_BYTES {
            return Some(offset);
        }
        let units = size.div_ceil(GRAIN);
        self.place(units).replace(Some(Block { units, offset })).map(|block| block.offset)
    }

    /// Takes all blocks out.
    pub fn take_all(&self) -> impl Iterator<Item = u64> {
        self.places.iter().filter_map(|place| Some(place.take()?.offset))
    }

    fn place(&self, units: u64) -> &Cell<Option<Block>> {
        &self.places[units as usize % PLACES]
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[test]
    fn a_block_serves_a_size_that_has_as_many_units() {
        let freed = RecentlyFreed::new();
        assert_eq!(freed.keep(1000, 64), None);
        assert_eq!(freed.take(960), None, "a unit less");
        assert_eq!(freed.take(1025), None, "a unit more");
        assert_eq!(freed.take(961), Some(64));
        assert_eq!(freed.take(1000), None);
        assert_eq!(freed.keep(MAX_BYTES + 1, 128), Some(128));
    }

    proptest! {
        #[test]
        fn no_block_is_lost_or_served_twice(steps in proptest::collection::vec((1u64..9000, any::<bool>()), 0..300)) {
            let freed = RecentlyFreed::new();
            // Blocks that are kept, with the units that they have room for.
            let mut model = BTreeMap::new();
            for (number, (size, keeps)) in steps.into_iter().enumerate() {
                if keeps {
                    let offset = 64 * number as u64;
                    model.insert(offset, size.div_ceil(GRAIN));
                    if let Some(dropped) = freed.keep(size, offset) {
                        prop_assert!(dropped != offset && model.remove(&dropped).is_some());
                    }
                } else if let Some(offset) = freed.take(size) {
                    prop_assert_eq!(model.remove(&offset), Some(size.div_ceil(GRAIN)));
                }
            }
            let rest: Vec<u64> = freed.take_all().collect();
            prop_assert_eq!(rest.len(), model.len());
            prop_assert!(rest.iter().all(|offset| model.contains_key(offset)));
            prop_assert_eq!(freed.take_all().count(), 0);
        }
    }
}
