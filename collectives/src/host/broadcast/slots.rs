//! Data in a line that the root delivers: it goes on without waiting for the others.

use super::Message;
use crate::host::Host;
use xmp_core::Result;
use xmp_core::coll_area::SLOT_DATA;

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
        let ring_exchange = host.ring_exchange()?;
        // SAFETY: in bounds of line and message.
        unsafe {
            if host.me() == message.root {
                std::ptr::copy_nonoverlapping(at, ring_exchange.line()?, len);
                ring_exchange.produce();
            } else {
                std::ptr::copy_nonoverlapping(ring_exchange.consume(message.root)?, at, len);
            }
        }
        ring_exchange.done();
    }
    Ok(())
}
