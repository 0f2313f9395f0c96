//! The header of requests: the same fields in each kind.

use super::{Head, MARK, REQUEST_HEADER, bad, u32_at, u64_at};
use crate::error::Result;
use crate::rank::Rank;

/// The fields of a header. What they mean depends on the kind.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Fields {
    pub(super) kind: u8,
    pub(super) code: u8,
    /// Bytes of a word, or the form of a payload.
    pub(super) form: u8,
    pub(super) offset: u64,
    pub(super) values: [u64; 2],
}

impl Fields {
    /// Writes the header to the end of `message`.
    pub(super) fn write(self, message: &mut Vec<u8>, head: Head) {
        let Fields { kind, code, form, offset, values: [a, b] } = self;
        let mut header = [0; REQUEST_HEADER];
        header[..4].copy_from_slice(&[MARK, kind, code, form]);
        for (at, word) in [(4, head.origin.get()), (8, head.target.get()), (12, head.id)] {
            header[at..at + 4].copy_from_slice(&word.to_le_bytes());
        }
        for (at, word) in [(16, offset), (24, a), (32, b)] {
            header[at..at + 8].copy_from_slice(&word.to_le_bytes());
        }
        message.extend_from_slice(&header);
    }

    /// Reads the header of a message; returns the bytes behind it, too.
    pub(super) fn read(message: &[u8]) -> Result<(Head, Fields, &[u8])> {
        let (header, tail) = message.split_first_chunk::<REQUEST_HEADER>().ok_or_else(|| {
            bad(format!("a request of {} bytes has no header of {REQUEST_HEADER}", message.len()))
        })?;
        let [mark, kind, code, form] = [0, 1, 2, 3].map(|at| header[at]);
        if mark != MARK {
            return Err(bad(format!("a request that begins with {mark:#04x}, not {MARK:#04x}")));
        }
        let [origin, target, id] = [4, 8, 12].map(|at| u32_at(header, at));
        let head = Head { origin: Rank::new(origin), target: Rank::new(target), id };
        let [offset, a, b] = [16, 24, 32].map(|at| u64_at(header, at));
        Ok((head, Fields { kind, code, form, offset, values: [a, b] }, tail))
    }
}
