//! All operands are in segments: each member reads its slice from all of them and writes the result to all,
//! straight. Two steps: the exchange of addresses, which also says that the operands are ready, and the closing
//! one.

use super::{Operand, slice};
use crate::host::{Host, Sources};
use xmp_core::Result;

/// Bytes that are combined and then copied to the others while they are in the first-level cache.
const BLOCK: usize = 8 * 1024;

/// What comes before the first step: says where this member's operand is. Whether it is in a segment.
pub fn begin(host: &Host<'_>, operand: &Operand<'_>) -> bool {
    let address = host.shared_address(operand.buffer);
    host.say(address);
    address != 0
}

/// The addresses that all said before the last step; null for operands that are not in a segment.
pub fn addresses(host: &Host<'_>) -> Sources {
    let address = |i| std::ptr::with_exposed_provenance(host.said(i) as usize);
    (0..host.members()).map(address).collect()
}

/// What comes after the first step.
///
/// # Errors
/// When a member has ended.
///
/// # Safety
/// The operand is valid; the addresses are those of [`addresses`], all of them in segments.
pub unsafe fn finish(
    host: &Host<'_>,
    operand: &Operand<'_>,
    addresses: &[*const u8],
) -> Result<()> {
    let element = operand.element();
    let own = slice(&(0..operand.count), element, host.members(), host.me());
    let step = (BLOCK / element).max(1);
    for from in own.clone().step_by(step) {
        let count = step.min(own.end - from);
        let at = |address: &*const u8| address.wrapping_add(from * element);
        let sources: Sources = addresses.iter().map(at).collect();
        // SAFETY: all members are between the first and the last step of this operation, their operands are
        // valid and touched only by the image that the slice belongs to: this one. Segments are mapped at
        // one address on this host.
        unsafe {
            let result = sources[host.me()].cast_mut();
            operand.reduction.combine(result, &sources, count);
            let wanting = |&(i, _): &(usize, _)| i != host.me() && operand.wanted_by(i);
            for (_, other) in sources.iter().enumerate().filter(wanting) {
                host.area.give(other.cast_mut(), result, count * element);
            }
        }
    }
    host.barrier()
}
