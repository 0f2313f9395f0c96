//! Coarray handles as numbers: the place of a coarray in a table, with a generation that tells apart the coarrays which
//! have had that place.

use std::ffi::c_void;

/// `prif_coarray_handle`.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handle(u64);

const _: () = assert!(size_of::<Handle>() == size_of::<*mut c_void>());

/// The upper 16 bits of a handle: no address of a program on x86-64 has them.
const TAG: u64 = 0x5afc << 48;
const GENERATION_BITS: u32 = 28;
const INDEX_BITS: u32 = 20;

/// Number of places.
pub const PLACES: usize = 1 << INDEX_BITS;

impl Handle {
    /// The handle of a place for the coarray that has it as the first, second, ... one.
    pub fn new(index: usize, generation: u64) -> Handle {
        Handle(TAG | generation << INDEX_BITS | index as u64)
    }

    /// The place; any number has one.
    #[inline(always)]
    pub fn index(self) -> usize {
        self.0 as usize % PLACES
    }

    /// The generation that the next coarray of the place has; `None` when all are used up.
    pub fn next_generation(self) -> Option<u64> {
        let next = (self.0 >> INDEX_BITS & ((1 << GENERATION_BITS) - 1)) + 1;
        (next < 1 << GENERATION_BITS).then_some(next)
    }

    /// The number.
    pub fn number(self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_generations_are_found_again() {
        for index in [0, 1, 1023, 1024, PLACES - 1] {
            let (first, last) =
                (Handle::new(index, 0), Handle::new(index, (1 << GENERATION_BITS) - 1));
            assert_eq!((first.index(), last.index()), (index, index));
            assert_eq!((first.next_generation(), last.next_generation()), (Some(1), None));
            assert_ne!(first, Handle::new(index, 1));
        }
    }
}
