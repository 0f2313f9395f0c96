//! Shift: each participant gets the vector of the participant before.

use super::{Blocks, CollCall, run, scratch};
use crate::plan::{CHUNK, Participant};
use crate::schedules::prefix;
use xmp_core::{Image, Rank, Result};

/// The rounds of [`prefix::shift`] of this participant with the `len` bytes at `start`: afterwards those of the
/// one before are there; the first keeps its own.
///
/// # Errors
/// When the job is ending or the transport fails.
///
/// # Safety
/// The bytes are valid and not accessed by others.
pub unsafe fn shift(
    image: &Image,
    who: Participant,
    peer: impl Fn(usize) -> Rank,
    start: *mut u8,
    len: usize,
    coll: &mut CollCall<'_>,
) -> Result<()> {
    let Participant { n, position: me } = who;
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
