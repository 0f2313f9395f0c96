//! How the images of a set meet that are left when others have failed.
//!
//! They need not know of the same failures, and one that fails may have met the others in its last step. So all go the
//! same way: first they meet without the image that failed first, if that cannot be, without the first two, and so on.
//! An image that has failed took part without those only that had failed before it, and a step of a board is made by all
//! its images or by none: who comes later finds each of these steps made, or impossible, as those before it did.

use xmp_core::board::Board;
use xmp_core::image_set::{ImageSet, Members};
use xmp_core::{Error, Image, Rank, Result, failure};

/// Returns when all images of the set that have not failed have called it as often as this one; the greatest of the words
/// that these give. At once, with `None`, when they are on several hosts or have no board, or one whose steps some can make
/// while others cannot: then this image may know of a failure that another one does not know of, and would wait for it.
///
/// # Errors
/// When one of them has stopped.
///
/// # Panics
/// When this image is not in the set.
pub fn meet(image: &Image, set: &ImageSet, word: u64) -> Result<Option<u64>> {
    if !set.levels(image)?.board().is_some_and(Board::all_or_none) {
        return Ok(None);
    }
    if set.len() == image.job().images() {
        failure::begin_to_meet(image.job(), image.rank());
    }
    for without in 1.. {
        let failed = failure::failed_in_order(image.job(), set.ranks());
        let Some(failed) = failed.get(..without) else { return Ok(None) };
        let left: Vec<Rank> = set.ranks().filter(|rank| !failed.contains(rank)).collect();
        if left.len() == 1 {
            return Ok(Some(word));
        }
        let left = image.set(Members::from_list(&left)?)?;
        let levels = match left.levels(image) {
            Err(Error::FailedImage(_)) => continue,
            levels => levels?,
        };
        let Some(board) = levels.board().filter(|_| levels.single_host()) else { return Ok(None) };
        match greatest(image, board, word) {
            Err(Error::FailedImage(_)) => {}
            outcome => return outcome.map(Some),
        }
    }
    Ok(None)
}

/// The greatest of the words that the members of a board give in a step.
fn greatest(image: &Image, board: &Board, word: u64) -> Result<u64> {
    // SAFETY: a slot has room for a word and is aligned for it; this is the slot of the coming step.
    unsafe { board.slot().cast::<u64>().write(word) };
    board.step(image)?;
    // SAFETY: as above, of the step that was made: all members have written theirs.
    let words =
        (0..board.len()).map(|member| unsafe { board.slot_of(member).cast::<u64>().read() });
    Ok(words.max().unwrap_or(word))
}
