//! Contiguous puts.

use super::{Outcome, refused};
use crate::error::Result;
use crate::server::here::Here;
use crate::server::incoming::{Incoming, Pieces, Then};
use crate::server::wire::{Head, Payload};
use crate::transport::Layout;

/// Puts bytes into the segment of the target.
///
/// # Errors
/// When they do not lie there. Bytes that follow are received nevertheless, and dropped.
pub fn put(
    here: &Here,
    head: Head,
    offset: u64,
    data: Payload<'_>,
    pieces: Pieces,
) -> Result<Outcome> {
    let from = i128::from(offset);
    match data {
        Payload::Inline(bytes) => {
            here.bytes("put", head.target, from, from + bytes.len() as i128)?;
            // SAFETY: within the segment, just checked.
            unsafe {
                let layout = Layout::Contiguous(bytes.len());
                here.local().put(head.target, offset, bytes.as_ptr(), layout)?
            };
            Ok(Outcome::Done)
        }
        Payload::Follows(len) => match here.bytes("put", head.target, from, from + i128::from(len))
        {
            Ok(at) => {
                let then = Then::Put { from: offset, to: offset + len };
                let incoming = Incoming::new(head, head.origin, len, at, then, pieces);
                Ok(Outcome::Incoming(Box::new(incoming)))
            }
            Err(error) => Ok(refused(head, len, error.to_string(), false, pieces)),
        },
    }
}
