//! Parts through the root's staging, a chunk of each at a time: while the others copy one out, the root stages the
//! next.

use super::Scatter;
use crate::host::Host;
use xmp_core::Result;

/// Works in chunks of `chunk` bytes of all parts together, at most [`xmp_core::coll_area::STAGING`].
///
/// # Errors
/// When a member has ended.
///
/// # Safety
/// The scatter is valid.
pub unsafe fn run(host: &Host<'_>, scatter: &Scatter<'_>, chunk: usize) -> Result<()> {
    let (me, longest) = (host.me(), scatter.lens.longest());
    let share = (chunk / host.members()).min(longest).max(1);
    let room = share * host.members();
    if let Some(source) = &scatter.source {
        // SAFETY: source and destination are valid (contract above).
        unsafe { scatter.take_own(source) };
    }
    for from in (0..longest).step_by(share) {
        // SAFETY: in bounds of staging and part; staging of the last step is read before the next one.
        unsafe {
            if let Some(source) = &scatter.source {
                let staging = host.area.staging(room);
                for i in (0..host.members()).filter(|&i| i != me) {
                    let len = share.min(scatter.lens.of(i).saturating_sub(from));
                    let part = source.part(i).wrapping_add(from);
                    host.area.stage(staging.add(i * share), part, len);
                }
                host.barrier()?;
            } else {
                host.barrier()?;
                let staging = host.area.staging_of(scatter.root, room);
                scatter.take(me, from, share, staging.add(me * share));
            }
        }
    }
    Ok(())
}
