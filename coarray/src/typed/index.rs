//! Image indices as Rust programs give them.

use xmp_core::{Error, Image, Rank, Result};

/// The rank of a 1-based image index of the executing set.
///
/// # Errors
/// [`Error::ImageIndex`].
#[inline(always)]
pub(super) fn rank_of(image: &Image, index: usize) -> Result<Rank> {
    match i32::try_from(index).ok().and_then(|index| image.stack().rank_of_index(index)) {
        Some(rank) => Ok(rank),
        None => Err(bad_index(image, index)),
    }
}

/// The 0-based position of a 1-based image index of the executing set.
///
/// # Errors
/// [`Error::ImageIndex`].
pub(super) fn position_of(image: &Image, index: usize) -> Result<usize> {
    rank_of(image, index).map(|_| index - 1)
}

#[cold]
fn bad_index(image: &Image, index: usize) -> Error {
    let index = i64::try_from(index).unwrap_or(i64::MAX);
    Error::ImageIndex { index, images: image.executing().len() }
}
