//! The huge pages of large blocks.

use crate::job::Job;
use crate::region::{HUGE_PAGE, HugePages, PAGE};
use std::collections::BTreeMap;
use std::ops::Range;

/// The large blocks of one image. Ranges are offsets in the region.
#[derive(Debug)]
pub(super) struct LargeBlocks {
    huge_pages: HugePages,
    /// Offset of the image's segment.
    segment: u64,
    advised: Ranges,
}

impl LargeBlocks {
    /// Those of the image with this segment; it has none yet.
    pub fn new(job: &Job, segment: u64) -> LargeBlocks {
        let huge_pages = HugePages::from_number(job.page().huge_pages);
        LargeBlocks { huge_pages, segment, advised: Ranges::default() }
    }

    /// The large block at this offset of the segment was allocated. Its image asks for huge pages, and takes them when it writes
    /// to the block first: on its own memory node.
    #[cold]
    pub fn allocated(&mut self, job: &Job, offset: u64, len: u64) {
        let start = self.segment + offset;
        let pages = whole_pages(start..start + len);
        // A block of the same place, freed before, has asked already.
        if self.huge_pages != HugePages::None && self.advised.insert(pages.clone()) {
            job.region().use_huge_pages(pages, self.huge_pages);
        }
    }

    /// Memory of the range of the region was given back.
    pub fn discarded(&mut self, range: Range<u64>) {
        self.advised.remove(range);
    }
}

/// The huge pages of a block. The first one may begin some lines before the block ([`crate::heap`]): these lines are free, or of
/// small blocks, which lose nothing by it.
fn whole_pages(block: Range<u64>) -> Range<u64> {
    let first = block.start / HUGE_PAGE * HUGE_PAGE;
    let start = if block.start - first < PAGE { first } else { first + HUGE_PAGE };
    start..(block.end / HUGE_PAGE * HUGE_PAGE).max(start)
}

/// Disjoint ranges that do not touch one another, by their starts.
#[derive(Debug, Default)]
struct Ranges(BTreeMap<u64, u64>);

impl Ranges {
    /// Adds a range. Whether a part of it is new.
    fn insert(&mut self, range: Range<u64>) -> bool {
        if range.is_empty() || self.covers(&range) {
            return false;
        }
        let mut union = range;
        while let Some((&start, &end)) = self.0.range(..=union.end).next_back() {
            if end < union.start {
                break;
            }
            self.0.remove(&start);
            union = start.min(union.start)..end.max(union.end);
        }
        self.0.insert(union.start, union.end);
        true
    }

    /// Takes a range out.
    fn remove(&mut self, range: Range<u64>) {
        while let Some((&start, &end)) = self.0.range(..range.end).next_back() {
            if end <= range.start || range.is_empty() {
                break;
            }
            self.0.remove(&start);
            for rest in [start..range.start, range.end..end] {
                if !rest.is_empty() {
                    self.0.insert(rest.start, rest.end);
                }
            }
            if start < range.start {
                break;
            }
        }
    }

    fn covers(&self, range: &Range<u64>) -> bool {
        let before = self.0.range(..=range.start).next_back();
        before.is_some_and(|(_, &end)| end >= range.end)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_block_has_the_huge_pages_that_it_fills_and_the_one_that_it_begins_with() {
        let unit = HUGE_PAGE;
        assert_eq!(whole_pages(unit..3 * unit), unit..3 * unit);
        assert_eq!(whole_pages(unit + 64..3 * unit + 64), unit..3 * unit);
        assert_eq!(whole_pages(unit + PAGE..4 * unit - 1), 2 * unit..3 * unit);
        assert!(whole_pages(unit + PAGE..2 * unit + PAGE).is_empty());
    }

    proptest! {
        #[test]
        fn ranges_are_sets_of_numbers(steps in proptest::collection::vec((0u64..64, 0u64..20, any::<bool>()), 0..60)) {
            let (mut ranges, mut model) = (Ranges::default(), [false; 100]);
            for (start, len, is_added) in steps {
                let range = start..start + len;
                let places = start as usize..(start + len) as usize;
                if is_added {
                    let is_new = model[places.clone()].iter().any(|is_in| !is_in);
                    prop_assert_eq!(ranges.insert(range), is_new);
                } else {
                    ranges.remove(range);
                }
                model[places].fill(is_added);
                let found: Vec<bool> = (0..100).map(|n| ranges.covers(&(n..n + 1))).collect();
                prop_assert_eq!(&found[..], &model[..]);
                // Ranges that touch are one.
                let bounds: Vec<u64> = ranges.0.iter().flat_map(|(&start, &end)| [start, end]).collect();
                prop_assert!(bounds.windows(2).all(|pair| pair[0] < pair[1]));
            }
        }
    }
}
