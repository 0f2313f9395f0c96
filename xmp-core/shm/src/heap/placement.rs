//! The offsets at which a block may begin.
//!
//! Large blocks begin with a huge page, so that nearly all of their memory can be in huge pages. They do not begin at its first
//! byte: arrays that all start at the same offset in a page compete for the same few ways of the first-level cache. Each starts
//! some lines after its huge page does; their number follows from the number of the page.

use crate::error::{Error, Result};
use crate::region::{HUGE_PAGE, LEAST_LARGE, PAGE};

/// Every offset and block length is a multiple of this many bytes, so that no two blocks share a cache line. It is also
/// the default alignment.
pub const GRAIN: u64 = 64;

/// How far the start of an array is from that of the array before it, modulo [`PAGE`]: 39 of 64 lines. Multiples of the golden
/// section are far from one another, however many there are.
pub const DISTANCE: u64 = 39 * GRAIN;

/// Heaps with a smaller range do not spend addresses on huge pages.
pub(super) const LEAST_SPACIOUS: u64 = 1 << 30;

/// The offsets at which a block may begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Placement {
    /// Multiples of a power of two.
    Aligned(u64),
    /// One in the first page of each huge page.
    InHugePages,
}

impl Placement {
    /// That of a block of `size` bytes at a multiple of `align`. It depends on nothing that differs between images.
    ///
    /// # Errors
    /// [`Error::Invalid`] if `align` is not a power of two.
    pub fn new(size: u64, align: u64, is_spacious: bool) -> Result<Placement> {
        if !align.is_power_of_two() {
            return Err(Error::Invalid(format!("alignment {align} is not a power of two")));
        }
        let is_large = is_spacious && size >= LEAST_LARGE && align <= GRAIN;
        Ok(if is_large { Placement::InHugePages } else { Placement::Aligned(align.max(GRAIN)) })
    }

    /// The first of the offsets from this one on.
    pub fn at_or_after(self, from: u64) -> Option<u64> {
        match self {
            Placement::Aligned(align) => from.checked_next_multiple_of(align),
            Placement::InHugePages => {
                let here = start_in(from / HUGE_PAGE)?;
                if here >= from { Some(here) } else { start_in(from / HUGE_PAGE + 1) }
            }
        }
    }

    /// The last of the offsets up to this one.
    pub fn at_or_before(self, to: u64) -> Option<u64> {
        match self {
            Placement::Aligned(align) => Some(to & !(align - 1)),
            Placement::InHugePages => {
                let here = start_in(to / HUGE_PAGE).filter(|&here| here <= to);
                here.or_else(|| start_in((to / HUGE_PAGE).checked_sub(1)?))
            }
        }
    }
}

/// The start of a block in the huge page of this number.
fn start_in(number: u64) -> Option<u64> {
    number.checked_mul(HUGE_PAGE)?.checked_add(number.wrapping_mul(DISTANCE) % PAGE)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_large_blocks_of_large_heaps_begin_with_huge_pages() {
        let large = |size, align, is_spacious| {
            Placement::new(size, align, is_spacious) == Ok(Placement::InHugePages)
        };
        assert!(large(LEAST_LARGE, 8, true) && large(u64::MAX, GRAIN, true));
        assert!(!large(LEAST_LARGE - 1, GRAIN, true) && !large(LEAST_LARGE, GRAIN, false));
        assert!(!large(LEAST_LARGE, 4096, true), "a requested alignment is kept");
        assert!(Placement::new(8, 24, true).is_err());
    }

    #[test]
    fn blocks_that_follow_one_another_start_in_different_lines_of_a_page() {
        for pages in 1..64 {
            let lines: std::collections::BTreeSet<u64> =
                (0..64 / pages).map(|n| start_in(n * pages).unwrap() % PAGE / GRAIN).collect();
            assert_eq!(lines.len() as u64, 64 / pages, "{pages}");
        }
    }

    proptest! {
        #[test]
        fn places_are_the_nearest_ones(at in 0u64..1 << 40, bits in 6u32..20, huge: bool) {
            let placement = if huge { Placement::InHugePages } else { Placement::Aligned(1 << bits) };
            let unit = if huge { HUGE_PAGE + PAGE } else { 1 << bits };
            let after = placement.at_or_after(at).unwrap();
            prop_assert!(after >= at && after - at <= unit);
            prop_assert_eq!(placement.at_or_after(after), Some(after));
            prop_assert_eq!(placement.at_or_before(after), Some(after));
            if let Some(before) = placement.at_or_before(at) {
                prop_assert!(before <= at && at - before <= unit);
                prop_assert_eq!(placement.at_or_after(before), Some(before));
                prop_assert!(before == at || placement.at_or_after(before + 1) == Some(after));
            }
            if huge {
                prop_assert!(after % HUGE_PAGE < PAGE && after % GRAIN == 0);
            }
        }

        #[test]
        fn no_place_is_beyond_the_numbers(from in u64::MAX - 2 * HUGE_PAGE..=u64::MAX) {
            let place = Placement::InHugePages.at_or_after(from);
            prop_assert!(place.is_none_or(|at| at >= from));
        }
    }
}
