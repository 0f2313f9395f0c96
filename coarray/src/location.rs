//! The location of a word or a block: an image and an offset in its segment.

use xmp_core::Rank;

/// A place in the segment of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Location {
    /// The image.
    pub rank: Rank,
    /// Bytes from the start of its segment.
    pub offset: u64,
}
