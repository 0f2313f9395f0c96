//! Contiguous runs in the target's segment, one behind the other: offset and length of each.

use super::{Runs, bad, u32_at, u64_at};
use crate::error::Result;

/// Bytes of a run.
pub const RUN: usize = 12;

/// A contiguous run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Where it begins in the target's segment.
    pub offset: u64,
    /// Its bytes.
    pub len: u32,
}

/// Writes a run to the end of `bytes`.
pub fn write_run(bytes: &mut Vec<u8>, offset: u64, len: u32) {
    bytes.extend(offset.to_le_bytes());
    bytes.extend(len.to_le_bytes());
}

impl<'a> Runs<'a> {
    /// The runs in these bytes.
    ///
    /// # Errors
    /// [`crate::error::Error::Invalid`] when [`write_run`] has not written them.
    pub fn read(bytes: &'a [u8]) -> Result<Runs<'a>> {
        if bytes.len().is_multiple_of(RUN) {
            Ok(Runs(bytes))
        } else {
            Err(bad(format!("runs in {} bytes", bytes.len())))
        }
    }

    /// Their bytes.
    pub fn bytes(self) -> &'a [u8] {
        self.0
    }

    /// Each of them, in order.
    pub fn iter(self) -> impl Iterator<Item = Run> + 'a {
        self.0
            .chunks_exact(RUN)
            .map(|bytes| Run { offset: u64_at(bytes, 0), len: u32_at(bytes, 8) })
    }

    /// Number of runs.
    pub fn count(self) -> u64 {
        (self.0.len() / RUN) as u64
    }

    /// Bytes of all runs together.
    pub fn total(self) -> u64 {
        self.iter().map(|run| u64::from(run.len)).sum()
    }
}
