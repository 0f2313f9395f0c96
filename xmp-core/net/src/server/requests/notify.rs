//! Notifications and packets.

use super::Outcome;
use crate::error::{Error, Result};
use crate::server::here::Here;
use crate::server::wire::Head;
use crate::transport::{Mark, Width};

/// Puts bytes into the segment of the target, then a notification.
///
/// # Errors
/// When bytes or counter do not lie there.
pub fn notify(
    here: &Here,
    head: Head,
    offset: u64,
    data: &[u8],
    counter: u64,
    value: u64,
) -> Result<Outcome> {
    let (target, from, len) = (head.target, i128::from(offset), data.len());
    here.bytes("put with notification", target, from, from + len as i128)?;
    here.word("put with notification", target, counter, Width::W8)?;
    // SAFETY: both lie in the segment, the counter is aligned; just checked. The origin is its writer.
    unsafe { here.local().put_notify(target, offset, data.as_ptr(), len, counter, value)? };
    Ok(Outcome::Done)
}

/// Puts a packet into the segment of the target.
///
/// # Errors
/// When packet or mark do not lie there.
pub fn packet(here: &Here, head: Head, end: u64, parts: [&[u8]; 2], mark: Mark) -> Result<Outcome> {
    let len = parts[0].len() + parts[1].len();
    let last = i128::from(end);
    here.bytes("packet", head.target, last - len as i128, last)?;
    let word = match mark {
        Mark::Trailing(_) => end,
        Mark::Counter { offset, .. } => offset,
    };
    here.word("packet", head.target, word, Width::W8)?;
    if !end.is_multiple_of(8) {
        return Err(Error::Invalid(format!("packet: its end {end} is no multiple of 8")));
    }
    // SAFETY: packet and word lie in the segment, aligned; just checked. The origin is the word's writer.
    unsafe { here.local().put_packet(head.target, end, parts, mark)? };
    Ok(Outcome::Done)
}
