//! All parts in the root's slot.

use super::Scatter;
use crate::host::Host;
use xmp_core::Result;

/// # Errors
/// When a member has ended.
///
/// # Safety
/// The scatter is valid; its parts fit.
#[inline]
pub unsafe fn run(host: &Host<'_>, scatter: &Scatter<'_>) -> Result<()> {
    let (me, longest) = (host.me(), scatter.lens.longest());
    // SAFETY: in bounds of slot and part.
    unsafe {
        if let Some(source) = &scatter.source {
            for i in (0..host.members()).filter(|&i| i != me) {
                let at = host.board.slot().add(i * longest);
                std::ptr::copy_nonoverlapping(source.part(i), at, scatter.lens.of(i));
            }
            scatter.take_own(source);
            return host.step();
        }
        host.step()?;
        scatter.take(me, 0, longest, host.board.slot_of(scatter.root).add(me * longest));
    }
    Ok(())
}
