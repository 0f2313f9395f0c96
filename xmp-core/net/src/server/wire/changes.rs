//! Changes of states, one behind the other: the rank of the image, its new state, a value.

use super::{Change, Changes, bad, u32_at};
use crate::error::Result;
use crate::rank::Rank;

/// Bytes of a change.
pub const CHANGE: usize = 12;

/// Writes a change to the end of `bytes`.
pub fn write_change(bytes: &mut Vec<u8>, image: Rank, change: Change) {
    let (code, value): (u32, u32) = match change {
        Change::Stopped => (1, 0),
        Change::Failed => (2, 0),
        Change::SurvivorSync(count) => (3, count),
        Change::Ending(status) => (4, status as u32),
        Change::EndingByLauncher(status) => (5, status as u32),
        Change::Acknowledged => (6, 0),
        Change::Complaint(digest) => (7, digest),
    };
    for word in [image.get(), code, value] {
        bytes.extend(word.to_le_bytes());
    }
}

fn read_change(bytes: &[u8]) -> Result<(Rank, Change)> {
    let [image, code, value] = [0, 4, 8].map(|at| u32_at(bytes, at));
    let change = match code {
        1 => Change::Stopped,
        2 => Change::Failed,
        3 => Change::SurvivorSync(value),
        4 => Change::Ending(value as i32),
        5 => Change::EndingByLauncher(value as i32),
        6 => Change::Acknowledged,
        7 => Change::Complaint(value),
        _ => return Err(bad(format!("a change of state with code {code}"))),
    };
    Ok((Rank::new(image), change))
}

impl<'a> Changes<'a> {
    /// The changes in these bytes.
    ///
    /// # Errors
    /// [`crate::error::Error::Invalid`] when [`write_change`] has not written them.
    pub fn read(bytes: &'a [u8]) -> Result<Changes<'a>> {
        if !bytes.len().is_multiple_of(CHANGE) {
            return Err(bad(format!("changes of states in {} bytes", bytes.len())));
        }
        bytes.chunks_exact(CHANGE).try_for_each(|bytes| read_change(bytes).map(drop))?;
        Ok(Changes(bytes))
    }

    /// Their bytes.
    pub fn bytes(self) -> &'a [u8] {
        self.0
    }

    /// One after the other.
    pub fn iter(self) -> impl Iterator<Item = (Rank, Change)> + 'a {
        self.0.chunks_exact(CHANGE).map(|bytes| read_change(bytes).expect("checked when read"))
    }
}
