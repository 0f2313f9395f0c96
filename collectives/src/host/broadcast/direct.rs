//! The root's buffer is in a segment: the others copy straight from it. Two steps: the address, which also says
//! that the data is ready, and the closing one.

use super::Message;
use crate::host::Host;
use xmp_core::Result;

/// Tries; `Ok(false)`, and nothing has happened, when the root's buffer is not in a segment: the same answer
/// for all members.
///
/// # Errors
/// When a member has ended.
///
/// # Safety
/// The message is valid.
pub unsafe fn run(host: &Host<'_>, message: &Message) -> Result<bool> {
    if host.me() == message.root {
        host.say(host.shared_address(message.buffer));
    }
    host.step()?;
    let source: *const u8 = std::ptr::with_exposed_provenance(host.said(message.root) as usize);
    if source.is_null() {
        return Ok(false);
    }
    if host.me() != message.root {
        // SAFETY: the root's buffer is valid and unchanged until the closing step; segments are mapped at
        // one address on this host. `copy`: nothing stops a program from passing one address twice.
        unsafe { std::ptr::copy(source, message.buffer, message.len) };
    }
    host.step()?;
    Ok(true)
}
