//! The root's buffer is in a segment: each member copies straight from it. Two steps: the exchange of addresses,
//! which also says that the data is ready, and the closing one.

use super::Scatter;
use crate::host::Host;
use xmp_core::Result;

/// Tries; `Ok(false)`, and nothing has happened, when the root's buffer is not in a segment: the same answer for all
/// members.
///
/// # Errors
/// When a member has ended.
///
/// # Safety
/// The scatter is valid.
pub unsafe fn run(host: &Host<'_>, scatter: &Scatter<'_>) -> Result<bool> {
    let members = host.members();
    // Where each part lies only the root knows. The first word says whether others can read there.
    let room = (1 + members) * size_of::<u64>();
    if let Some(source) = &scatter.source {
        let table = host.area.staging(room).cast::<u64>();
        // SAFETY: own staging of the coming step, of this length, 64-aligned.
        unsafe {
            table.write(host.shared_address(source.all));
            for i in 0..members {
                table.add(1 + i).write(source.part(i).expose_provenance() as u64);
            }
        }
    }
    host.barrier()?;
    let table = host.area.staging_of(scatter.root, room).cast::<u64>();
    // SAFETY: written before the last step, not written again before the next.
    let (shared, part) = unsafe { (table.read() != 0, table.add(1 + host.me()).read()) };
    if !shared {
        return Ok(false);
    }
    // SAFETY: each part is valid and unchanged until the closing step; segments are mapped at one address on this
    // host.
    unsafe {
        let source = std::ptr::with_exposed_provenance(part as usize);
        scatter.take(host.me(), 0, usize::MAX, source);
    }
    host.barrier()?;
    Ok(true)
}
