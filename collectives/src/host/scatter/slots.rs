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
    let delivery = host.delivery()?;
    // SAFETY: in bounds of line and part.
    unsafe {
        if let Some(source) = &scatter.source {
            let line = delivery.line()?;
            for i in (0..host.members()).filter(|&i| i != me) {
                std::ptr::copy_nonoverlapping(
                    source.part(i),
                    line.add(i * longest),
                    scatter.lens.of(i),
                );
            }
            delivery.give();
            scatter.take_own(source);
        } else {
            scatter.take(me, 0, longest, delivery.take(scatter.root)?.add(me * longest));
        }
    }
    delivery.done();
    Ok(())
}
