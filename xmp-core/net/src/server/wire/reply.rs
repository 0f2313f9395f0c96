//! Writes and reads replies.

use super::{Answer, MARK, REPLY_HEADER, Reply, bad, u32_at, u64_at};
use crate::error::Result;
use crate::rank::Rank;

mod kind {
    pub const CREDIT: u8 = 1;
    pub const VALUE: u8 = 2;
    pub const DATA: u8 = 3;
    pub const FOLLOWS: u8 = 4;
    pub const REFUSED: u8 = 5;
    pub const STOPPED: u8 = 6;
    pub const FAILED: u8 = 7;
}

/// Writes a reply to the end of `message`.
pub fn write_reply(message: &mut Vec<u8>, reply: Reply<'_>) {
    let (kind, value, tail): (u8, u64, &[u8]) = match reply.answer {
        Answer::Credit => (kind::CREDIT, 0, &[]),
        Answer::Value(value) => (kind::VALUE, value, &[]),
        Answer::Data(bytes) => (kind::DATA, bytes.len() as u64, bytes),
        Answer::Follows(len) => (kind::FOLLOWS, len, &[]),
        Answer::Refused(why) => (kind::REFUSED, 0, why.as_bytes()),
        Answer::Stopped(image) => (kind::STOPPED, image.get().into(), &[]),
        Answer::Failed(image) => (kind::FAILED, image.get().into(), &[]),
    };
    message.extend([MARK, kind, 0, 0]);
    for word in [reply.id, reply.host, reply.number] {
        message.extend(word.to_le_bytes());
    }
    message.extend(value.to_le_bytes());
    message.extend(reply.executed.to_le_bytes());
    message.extend_from_slice(tail);
}

/// Reads a reply.
///
/// # Errors
/// [`Error::Invalid`](crate::error::Error::Invalid) for bytes that `write_reply` does not write.
pub fn read_reply(message: &[u8]) -> Result<Reply<'_>> {
    let (header, tail) = message
        .split_first_chunk::<REPLY_HEADER>()
        .ok_or_else(|| bad(format!("a reply of {} bytes", message.len())))?;
    let value = u64_at(header, 16);
    let answer = match (header[0], header[1]) {
        (MARK, kind::CREDIT) if tail.is_empty() => Answer::Credit,
        (MARK, kind::VALUE) if tail.is_empty() => Answer::Value(value),
        (MARK, kind::DATA) if tail.len() as u64 == value => Answer::Data(tail),
        (MARK, kind::FOLLOWS) if tail.is_empty() => Answer::Follows(value),
        (MARK, kind::STOPPED) if tail.is_empty() => Answer::Stopped(Rank::new(value as u32)),
        (MARK, kind::FAILED) if tail.is_empty() => Answer::Failed(Rank::new(value as u32)),
        (MARK, kind::REFUSED) => {
            let why = std::str::from_utf8(tail);
            Answer::Refused(why.map_err(|_| bad("a refusal that is no text".into()))?)
        }
        (mark, kind) => {
            let len = tail.len();
            return Err(bad(format!("a reply {mark:#04x} of kind {kind} with {len} bytes")));
        }
    };
    let [id, host, number] = [4, 8, 12].map(|at| u32_at(header, at));
    Ok(Reply { id, host, number, executed: u64_at(header, 24), answer })
}
