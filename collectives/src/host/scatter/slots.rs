//! All parts in a line that the root delivers: it goes on without waiting for the others.

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
    let ring_exchange = host.ring_exchange()?;
    // SAFETY: in bounds of line and part.
    unsafe {
        if let Some(source) = &scatter.source {
            let line = ring_exchange.line()?;
            for i in (0..host.members()).filter(|&i| i != me) {
                std::ptr::copy_nonoverlapping(
                    source.part(i),
                    line.add(i * longest),
                    scatter.lens.of(i),
                );
            }
            ring_exchange.produce();
            scatter.take_own(source);
        } else {
            scatter.take(me, 0, longest, ring_exchange.consume(scatter.root)?.add(me * longest));
        }
    }
    ring_exchange.done();
    Ok(())
}
