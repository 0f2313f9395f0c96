//! All contributions are in segments: each member copies straight from them. Two steps: the exchange of addresses,
//! which also says that the data is ready, and the closing one.

use super::Contribution;
use crate::host::Host;
use xmp_core::Result;

/// Tries; `Ok(false)`, and nothing has happened, when not all contributions are in segments: the same answer
/// for all members.
///
/// # Errors
/// When a member has ended.
///
/// # Safety
/// The contribution is valid.
pub unsafe fn run(host: &Host<'_>, contribution: &Contribution<'_>) -> Result<bool> {
    host.say(host.shared_address(contribution.mine));
    host.barrier()?;
    if (0..host.members()).any(|i| host.said(i) == 0) {
        return Ok(false);
    }
    for i in 0..host.members() {
        let source = std::ptr::with_exposed_provenance(host.said(i) as usize);
        // SAFETY: each contribution is valid and unchanged until the closing step; segments are mapped at
        // one address on this host.
        unsafe { contribution.take(i, 0, usize::MAX, source) };
    }
    host.barrier()?;
    Ok(true)
}
