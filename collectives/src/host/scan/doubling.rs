//! The schedule [`crate::schedules::prefix`] in staging: a step a round, in which each member combines once.

use super::Operand;
use crate::host::Host;
use crate::host::copy::take;
use std::ops::Range;
use xmp_core::Result;
use xmp_core::coll_area::STAGING;

/// Longest element that this algorithm can take, in bytes.
pub const LONGEST: usize = STAGING;

/// Works in chunks of about `chunk` bytes, at most [`STAGING`].
///
/// # Errors
/// When a member has ended.
///
/// # Safety
/// The operand is valid; elements are at most [`LONGEST`] bytes.
pub unsafe fn run(host: &Host<'_>, operand: &Operand<'_>, chunk: usize) -> Result<()> {
    // An exclusive scan is one of the elements of the members before: the first then does not take part.
    let first = usize::from(operand.exclusive);
    for piece in operand.pieces(chunk) {
        let own = operand.at(piece.start);
        let bytes = piece.len() * operand.element();
        // SAFETY: staging of the last step is read before the next one.
        unsafe {
            if operand.exclusive {
                let before = round(host, operand, &piece, 0, 1)?;
                if let Some(before) = before {
                    take(own, before, bytes);
                }
            }
            let mut distance = 1;
            while first + distance < host.members() {
                let before = round(host, operand, &piece, first, distance)?;
                if let Some(before) = before {
                    operand.reduction.two(own, before, own, piece.len());
                }
                distance *= 2;
            }
        }
    }
    Ok(())
}

/// Stages the piece for the member `distance` further on, of those from `first` on, makes a step, and returns what the
/// member as far before has staged.
///
/// # Safety
/// The operand is valid.
unsafe fn round(
    host: &Host<'_>,
    operand: &Operand<'_>,
    piece: &Range<usize>,
    first: usize,
    distance: usize,
) -> Result<Option<*const u8>> {
    let me = host.me();
    let bytes = piece.len() * operand.element();
    if me >= first && me + distance < host.members() {
        // SAFETY: own staging of the coming step, of this length; a piece of the operand.
        unsafe { host.area.stage(host.area.staging(bytes), operand.at(piece.start), bytes) };
    }
    host.barrier()?;
    Ok((me >= first + distance).then(|| host.area.staging_of(me - distance, bytes)))
}
