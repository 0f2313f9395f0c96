//! Everybody stages all its elements, and who wants the result combines all of them: one step a chunk. The
//! combining is done as often as there are members, but nobody waits for a result.

use super::Operand;
use crate::host::{Host, Sources};
use xmp_core::Result;
use xmp_core::board::STAGING;

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
    let (me, element) = (host.me(), operand.element());
    let per_step = (chunk / element).max(1);
    for piece in operand.pieces(per_step) {
        let own = operand.at(piece.start);
        let bytes = piece.len() * element;
        // SAFETY: the piece fits in staging; staging of the last step is read before the next one. Own
        // elements are read where they are: nobody else writes them.
        unsafe {
            if operand.to != Some(me) {
                host.board.stage(host.board.staging(bytes), own, bytes);
            }
            host.step()?;
            if operand.wanted_by(me) {
                let source = |i| match i == me {
                    true => own.cast_const(),
                    false => host.board.staging_of(i, bytes),
                };
                let sources: Sources = (0..host.members()).map(source).collect();
                operand.reduction.combine(own, &sources, piece.len());
            }
        }
    }
    Ok(())
}
