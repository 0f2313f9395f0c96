//! Reduction in the segments of the members: each member reads its slice of all operands there and writes the result to
//! all of them. The first barrier publishes the addresses and says that the operands are ready, the second one that the
//! results are.

use super::{Operand, slice};
use crate::host::{Host, Sources};
use xmp_core::BoxedResult;

/// Bytes that are combined and then copied to the others while they are in the first-level cache.
const BLOCK: usize = 8 * 1024;

/// Posts the address of this member's operand, before the first barrier. Returns whether the operand is in a segment.
pub fn begin(host: &Host<'_>, operand: &Operand<'_>) -> bool {
    host.post_address(operand.elements.at(0)) != 0
}

/// The addresses that all members posted before the last barrier; null for operands that are not in a segment.
pub fn addresses(host: &Host<'_>) -> Sources {
    (0..host.members()).map(|i| host.posted_address(i)).collect()
}

/// The reduction after the first barrier.
///
/// # Safety
/// All members execute this, between the same two barriers, and the addresses are those of [`addresses`]. None of them
/// is null.
pub unsafe fn finish(
    host: &Host<'_>,
    operand: &Operand<'_>,
    addresses: &[*const u8],
) -> BoxedResult<()> {
    if !host.area.all_or_none() {
        // A member may have left the barrier before with an error. Then no member passes this one.
        host.barrier()?;
    }
    host.access_epoch(|| {
        // SAFETY: those of this function.
        unsafe { reduce(host, operand, addresses) };
        host.barrier()
    })
}

/// Combines this member's slice for all members.
///
/// # Safety
/// Those of [`finish`].
unsafe fn reduce(host: &Host<'_>, operand: &Operand<'_>, addresses: &[*const u8]) {
    let elements = &operand.elements;
    let element = elements.element();
    let own = slice(&(0..elements.count()), element, host.members(), host.me());
    let step = (BLOCK / element).max(1);
    for from in own.clone().step_by(step) {
        let count = step.min(own.end - from);
        let at = |address: &*const u8| address.wrapping_add(from * element);
        let sources: Sources = addresses.iter().map(at).collect();
        // SAFETY: between the two barriers only this member accesses this slice of the operands, which are valid.
        // Segments are mapped at the same address on all images of the host.
        unsafe {
            let result = sources[host.me()].cast_mut();
            elements.reduction().combine(result, &sources, count);
            for other in host.others_from_next().filter(|&i| operand.wanted_by(i)) {
                host.area.give(sources[other].cast_mut(), result, count * element);
            }
        }
    }
}
