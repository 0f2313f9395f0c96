//! Merged read-modify-writes, one behind the other: the origin, the number of its request, its operand.

use super::{Members, bad, u32_at, u64_at};
use crate::error::Result;
use crate::rank::Rank;

/// Bytes of one.
pub const MEMBER: usize = 16;

/// One of several merged operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// The origin.
    pub origin: Rank,
    /// Number of its request.
    pub id: u32,
    /// The operand.
    pub operand: u64,
}

/// Writes one to the end of `bytes`.
pub fn write_member(bytes: &mut Vec<u8>, member: Member) {
    bytes.extend(member.origin.get().to_le_bytes());
    bytes.extend(member.id.to_le_bytes());
    bytes.extend(member.operand.to_le_bytes());
}

impl<'a> Members<'a> {
    /// The operations in these bytes.
    ///
    /// # Errors
    /// [`crate::error::Error::Invalid`] when [`write_member`] has not written them, or there is none.
    pub fn read(bytes: &'a [u8]) -> Result<Members<'a>> {
        if !bytes.is_empty() && bytes.len().is_multiple_of(MEMBER) {
            Ok(Members(bytes))
        } else {
            Err(bad(format!("merged operations in {} bytes", bytes.len())))
        }
    }

    /// Their bytes.
    pub fn bytes(self) -> &'a [u8] {
        self.0
    }

    /// The operations in order.
    pub fn iter(self) -> impl Iterator<Item = Member> + 'a {
        self.0.chunks_exact(MEMBER).map(|bytes| Member {
            origin: Rank::new(u32_at(bytes, 0)),
            id: u32_at(bytes, 4),
            operand: u64_at(bytes, 8),
        })
    }

    /// Number of operations.
    pub fn count(self) -> u64 {
        (self.0.len() / MEMBER) as u64
    }
}
