//! All operands are in segments: each member computes the scan of its slice of them for all, in place. Two steps: the
//! exchange of addresses, which also says that the operands are ready, and the closing one.

use super::Operand;
use crate::host::reduce::slice;
use crate::host::{Host, Sources};
use xmp_core::Result;

/// Bytes of a member that are worked on at once, so that those of all members stay in the second-level cache.
const BLOCK: usize = 8 * 1024;

/// Tries; `Ok(false)`, and nothing has happened, when not all operands are in segments: the same answer for all
/// members.
///
/// # Errors
/// When a member has ended.
///
/// # Safety
/// The operand is valid.
pub unsafe fn run(host: &Host<'_>, operand: &Operand<'_>) -> Result<bool> {
    host.say(host.shared_address(operand.buffer));
    host.barrier()?;
    let members = host.members();
    if (0..members).any(|i| host.said(i) == 0) {
        return Ok(false);
    }
    let (element, reduction) = (operand.element(), operand.reduction);
    let own = slice(&(0..operand.count), element, members, host.me());
    let step = (BLOCK / element).max(1);
    for from in own.clone().step_by(step) {
        let count = step.min(own.end - from);
        let at = |i: usize| {
            let buffer: *const u8 = std::ptr::with_exposed_provenance(host.said(i) as usize);
            buffer.wrapping_add(from * element)
        };
        let sources: Sources = (0..members).map(at).collect();
        let place = |i: usize| sources[i].cast_mut();
        // SAFETY: all members are between the first and the last step of this operation, their operands are
        // valid and touched only by the image that the slice belongs to: this one. Segments are mapped at
        // one address on this host. From the last to the first, so that what is read is not yet changed.
        unsafe {
            let first = usize::from(operand.exclusive);
            if operand.exclusive {
                for i in (1..members).rev() {
                    std::ptr::copy_nonoverlapping(sources[i - 1], place(i), count * element);
                }
            }
            let mut distance = 1;
            while first + distance < members {
                for i in (first + distance..members).rev() {
                    reduction.two(place(i), sources[i - distance], sources[i], count);
                }
                distance *= 2;
            }
        }
    }
    host.barrier()?;
    Ok(true)
}
