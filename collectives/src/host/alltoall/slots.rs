//! All parts of a member in its slot.

use super::Alltoall;
use crate::host::Host;
use xmp_core::Result;

/// # Errors
/// When a member has ended.
///
/// # Safety
/// The alltoall is valid; its parts fit.
#[inline]
pub unsafe fn run(host: &Host<'_>, alltoall: &Alltoall<'_>) -> Result<()> {
    let longest = alltoall.longest;
    // SAFETY: in bounds of slots and parts; slots of the last step are read before the next one.
    unsafe {
        for i in 0..host.members() {
            let (at, len) = (host.area.slot().add(i * longest), alltoall.parts.send_parts.len(i));
            std::ptr::copy_nonoverlapping(alltoall.part(i), at, len);
        }
        host.barrier()?;
        for i in 0..host.members() {
            alltoall.take(i, 0, longest, host.area.slot_of(i).add(host.me() * longest));
        }
    }
    Ok(())
}
