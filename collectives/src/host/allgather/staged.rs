//! Contributions through the staging buffers, chunk by chunk.

use super::Contribution;
use crate::host::Host;
use xmp_core::Result;

/// Works in chunks of `chunk` bytes, at most [`xmp_core::coll_area::STAGING`].
///
/// # Errors
/// When a member has ended.
///
/// # Safety
/// The contribution is valid.
pub unsafe fn run(host: &Host<'_>, contribution: &Contribution<'_>, chunk: usize) -> Result<()> {
    let me = host.me();
    let own = contribution.offsets.len(me);
    let longest = contribution.offsets.longest(host.members());
    let room = chunk.min(longest);
    for from in (0..longest).step_by(chunk) {
        let len = chunk.min(own.saturating_sub(from));
        let at = contribution.mine.wrapping_add(from);
        // SAFETY: in bounds of staging and contribution; staging of the last step is read before the next
        // one.
        unsafe {
            host.area.stage(host.area.staging(room), at, len);
            contribution.take(me, from, chunk, at);
            host.barrier()?;
            for i in (0..host.members()).filter(|&i| i != me) {
                contribution.take(i, from, chunk, host.area.staging_of(i, room));
            }
        }
    }
    Ok(())
}
