//! Reduction of few numbers: through the slots to all members, or through the rings to one member, for which the others
//! do not wait.

use super::Operand;
use crate::host::{Host, Sources};
use xmp_core::BoxedResult;
use xmp_core::coll_area::{Direction, Flow, SLOT_DATA};

/// Bytes of an element up to which this algorithm can be used.
pub const LONGEST: usize = SLOT_DATA;

/// The reduction of elements of at most [`LONGEST`] bytes.
#[inline]
pub fn run(host: &Host<'_>, operand: &Operand<'_>) -> BoxedResult<()> {
    let elements = &operand.elements;
    elements.pieces(SLOT_DATA / elements.element()).try_for_each(|piece| {
        let (own, len) = (elements.at(piece.start), piece.len());
        // SAFETY: the elements have this piece, which fits in a slot.
        unsafe {
            match operand.to {
                None => for_all(host, operand, own, len),
                Some(to) => for_one(host, operand, own, len, to),
            }
        }
    })
}

/// # Safety
/// `own` has `len` elements, which fit in a slot.
#[inline]
unsafe fn for_all(
    host: &Host<'_>,
    operand: &Operand<'_>,
    own: *mut u8,
    len: usize,
) -> BoxedResult<()> {
    let elements = &operand.elements;
    // SAFETY: `own` and each slot have `len` elements (contract above). Slots of the last epoch are not written before
    // the next barrier.
    unsafe {
        std::ptr::copy_nonoverlapping(own, host.area.slot(), len * elements.element());
        host.barrier()?;
        let slots: Sources = (0..host.members()).map(|i| host.area.slot_of(i)).collect();
        elements.reduction().combine(own, &slots, len);
    }
    Ok(())
}

/// # Safety
/// `own` has `len` elements, which fit in a slot.
#[inline]
unsafe fn for_one(
    host: &Host<'_>,
    operand: &Operand<'_>,
    own: *mut u8,
    len: usize,
    to: usize,
) -> BoxedResult<()> {
    let elements = &operand.elements;
    let ring_exchange = host.ring_exchange()?;
    // SAFETY: `own` and each line have `len` elements (contract above).
    unsafe {
        if host.me() == to {
            let line = |i| if i == to { Ok(own.cast_const()) } else { ring_exchange.consume(i) };
            let lines = (0..host.members()).map(line).collect::<BoxedResult<Sources>>()?;
            if let Err(differs) = host.compare_lines(&ring_exchange, 0..host.members()) {
                ring_exchange.done(Flow::new(Direction::ToRoot, to));
                return Err(differs);
            }
            elements.reduction().combine(own, &lines, len);
        } else {
            let line = ring_exchange.line()?;
            std::ptr::copy_nonoverlapping(own, line, len * elements.element());
            host.produce(&ring_exchange);
        }
    }
    ring_exchange.done(Flow::new(Direction::ToRoot, to));
    Ok(())
}
