//! Contributions in the slots.

use super::Contribution;
use crate::host::Host;
use xmp_core::Result;
use xmp_core::coll_area::SLOT_DATA;

/// # Errors
/// When a member has ended.
///
/// # Safety
/// The contribution is valid.
#[inline]
pub unsafe fn run(host: &Host<'_>, contribution: &Contribution<'_>) -> Result<()> {
    let own = contribution.offsets.len(host.me());
    for from in (0..contribution.offsets.longest(host.members())).step_by(SLOT_DATA) {
        let len = SLOT_DATA.min(own.saturating_sub(from));
        // SAFETY: in bounds of slot and contribution; slots of the last step are read before the next one.
        unsafe {
            let at = contribution.mine.wrapping_add(from);
            std::ptr::copy_nonoverlapping(at, host.area.slot(), len);
            host.barrier()?;
            for i in 0..host.members() {
                contribution.take(i, from, SLOT_DATA, host.area.slot_of(i));
            }
        }
    }
    Ok(())
}
