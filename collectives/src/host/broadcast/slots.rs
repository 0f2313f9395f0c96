//! Data in the root's slot.

use super::Message;
use crate::host::Host;
use xmp_core::Result;
use xmp_core::board::SLOT_DATA;

/// # Errors
/// When a member has ended.
///
/// # Safety
/// The message is valid.
#[inline]
pub unsafe fn run(host: &Host<'_>, message: &Message) -> Result<()> {
    for from in (0..message.len).step_by(SLOT_DATA) {
        let len = SLOT_DATA.min(message.len - from);
        let at = message.buffer.wrapping_add(from);
        // SAFETY: in bounds of slot and message; slots of the last step are read before the next one.
        unsafe {
            if host.me() == message.root {
                std::ptr::copy_nonoverlapping(at, host.board.slot(), len);
                host.step()?;
            } else {
                host.step()?;
                std::ptr::copy_nonoverlapping(host.board.slot_of(message.root), at, len);
            }
        }
    }
    Ok(())
}
