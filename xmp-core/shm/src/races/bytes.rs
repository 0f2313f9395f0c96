//! Bytes of the memory of an image.

use crate::rank::Rank;

/// Bytes of the segment of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytes {
    /// The image.
    pub of: Rank,
    /// Offset of the first one.
    pub offset: u64,
    /// Their number.
    pub len: u64,
}

impl Bytes {
    /// The offset after the last one.
    pub(super) fn end(&self) -> u64 {
        self.offset.saturating_add(self.len)
    }
}
