//! All parts are in segments: each member copies straight from them. Two steps: the exchange of addresses, which
//! also says that the data is ready, and the closing one.

use super::Alltoall;
use crate::host::Host;
use xmp_core::Result;

/// Tries; `Ok(false)`, and nothing has happened, when not all parts are in segments: the same answer for all members.
///
/// # Errors
/// When a member has ended.
///
/// # Safety
/// The alltoall is valid.
pub unsafe fn run(host: &Host<'_>, alltoall: &Alltoall<'_>) -> Result<bool> {
    let (members, me) = (host.members(), host.me());
    let parts = &alltoall.parts;
    // Where its part for each lies only the giver knows. The slot says whether others can read there.
    let nothing = parts.send_parts.longest(members) == 0;
    host.say(u64::from(nothing || host.shared_address(parts.send) != 0));
    let room = members * size_of::<u64>();
    let table = host.area.staging(room).cast::<u64>();
    for i in 0..members {
        // SAFETY: own staging of the coming step, of this length, 64-aligned.
        unsafe { table.add(i).write(alltoall.part(i).expose_provenance() as u64) };
    }
    host.barrier()?;
    if (0..members).any(|i| host.said(i) == 0) {
        return Ok(false);
    }
    // Each member begins with its own, so that not all read the same lines at once.
    for i in (0..members).map(|k| (me + k) % members) {
        let table = host.area.staging_of(i, room).cast::<u64>();
        // SAFETY: the table was written before the last step. Each part is valid and unchanged until the closing
        // step; segments are mapped at one address on this host.
        unsafe {
            let source = std::ptr::with_exposed_provenance(table.add(me).read() as usize);
            alltoall.take(i, 0, usize::MAX, source);
        }
    }
    host.barrier()?;
    Ok(true)
}
