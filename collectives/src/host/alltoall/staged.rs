//! Parts through the staging buffers, a chunk of each at a time.

use super::Alltoall;
use crate::host::Host;
use xmp_core::Result;

/// Works in chunks of `chunk` bytes of all parts of a member together, at most [`xmp_core::coll_area::STAGING`].
///
/// # Errors
/// When a member has ended.
///
/// # Safety
/// The alltoall is valid.
pub unsafe fn run(host: &Host<'_>, alltoall: &Alltoall<'_>, chunk: usize) -> Result<()> {
    let (members, me) = (host.members(), host.me());
    let share = (chunk / members).min(alltoall.longest).max(1);
    let room = share * members;
    // SAFETY: the parts are valid (contract above).
    unsafe { alltoall.take(me, 0, usize::MAX, alltoall.part(me)) };
    for from in (0..alltoall.longest).step_by(share) {
        // SAFETY: in bounds of staging and parts; staging of the last step is read before the next one.
        unsafe {
            let staging = host.area.staging(room);
            for i in (0..members).filter(|&i| i != me) {
                let len = share.min(alltoall.parts.send_parts.len(i).saturating_sub(from));
                let part = alltoall.part(i).wrapping_add(from);
                host.area.stage(staging.add(i * share), part, len);
            }
            host.barrier()?;
            // Each member begins with another one, so that not all read the same lines at once.
            for i in (1..members).map(|k| (me + k) % members) {
                let staging = host.area.staging_of(i, room);
                alltoall.take(i, from, share, staging.add(me * share));
            }
        }
    }
    Ok(())
}
