//! Parts through the staging buffers, chunk by chunk: while the root copies one out, the others stage the next.

use super::Gather;
use crate::host::Host;
use xmp_core::Result;

/// Works in chunks of `chunk` bytes, at most [`xmp_core::coll_area::STAGING`].
///
/// # Errors
/// When a member has ended.
///
/// # Safety
/// The gather is valid.
pub unsafe fn run(host: &Host<'_>, gather: &Gather<'_>, chunk: usize) -> Result<()> {
    let me = host.me();
    let own = gather.lens.of(me);
    let longest = gather.lens.longest();
    let room = chunk.min(longest);
    for from in (0..longest).step_by(chunk) {
        let at = gather.mine.wrapping_add(from);
        // SAFETY: in bounds of staging and part; staging of the last step is read before the next one.
        unsafe {
            if let Some(target) = &gather.target {
                target.take(me, own, from, chunk, at);
                host.barrier()?;
                for i in (0..host.members()).filter(|&i| i != me) {
                    let staging = host.area.staging_of(i, room);
                    target.take(i, gather.lens.of(i), from, chunk, staging);
                }
            } else {
                let len = chunk.min(own.saturating_sub(from));
                host.area.stage(host.area.staging(room), at, len);
                host.barrier()?;
            }
        }
    }
    Ok(())
}
