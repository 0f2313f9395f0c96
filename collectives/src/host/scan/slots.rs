//! Elements in the slots.

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
    for piece in operand.pieces(SLOT_DATA) {
        let own = operand.at(piece.start);
        // SAFETY: the piece fits in a slot; slots of the last step are read before the next one.
        unsafe {
            let bytes = piece.len() * operand.element();
            std::ptr::copy_nonoverlapping(own, host.board.slot(), bytes);
            host.step()?;
            let members = operand.members_in(host.me());
            if !members.is_empty() {
                let slots: Sources = members.map(|i| host.board.slot_of(i)).collect();
                operand.reduction.prefix(own, &slots, piece.len());
            }
        }
    }
    Ok(())
}
