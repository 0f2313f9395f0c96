//! All operands are in segments: everybody reads its slice from all of them and writes the result to all,
//! straight. Two steps: the exchange of addresses, which also says that the operands are ready, and the closing
//! one.

use super::{Operand, slice};
use crate::host::{Host, Sources};
use xmp_core::Result;

/// Bytes that are combined and then copied to the others while they are in the first-level cache.
const BLOCK: usize = 8 * 1024;

/// Tries; `Ok(false)`, and nothing has happened, when not all operands are in segments: the same answer for
/// all members.
///
/// # Errors
/// When a member has ended.
///
/// # Safety
/// The operand is valid.
pub unsafe fn run(host: &Host<'_>, operand: &Operand<'_>) -> Result<bool> {
    host.say(host.shared_address(operand.buffer));
    host.step()?;
    let addresses: Sources = (0..host.members())
        .map(|i| std::ptr::with_exposed_provenance(host.said(i) as usize))
        .collect();
    if addresses.iter().any(|address| address.is_null()) {
        return Ok(false);
    }
    let element = operand.element();
    let own = slice(&(0..operand.count), element, host.members(), host.me());
    let step = (BLOCK / element).max(1);
    for from in own.clone().step_by(step) {
        let count = step.min(own.end - from);
        let sources: Sources =
            addresses.iter().map(|address| address.wrapping_add(from * element)).collect();
        // SAFETY: all members are between the first and the last step of this operation, their operands are
        // valid and touched only by the image that the slice belongs to: this one. Segments are mapped at
        // one address on this host.
        unsafe {
            let result = sources[host.me()].cast_mut();
            operand.reduction.combine(result, &sources, count);
            let wanting = |&(i, _): &(usize, _)| i != host.me() && operand.wanted_by(i);
            for (_, other) in sources.iter().enumerate().filter(wanting) {
                host.board.give(other.cast_mut(), result, count * element);
            }
        }
    }
    host.step()?;
    Ok(true)
}
