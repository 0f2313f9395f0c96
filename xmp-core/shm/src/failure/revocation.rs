//! Revocation table: each image publishes the ends of others that operations of a set have notified it of.
//!
//! An image that was notified of an end revokes all sets with the ended image: it takes no part any more in their
//! operations. It publishes that in a table of its segment, a bit for each image, that only itself writes. Others read
//! the table, over the transport, when they wait for it in such a set. The proof is in `README.md`, "Revocation".

use super::announce;
use crate::endpoint::Endpoint;
use crate::error::{Error, Result};
use crate::image_group::ImageGroup;
use crate::job::revocation_len;
use crate::rank::Rank;
use crate::sync::{AtomicU64, Ordering};
use crate::transport::{AtomicRequest, FlushScope, Width};

/// Images in a word of the table.
const BITS: u32 = u64::BITS;
/// Bytes of a word.
const WORD: u64 = size_of::<AtomicU64>() as u64;

/// Bytes of half the table of an image: a bit for each failed image, then one for each stopped image. Zeroed memory is
/// an empty table.
const fn half(images: u32) -> u64 {
    revocation_len(images) / 2
}

/// The offset in a table of the word about an image, and its bit there.
fn place(image: &Endpoint, rank: Rank, stopped: bool) -> (u64, u64) {
    let begin = if stopped { half(image.job().images() as u32) } else { 0 };
    (begin + u64::from(rank.get() / BITS) * WORD, 1 << (rank.get() % BITS))
}

/// Publishes that an operation has notified this image, with this error, of the end of another one; other errors
/// publish nothing. When others see the bit, everything that this image has sent before has arrived.
///
/// # Errors
/// When what it has sent cannot be completed.
#[cold]
pub fn publish(image: &Endpoint, error: &Error) -> Result<()> {
    let (offset, bit) = match *error {
        Error::FailedImage(rank) => place(image, rank, false),
        Error::StoppedImage(rank) => place(image, rank, true),
        _ => return Ok(()),
    };
    let at = image.own_segment().wrapping_add((image.layout().revocations + offset) as usize);
    // SAFETY: a word of the own table: atomics, which live as long as the image.
    let word = unsafe { &*at.cast::<AtomicU64>() };
    // Relaxed: only this image writes it.
    if word.load(Ordering::Relaxed) & bit == 0 {
        let finished = image.transport().flush(FlushScope::Everything);
        // Also after an error: this image revokes, and no image may wait for it.
        mark(word, bit);
        // Local peers may wait for it in a barrier of a collective area.
        announce(image.job());
        finished?;
    }
    Ok(())
}

/// Sets a bit of a word of the own table.
pub(crate) fn mark(word: &AtomicU64, bit: u64) {
    // Relaxed: only this image writes it.
    let known = word.load(Ordering::Relaxed);
    // Release: what this image did before, for images of this host.
    word.store(known | bit, Ordering::Release);
}

/// The error of the first of `ended` whose end `other` (this image or any other) has been notified of.
///
/// # Errors
/// When its host cannot be reached.
pub fn of_any(
    image: &Endpoint,
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

/// Checks that this image has not revoked the set.
///
/// # Errors
/// The end because of which it has revoked the set; when its own table cannot be read.
#[inline(always)]
pub fn check(image: &Endpoint, set: &ImageGroup) -> Result<()> {
    if super::all_running(image.job()) { Ok(()) } else { check_each(image, set) }
}

#[cold]
#[inline(never)]
fn check_each(image: &Endpoint, set: &ImageGroup) -> Result<()> {
    of_any(image, image.rank(), set.ranks())?.map_or(Ok(()), Err)
}

fn load(image: &Endpoint, other: Rank, offset: u64) -> Result<u64> {
    let at = image.layout().revocations + offset;
    // SAFETY: an aligned word of the table, which consists of atomics.
    unsafe { image.transport().atomic(other, at, Width::W8, AtomicRequest::LOAD) }
}
