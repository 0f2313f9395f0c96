//! The rank of an image: its position in the initial set, from 0.

use std::fmt;

/// The 0-based position of an image in the initial set (= MPI rank; XMP node number - 1).
///
/// An *image index*, by contrast, counts from 1 within the set that executes; [`Rank::image`] is the
/// index in the initial set and is what messages to users show.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rank(u32);

impl Rank {
    /// The rank with this 0-based number.
    #[inline(always)]
    pub const fn new(number: u32) -> Self {
        Rank(number)
    }

    /// The 0-based number.
    #[inline(always)]
    pub const fn get(self) -> u32 {
        self.0
    }

    /// The 0-based number, to index arrays with.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The 1-based image index in the initial set.
    #[inline(always)]
    pub const fn image(self) -> u32 {
        self.0 + 1
    }
}

impl fmt::Display for Rank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A damaged message may name any rank, the greatest number too.
        write!(f, "image {}", u64::from(self.0) + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_a_text() {
        assert_eq!(Rank::new(0).to_string(), "image 1");
        assert_eq!(Rank::new(u32::MAX).to_string(), "image 4294967296");
    }
}
