//! Data through the root's staging buffers, chunk by chunk: while the others copy one out, the root stages the
//! next.

use super::Message;
use crate::host::Host;
use xmp_core::Result;

/// Works in chunks of `chunk` bytes, at most [`xmp_core::board::STAGING`].
///
/// # Errors
/// When a member has ended.
///
/// # Safety
/// The message is valid.
pub unsafe fn run(host: &Host<'_>, message: &Message, chunk: usize) -> Result<()> {
    for from in (0..message.len).step_by(chunk) {
        let len = chunk.min(message.len - from);
        let at = message.buffer.wrapping_add(from);
        // SAFETY: in bounds of staging and message; staging of the last step is read before the next one.
        unsafe {
            if host.me() == message.root {
                host.board.stage(host.board.staging(len), at, len);
                host.step()?;
            } else {
                host.step()?;
                std::ptr::copy_nonoverlapping(host.board.staging_of(message.root, len), at, len);
            }
        }
    }
    Ok(())
}
