//! What each image says of the ends of others that it has been told of by operations of a set.
//!
//! Who has been told that an image has ended takes no part any more in operations of sets with that image: it has left
//! them. It says so in a table of its segment, a bit for each image, that only itself writes; the others look there, over the
//! transport, when they wait for it in such a set. The argument is in `README.md`.

use super::announce;
use crate::error::{Error, Result};
use crate::image::Image;
use crate::image_set::ImageSet;
use crate::rank::Rank;
use crate::sync::{AtomicU64, Ordering};
use crate::transport::{AtomicOp, Width};

/// Images in a word of the table.
const BITS: u32 = u64::BITS;
/// Bytes of a word.
const WORD: u64 = size_of::<AtomicU64>() as u64;

/// Bytes of the table of an image: those that have failed, then those that have stopped. Zeroed memory is an empty table.
pub const fn table(images: u32) -> u64 {
    2 * half(images)
}

const fn half(images: u32) -> u64 {
    images.div_ceil(BITS) as u64 * WORD
}

/// Where the word about an image is in a table, and its bit there.
fn place(image: &Image, rank: Rank, stopped: bool) -> (u64, u64) {
    let begin = if stopped { half(image.job().images() as u32) } else { 0 };
    (begin + u64::from(rank.get() / BITS) * WORD, 1 << (rank.get() % BITS))
}

/// This image has been told by an operation, with this error, that another one has ended; of other errors nothing is said.
/// What it has sent before has arrived when others see that.
///
/// # Errors
/// When what it has sent cannot be completed.
#[cold]
pub fn tell(image: &Image, error: &Error) -> Result<()> {
    let (offset, bit) = match *error {
        Error::FailedImage(rank) => place(image, rank, false),
        Error::StoppedImage(rank) => place(image, rank, true),
        _ => return Ok(()),
    };
    let at = image.own_segment().wrapping_add((image.layout().told + offset) as usize);
    // SAFETY: a word of the own table, made of atomics, which lives as long as the image.
    let word = unsafe { &*at.cast::<AtomicU64>() };
    // Relaxed: only this image writes it.
    if word.load(Ordering::Relaxed) & bit == 0 {
        let finished = image.transport().finish();
        // Also when that could not be: this image leaves, and nobody is to wait for it.
        mark(word, bit);
        // Mates may wait for it in a step of a board.
        announce(image.job());
        finished?;
    }
    Ok(())
}

/// Sets a bit of a word of the own table.
pub(crate) fn mark(word: &AtomicU64, bit: u64) {
    // Relaxed: only this image writes it.
    let known = word.load(Ordering::Relaxed);
    // Release: what this image did before, for those of this host.
    word.store(known | bit, Ordering::Release);
}

/// The end of one of these images, that of the first of them, of which `other` has been told: this image, or any other.
///
/// # Errors
/// When its host cannot be reached.
pub fn of_any(
    image: &Image,
    other: Rank,
    ranks: impl IntoIterator<Item = Rank>,
) -> Result<Option<Error>> {
    let mut last = (u64::MAX, [0; 2]);
    for rank in ranks {
        let [(offset, bit), (stopped, _)] = [false, true].map(|half| place(image, rank, half));
        if last.0 != offset {
            last = (offset, [load(image, other, offset)?, load(image, other, stopped)?]);
        }
        let [failed, stopped] = last.1.map(|word| word & bit != 0);
        if stopped {
            return Ok(Some(Error::StoppedImage(rank)));
        }
        if failed {
            return Ok(Some(Error::FailedImage(rank)));
        }
    }
    Ok(None)
}

/// Whether this image can take part in an operation of the set: has not left it.
///
/// # Errors
/// The end because of which it has left; when its own table cannot be read.
#[inline]
pub fn check(image: &Image, set: &ImageSet) -> Result<()> {
    match super::all_running(image.job()) {
        true => Ok(()),
        false => of_any(image, image.rank(), set.ranks())?.map_or(Ok(()), Err),
    }
}

fn load(image: &Image, other: Rank, offset: u64) -> Result<u64> {
    let at = image.layout().told + offset;
    // SAFETY: an aligned word of the table, which has atomics only.
    unsafe { image.transport().fetch_op(AtomicOp::Load, other, at, Width::W8, 0) }
}
