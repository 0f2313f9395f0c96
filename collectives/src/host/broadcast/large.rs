//! Data through the root's staging, chunk by chunk: while the others copy one out, the root stages the next. Or,
//! when the root's buffer is in a segment, straight from there. The first step says which.

use super::Message;
use crate::host::Host;
use crate::host::copy::take;
use std::ops::Range;
use xmp_core::Result;

/// Works in chunks of `chunk` bytes, at most [`xmp_core::coll_area::STAGING`]. Copies straight from the root's
/// buffer when that is `allowed` and possible.
///
/// # Errors
/// When a member has ended.
///
/// # Safety
/// The message is valid.
pub unsafe fn run(host: &Host<'_>, message: &Message, chunk: usize, allowed: bool) -> Result<()> {
    let pieces = (0..message.len).step_by(chunk).map(|from| from..message.len.min(from + chunk));
    // SAFETY: the message is valid (contract above).
    unsafe {
        if host.me() == message.root {
            send(host, message, pieces, allowed)
        } else {
            receive(host, message, pieces)
        }
    }
}

unsafe fn send(
    host: &Host<'_>,
    message: &Message,
    mut pieces: impl Iterator<Item = Range<usize>>,
    allowed: bool,
) -> Result<()> {
    let address = if allowed { host.shared_address(message.buffer) } else { 0 };
    host.say(address);
    if address != 0 {
        host.barrier()?;
        // All have copied when the second step is made.
        return host.barrier();
    }
    pieces.try_for_each(|piece| {
        let staging = host.area.staging(piece.len());
        // SAFETY: own staging of the coming step, of this length; a piece of the message.
        unsafe { host.area.stage(staging, message.at(&piece), piece.len()) };
        host.barrier()
    })
}

unsafe fn receive(
    host: &Host<'_>,
    message: &Message,
    mut pieces: impl Iterator<Item = Range<usize>>,
) -> Result<()> {
    host.barrier()?;
    let shared: *const u8 = std::ptr::with_exposed_provenance(host.said(message.root) as usize);
    if !shared.is_null() {
        if shared != message.buffer {
            // SAFETY: the root's buffer is valid and unchanged until it has made the next step; segments are
            // mapped at one address on this host.
            unsafe { take(message.buffer, shared, message.len) };
        }
        return host.barrier();
    }
    let mut staged = pieces.next();
    while let Some(piece) = staged {
        // SAFETY: staged before the last step; a piece of the message.
        unsafe {
            let staging = host.area.staging_of(message.root, piece.len());
            take(message.at(&piece), staging, piece.len());
        }
        staged = pieces.next();
        if staged.is_some() {
            host.barrier()?;
        }
    }
    Ok(())
}
