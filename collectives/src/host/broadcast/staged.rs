//! Broadcast through the root's staging buffers: the root stages a piece while the others copy the one before.

use super::message::Message;
use crate::copy::take;
use crate::host::Host;
use xmp_core::BoxedResult;

/// The root's part: stages all pieces, with a barrier after each.
pub fn stage(host: &Host<'_>, message: &Message, chunk: usize) -> BoxedResult<()> {
    message.pieces(chunk).try_for_each(|piece| {
        let staging = host.area.staging(piece.len());
        // SAFETY: the message has this piece (`Message::new`); the staging buffer has its length.
        unsafe { host.area.stage(staging, message.at(&piece), piece.len()) };
        host.barrier()
    })
}

/// The part of another member: copies all pieces, of which the root has staged the first before the last barrier.
pub fn take_all(host: &Host<'_>, message: &Message, chunk: usize) -> BoxedResult<()> {
    let mut pieces = message.pieces(chunk);
    let mut staged = pieces.next();
    while let Some(piece) = staged {
        let staging = host.area.staging_of(message.root(), piece.len());
        // SAFETY: the message has this piece (`Message::new`). Staging buffers of the last epoch are not written before
        // the next barrier.
        unsafe { take(message.at(&piece), staging, piece.len()) };
        staged = pieces.next();
        if staged.is_some() {
            host.barrier()?;
        }
    }
    Ok(())
}

/// Both parts, for members that know that the message is staged.
pub fn broadcast(host: &Host<'_>, message: &Message, chunk: usize) -> BoxedResult<()> {
    if host.me() == message.root() {
        return stage(host, message, chunk);
    }
    host.barrier()?;
    take_all(host, message, chunk)
}
