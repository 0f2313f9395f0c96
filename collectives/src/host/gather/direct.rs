//! All parts are in segments: the root copies straight from them. Two steps: the exchange of addresses, which
//! also says that the data is ready, and the closing one.

use super::Gather;
use crate::host::Host;
use xmp_core::Result;

/// Tries; `Ok(false)`, and nothing has happened, when a part that the root must read is not in a segment: the same
/// answer for all members.
///
/// # Errors
/// When a member has ended.
///
/// # Safety
/// The gather is valid.
pub unsafe fn run(host: &Host<'_>, gather: &Gather<'_>, root: usize) -> Result<bool> {
    let me = host.me();
    host.say(host.shared_address(gather.mine));
    host.barrier()?;
    let others = || (0..host.members()).filter(|&i| i != root && gather.lens.of(i) > 0);
    if others().any(|i| host.said(i) == 0) {
        return Ok(false);
    }
    if let Some(target) = &gather.target {
        // SAFETY: each part is valid and unchanged until the closing step; segments are mapped at one address on
        // this host.
        unsafe {
            target.take(me, gather.lens.of(me), 0, usize::MAX, gather.mine);
            for i in others() {
                let source = std::ptr::with_exposed_provenance(host.said(i) as usize);
                target.take(i, gather.lens.of(i), 0, usize::MAX, source);
            }
        }
    }
    host.barrier()?;
    Ok(true)
}
