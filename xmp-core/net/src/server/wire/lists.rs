//! Lists of records in a request: records of one length, one after the other.

use super::{Change, Dependency, List, Member, Run, Runs, bad, u32_at, u64_at};
use crate::error::Result;
use crate::rank::Rank;
use std::marker::PhantomData;

/// What a list consists of.
pub trait Record: Sized {
    /// Bytes of a record.
    const BYTES: usize;
    /// The fewest records of a list.
    const LEAST: usize = 0;
    /// What the records are, for messages.
    const WHAT: &str;

    /// Writes the record to the end of `bytes`.
    fn write(self, bytes: &mut Vec<u8>);

    /// The record in [`Record::BYTES`] bytes.
    ///
    /// # Errors
    /// [`crate::error::Error::Invalid`] when [`Record::write`] has not written them.
    fn read(bytes: &[u8]) -> Result<Self>;
}

impl<'a, R: Record> List<'a, R> {
    /// These records, written to `bytes` instead of what is there.
    pub fn of(records: impl IntoIterator<Item = R>, bytes: &'a mut Vec<u8>) -> List<'a, R> {
        bytes.clear();
        records.into_iter().for_each(|record| record.write(bytes));
        List(bytes, PhantomData)
    }

    /// The records in these bytes.
    ///
    /// # Errors
    /// [`crate::error::Error::Invalid`] when [`Record::write`] has not written them, or they are too few.
    pub fn read(bytes: &'a [u8]) -> Result<List<'a, R>> {
        if !bytes.len().is_multiple_of(R::BYTES) || bytes.len() / R::BYTES < R::LEAST {
            return Err(bad(format!("{} in {} bytes", R::WHAT, bytes.len())));
        }
        bytes.chunks_exact(R::BYTES).try_for_each(|bytes| R::read(bytes).map(drop))?;
        Ok(List(bytes, PhantomData))
    }

    /// Their bytes.
    pub fn bytes(self) -> &'a [u8] {
        self.0
    }

    /// The records in order.
    pub fn iter(self) -> impl Iterator<Item = R> + 'a {
        self.0.chunks_exact(R::BYTES).map(|bytes| R::read(bytes).expect("checked when read"))
    }

    /// Number of records.
    pub fn count(self) -> u64 {
        (self.0.len() / R::BYTES) as u64
    }
}

/// The image, its new state and a value.
impl Record for (Rank, Change) {
    const BYTES: usize = 12;
    const WHAT: &str = "changes of states";

    fn write(self, bytes: &mut Vec<u8>) {
        let (image, change) = self;
        let (code, value): (u32, u32) = match change {
            Change::Stopped => (1, 0),
            Change::Failed => (2, 0),
            Change::SurvivorSync(count) => (3, count),
            Change::Ending(status) => (4, status as u32),
            Change::EndingByLauncher(status) => (5, status as u32),
            Change::Acknowledged => (6, 0),
            Change::Complaint(digest) => (7, digest),
            Change::AtEnd(images) => (8, images),
        };
        for word in [image.get(), code, value] {
            bytes.extend(word.to_le_bytes());
        }
    }

    fn read(bytes: &[u8]) -> Result<(Rank, Change)> {
        let [image, code, value] = [0, 4, 8].map(|at| u32_at(bytes, at));
        let change = match code {
            1 => Change::Stopped,
            2 => Change::Failed,
            3 => Change::SurvivorSync(value),
            4 => Change::Ending(value as i32),
            5 => Change::EndingByLauncher(value as i32),
            6 => Change::Acknowledged,
            7 => Change::Complaint(value),
            8 => Change::AtEnd(value),
            _ => return Err(bad(format!("a change of state with code {code}"))),
        };
        Ok((Rank::new(image), change))
    }
}

impl Record for Member {
    const BYTES: usize = 16;
    const LEAST: usize = 1;
    const WHAT: &str = "merged operations";

    fn write(self, bytes: &mut Vec<u8>) {
        bytes.extend(self.origin.get().to_le_bytes());
        bytes.extend(self.id.to_le_bytes());
        bytes.extend(self.operand.to_le_bytes());
    }

    fn read(bytes: &[u8]) -> Result<Member> {
        let (origin, id) = (Rank::new(u32_at(bytes, 0)), u32_at(bytes, 4));
        Ok(Member { origin, id, operand: u64_at(bytes, 8) })
    }
}

impl Record for Dependency {
    const BYTES: usize = 12;
    const LEAST: usize = 1;
    const WHAT: &str = "dependencies";

    fn write(self, bytes: &mut Vec<u8>) {
        bytes.extend(self.image.get().to_le_bytes());
        bytes.extend(self.messages.to_le_bytes());
    }

    fn read(bytes: &[u8]) -> Result<Dependency> {
        Ok(Dependency { image: Rank::new(u32_at(bytes, 0)), messages: u64_at(bytes, 4) })
    }
}

impl Record for Run {
    const BYTES: usize = 12;
    const WHAT: &str = "runs";

    fn write(self, bytes: &mut Vec<u8>) {
        bytes.extend(self.offset.to_le_bytes());
        bytes.extend(self.len.to_le_bytes());
    }

    fn read(bytes: &[u8]) -> Result<Run> {
        Ok(Run { offset: u64_at(bytes, 0), len: u32_at(bytes, 8) })
    }
}

impl Runs<'_> {
    /// Bytes of all runs together.
    pub fn total(self) -> u64 {
        self.iter().map(|run| u64::from(run.len)).sum()
    }
}
