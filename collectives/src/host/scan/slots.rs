//! Elements in lines of a ring exchange, which the members behind read; a producer does not wait for them.

use super::Operand;
use crate::host::{Host, Sources};
use xmp_core::Result;
use xmp_core::coll_area::SLOT_DATA;

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
        let ring_exchange = host.ring_exchange()?;
        // SAFETY: the piece fits in a line.
        unsafe {
            let bytes = piece.len() * operand.element();
            let line = ring_exchange.line()?;
            std::ptr::copy_nonoverlapping(own, line, bytes);
            ring_exchange.produce();
            let members = operand.members_in(host.me());
            if !members.is_empty() {
                let lines: Result<Sources> = members.map(|i| ring_exchange.consume(i)).collect();
                operand.reduction.prefix(own, &lines?, piece.len());
            }
        }
        ring_exchange.done();
    }
    Ok(())
}
