//! Image indices as Rust programs give them.

use xmp_core::{Image, Rank, Result};

/// The rank of a 1-based image index of the executing set.
///
/// # Errors
/// [`xmp_core::Error::ImageIndex`].
#[inline(always)]
pub(super) fn rank_of(image: &Image, index: usize) -> Result<Rank> {
    match i32::try_from(index).ok().and_then(|index| image.stack().rank_of_index(index)) {
        Some(rank) => Ok(rank),
        None => slowly(image, index),
    }
}

/// The 0-based position of a 1-based image index of the executing set.
///
/// # Errors
/// [`xmp_core::Error::ImageIndex`].
pub(super) fn position_of(image: &Image, index: usize) -> Result<usize> {
    rank_of(image, index).map(|_| index - 1)
}

#[cold]
fn slowly(image: &Image, index: usize) -> Result<Rank> {
    image.executing().rank_of_index(i64::try_from(index).unwrap_or(i64::MAX))
}
