//! Elements in the slots: the data travels in the cache line that makes the step.

use super::Operand;
use crate::host::{Host, Sources};
use xmp_core::Result;
use xmp_core::board::SLOT_DATA;

/// Longest element that this algorithm can take, in bytes.
pub const LONGEST: usize = SLOT_DATA;

/// # Errors
/// When a member has ended.
///
/// # Safety
/// The operand is valid; elements are at most [`LONGEST`] bytes.
#[inline]
pub unsafe fn run(host: &Host<'_>, operand: &Operand<'_>) -> Result<()> {
    let per_step = SLOT_DATA / operand.element();
    for piece in operand.pieces(per_step) {
        let own = operand.at(piece.start);
        // SAFETY: the piece fits in a slot; slots of the last step are read before the next one.
        unsafe {
            let bytes = piece.len() * operand.element();
            std::ptr::copy_nonoverlapping(own, host.board.slot(), bytes);
            host.step()?;
            if operand.wanted_by(host.me()) {
                let slots: Sources = (0..host.members()).map(|i| host.board.slot_of(i)).collect();
                operand.reduction.combine(own, &slots, piece.len());
            }
        }
    }
    Ok(())
}
