//! A bundle: several requests, or several replies, in one message between servers. A first byte gives the kind; each
//! entry has its origin, its length and its bytes.

use crate::error::{Error, Result};
use crate::rank::Rank;

/// First byte of a message with requests.
pub const REQUESTS: u8 = 1;
/// First byte of an acknowledgement, with replies or without.
pub const DONE: u8 = 2;
/// Bytes in front of each request or reply.
pub const HEADER: usize = 8;

/// Writes an entry to the end of a message.
pub fn write(message: &mut Vec<u8>, origin: Rank, bytes: &[u8]) {
    write_with(message, origin, |message| message.extend_from_slice(bytes));
}

/// Writes an entry whose bytes `append` appends to the end of a message.
pub fn write_with(message: &mut Vec<u8>, origin: Rank, append: impl FnOnce(&mut Vec<u8>)) {
    message.extend_from_slice(&origin.get().to_le_bytes());
    let at = message.len();
    message.extend_from_slice(&[0; 4]);
    append(message);
    let len = (message.len() - at - 4) as u32;
    message[at..at + 4].copy_from_slice(&len.to_le_bytes());
}

/// The last entry of a message, which begins at this byte, has got `more` bytes.
#[inline]
pub fn lengthen(message: &mut [u8], at: usize, more: usize) {
    let (_, rest) = message[at..].split_at_mut(4);
    let len = rest.first_chunk_mut().expect("an entry begins with its origin and its length");
    *len = (u32::from_le_bytes(*len) + more as u32).to_le_bytes();
}

/// A request or a reply in a bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    /// The image that it is from.
    pub origin: Rank,
    /// Its bytes.
    pub bytes: &'a [u8],
    /// Whether the message ends after it.
    pub is_last: bool,
}

impl Entry<'_> {
    /// Its length in the message, with the bytes in front of it.
    pub fn len(&self) -> usize {
        HEADER + self.bytes.len()
    }
}

/// A received bundle, read from its second byte on.
#[derive(Debug)]
pub struct Bundle {
    buffer: Box<[u8]>,
    len: usize,
    at: usize,
}

impl Bundle {
    /// The bundle of `len` bytes in this buffer.
    pub fn new(buffer: Box<[u8]>, len: usize) -> Bundle {
        Bundle { buffer, len, at: 1 }
    }

    /// Takes the next entry.
    ///
    /// # Errors
    /// When no server writes such a message.
    pub fn next(&mut self) -> Result<Option<Entry<'_>>> {
        let next = read(&self.buffer[..self.len], self.at)?;
        self.at += next.as_ref().map_or(0, Entry::len);
        Ok(next)
    }

    /// The next entry, which is not taken.
    ///
    /// # Errors
    /// When no server writes such a message.
    #[inline]
    pub fn first(&self) -> Result<Option<Entry<'_>>> {
        read(&self.buffer[..self.len], self.at)
    }

    /// Takes the next entry, which has this length ([`Entry::len`]).
    #[inline]
    pub fn skip(&mut self, len: usize) {
        debug_assert!(len <= self.len - self.at);
        self.at += len;
    }

    /// All remaining entries.
    pub fn rest(&self) -> impl Iterator<Item = Result<Entry<'_>>> {
        let mut at = self.at;
        std::iter::from_fn(move || {
            let next = read(&self.buffer[..self.len], at).transpose()?;
            at += next.as_ref().map_or(0, Entry::len);
            Some(next)
        })
    }

    /// The buffer, for another message.
    pub fn into_buffer(self) -> Box<[u8]> {
        self.buffer
    }
}

/// The entry that begins at this byte of a message.
#[inline]
fn read(message: &[u8], at: usize) -> Result<Option<Entry<'_>>> {
    let rest = &message[at..];
    if rest.is_empty() {
        return Ok(None);
    }
    let word = |bytes: [u8; 4]| u32::from_le_bytes(bytes);
    let read = rest.split_first_chunk().and_then(|(origin, rest)| {
        let (len, rest) = rest.split_first_chunk()?;
        let (bytes, others) = rest.split_at_checked(word(*len) as usize)?;
        Some(Entry { origin: Rank::new(word(*origin)), bytes, is_last: others.is_empty() })
    });
    read.map(Some).ok_or_else(|| damaged(message.len(), at))
}

#[cold]
fn damaged(len: usize, at: usize) -> Error {
    Error::Invalid(format!(
        "a message between servers is damaged: it ends at byte {len}, in what begins at {at}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_read_in_the_order_of_writing() {
        let mut message = vec![REQUESTS];
        for (origin, bytes) in [(7, &b"some"[..]), (0, b""), (7, b"more")] {
            write(&mut message, Rank::new(origin), bytes);
        }
        let len = message.len();
        message.resize(100, 0xff);
        let mut bundle = Bundle::new(message.into(), len);
        let first = bundle.first().unwrap().unwrap();
        assert_eq!(first, Entry { origin: Rank::new(7), bytes: b"some", is_last: false });
        let len = first.len();
        let rest: Vec<usize> = bundle.rest().map(|next| next.unwrap().bytes.len()).collect();
        assert_eq!(rest, [4, 0, 4]);
        bundle.skip(len);
        let middle = Entry { origin: Rank::new(0), bytes: b"", is_last: false };
        assert_eq!(bundle.next().unwrap(), Some(middle));
        let last = Entry { origin: Rank::new(7), bytes: b"more", is_last: true };
        assert_eq!(bundle.first().unwrap(), Some(last));
        assert_eq!(bundle.next().unwrap(), Some(last));
        assert_eq!(bundle.next().unwrap(), None);
        assert_eq!(bundle.first().unwrap(), None);
    }

    #[test]
    fn a_truncated_bundle_is_refused() {
        let mut message = vec![REQUESTS];
        write(&mut message, Rank::new(1), b"bytes");
        for len in 2..message.len() {
            let text = Bundle::new(message.clone().into(), len).next().unwrap_err().to_string();
            assert!(text.contains("damaged"), "{text}");
        }
    }
}
