//! Parts in lines that are delivered to the root: the others go on without waiting for it.

use super::Gather;
use crate::host::Host;
use xmp_core::Result;
use xmp_core::coll_area::SLOT_DATA;

/// # Errors
/// When a member has ended.
///
/// # Safety
/// The gather is valid.
#[inline]
pub unsafe fn run(host: &Host<'_>, gather: &Gather<'_>) -> Result<()> {
    let (me, own) = (host.me(), gather.lens.of(host.me()));
    for from in (0..gather.lens.longest()).step_by(SLOT_DATA) {
        let len = SLOT_DATA.min(own.saturating_sub(from));
        let at = gather.mine.wrapping_add(from);
        let ring_exchange = host.ring_exchange()?;
        // SAFETY: in bounds of line and part.
        unsafe {
            if let Some(target) = &gather.target {
                target.take(me, own, from, SLOT_DATA, at);
                for i in (0..host.members()).filter(|&i| i != me) {
                    target.take(i, gather.lens.of(i), from, SLOT_DATA, ring_exchange.consume(i)?);
                }
            } else {
                std::ptr::copy_nonoverlapping(at, ring_exchange.line()?, len);
                ring_exchange.produce();
            }
        }
        ring_exchange.done();
    }
    Ok(())
}
