//! Elements in lines. For all members: in the slots, the cache lines that make the step. For one: in lines that are
//! delivered to it, and the others go on without waiting for it.

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
    let per_line = SLOT_DATA / operand.element();
    operand.pieces(per_line).try_for_each(|piece| {
        let (own, len) = (operand.at(piece.start), piece.len());
        // SAFETY: there are `len` elements at `own` (contract above); the piece fits in a line.
        unsafe {
            match operand.to {
                None => for_all(host, operand, own, len),
                Some(to) => for_one(host, operand, own, len, to),
            }
        }
    })
}

/// # Safety
/// There are `len` elements at `own`, which fit in a slot.
#[inline]
unsafe fn for_all(host: &Host<'_>, operand: &Operand<'_>, own: *mut u8, len: usize) -> Result<()> {
    // SAFETY: there are `len` elements at `own` (contract above); slots of the last step are read before the next one.
    unsafe {
        std::ptr::copy_nonoverlapping(own, host.area.slot(), len * operand.element());
        host.barrier()?;
        let slots: Sources = (0..host.members()).map(|i| host.area.slot_of(i)).collect();
        operand.reduction.combine(own, &slots, len);
    }
    Ok(())
}

/// # Safety
/// As [`for_all`].
#[inline]
unsafe fn for_one(
    host: &Host<'_>,
    operand: &Operand<'_>,
    own: *mut u8,
    len: usize,
    to: usize,
) -> Result<()> {
    let ring_exchange = host.ring_exchange()?;
    // SAFETY: there are `len` elements at `own` (contract above).
    unsafe {
        if host.me() == to {
            let line = |i| if i == to { Ok(own.cast_const()) } else { ring_exchange.consume(i) };
            let lines: Result<Sources> = (0..host.members()).map(line).collect();
            operand.reduction.combine(own, &lines?, len);
        } else {
            std::ptr::copy_nonoverlapping(own, ring_exchange.line()?, len * operand.element());
            ring_exchange.produce();
        }
    }
    ring_exchange.done();
    Ok(())
}
