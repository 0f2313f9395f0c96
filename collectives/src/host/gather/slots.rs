//! Parts in the slots.

use super::Gather;
use crate::host::Host;
use xmp_core::Result;
use xmp_core::board::SLOT_DATA;

/// # Errors
/// When a member has ended.
///
/// # Safety
/// The gather is valid.
#[inline]
pub unsafe fn run(host: &Host<'_>, gather: &Gather<'_>) -> Result<()> {
    let own = gather.lens.of(host.me());
    for from in (0..gather.lens.longest()).step_by(SLOT_DATA) {
        let len = SLOT_DATA.min(own.saturating_sub(from));
        // SAFETY: in bounds of slot and part; slots of the last step are read before the next one.
        unsafe {
            let at = gather.mine.wrapping_add(from);
            std::ptr::copy_nonoverlapping(at, host.board.slot(), len);
            host.step()?;
            if let Some(target) = &gather.target {
                for i in 0..host.members() {
                    target.take(i, gather.lens.of(i), from, SLOT_DATA, host.board.slot_of(i));
                }
            }
        }
    }
    Ok(())
}
