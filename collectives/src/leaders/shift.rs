//! Everybody gets the vector of the participant before.

use super::{Blocks, CollCall, run, scratch};
use crate::plan::CHUNK;
use crate::schedules::prefix;
use xmp_core::{Image, Rank, Result};

/// The rounds of [`prefix::shift`] of participant `me` of `n` with the `len` bytes at `start`: afterwards those of the
/// one before are there; the first keeps its own.
///
/// # Errors
/// When the job is ending or the transport fails.
///
/// # Safety
/// The bytes are valid and not accessed by others.
pub unsafe fn shift(
    image: &Image,
    (n, me): (usize, usize),
    peer: impl Fn(usize) -> Rank,
    (start, len): (*mut u8, usize),
    coll: &mut CollCall<'_>,
) -> Result<()> {
    for from in (0..len).step_by(CHUNK) {
        let (at, part) = (start.wrapping_add(from), CHUNK.min(len - from));
        // What comes must not replace what is being sent.
        scratch::with(2 * part, |both| {
            let blocks = Blocks { start: both, offsets: &[0, part, 2 * part] };
            // SAFETY: both blocks are scratch memory, `part` bytes at `at` the caller's.
            unsafe {
                std::ptr::copy_nonoverlapping(at, both, part);
                run(image, &peer, prefix::shift(n, me), blocks, None, coll)?;
                if me > 0 {
                    std::ptr::copy_nonoverlapping(both.add(part), at, part);
                }
            }
            Ok(())
        })?;
    }
    Ok(())
}
