//! Memory for the parts of distributed arrays: arrays that follow one another start in different lines of a page.
//!
//! A loop often reads ten and more arrays of the same shape at the same index. If all of them start in the same line of a page,
//! these elements compete for the same few ways of the first-level cache, and a store hinders loads from other arrays ("4K
//! aliasing"). Programs usually have such sizes: powers of two, or whole pages.

use super::Memory;
use crate::error::Result;
use crate::heap::{DISTANCE, GRAIN};

/// The range of addresses in which each line falls into another set of the first-level cache, and the bits by which
/// processors compare a load with the stores before it.
const PAGE: u64 = 4096;

/// Smaller parts stay as they are: they would lose more memory than they gain.
const MIN_PART: u64 = 4 * PAGE;

impl Memory {
    /// Allocates `size` bytes of the non-symmetric heap for this image's part of an array, as [`Memory::allocate_local`] does.
    /// Parts of some pages that are allocated one after the other start in different lines of a page.
    ///
    /// # Errors
    /// [`crate::error::Error::OutOfMemory`].
    pub fn allocate_part(&self, size: u64) -> Result<u64> {
        self.allocate_local(spread(size.max(1)), GRAIN)
    }
}

/// The least length from `size` that is [`DISTANCE`] modulo [`PAGE`]; `size` itself if that is small.
pub(super) fn spread(size: u64) -> u64 {
    match size {
        MIN_PART.. => size.saturating_add(DISTANCE.wrapping_sub(size) % PAGE),
        _ => size,
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::{MIN_PART, PAGE, spread};
    use crate::heap::GRAIN;
    use crate::thread_images as threads;
    use std::collections::BTreeSet;

    /// The lines of a page in which parts of these sizes start, and the least distance of two lines.
    fn lines(sizes: &'static [u64]) -> (usize, u64) {
        let starts = threads::run(1, 1, |image| {
            let start = |&size| image.memory().allocate_part(size).unwrap() % PAGE / GRAIN;
            sizes.iter().map(start).collect::<BTreeSet<u64>>()
        });
        let starts: Vec<u64> = starts.unwrap().remove(0).into_iter().collect();
        let nearest = starts.windows(2).map(|pair| pair[1] - pair[0]).min().unwrap();
        (starts.len(), nearest)
    }

    #[test]
    fn arrays_of_one_size_start_in_lines_that_are_far_from_one_another() {
        assert_eq!(lines(&[1 << 21; 13]), (13, 3));
        assert_eq!(lines(&[1600 + (1 << 21); 13]), (13, 3));
        assert_eq!(lines(&[1 << 14; 64]), (64, 1));
    }

    #[test]
    fn a_part_has_room_for_its_elements_and_loses_less_than_a_page() {
        for size in (0..3 * MIN_PART).step_by(40).chain([u64::MAX - 1, u64::MAX]) {
            let len = spread(size);
            assert!(len >= size && len - size < PAGE, "{size}: {len}");
            assert!(size >= MIN_PART || len == size, "{size}: {len}");
        }
    }
}
