//! Notifications and packets.

use super::Outcome;
use crate::error::{Error, Result};
use crate::server::local_host::LocalHost;
use crate::server::wire::Head;
use crate::transport::{Mark, Post, Width};

/// Notifies the target.
///
/// # Errors
/// When the counter is not in its segment.
pub fn notify(host: &LocalHost, head: Head, counter: u64, value: u64) -> Result<Outcome> {
    host.word("notification", head.target, counter, Width::W8)?;
    // SAFETY: an aligned word of the segment, just checked. The origin is its writer.
    unsafe { host.local().post(head.target, Post::Notify { counter, value })? };
    Ok(Outcome::Done)
}

/// Puts a packet into the segment of the target.
///
/// # Errors
/// When packet or mark are not there.
pub fn packet(
    host: &LocalHost,
    head: Head,
    end: u64,
    parts: [&[u8]; 2],
    mark: Mark,
) -> Result<Outcome> {
    let len = parts[0].len() + parts[1].len();
    let last = i128::from(end);
    host.bytes("packet", head.target, last - len as i128, last)?;
    let word = match mark {
        Mark::Trailing(_) => end,
        Mark::Counter { offset, .. } => offset,
    };
    host.word("packet", head.target, word, Width::W8)?;
    if !end.is_multiple_of(8) {
        return Err(Error::Invalid(format!("packet: its end {end} is no multiple of 8")));
    }
    // SAFETY: packet and word are in the segment, aligned; just checked. The origin is the word's writer.
    unsafe { host.local().post(head.target, Post::Packet { end, parts, mark })? };
    Ok(Outcome::Done)
}
