//! READ and WRITE statements of `global_io`.

use super::connection::Whence;
use super::memory::Memory;
use super::refused::{Refused, StatementResult};
use super::unit::{AccessMode, Unit};
use std::rc::Rc;
use xmp_core::Image;
use xmp_core::counted::counted;

/// A data transfer statement that is executed.
#[derive(Debug)]
pub struct Statement {
    /// The unit.
    pub unit: Rc<Unit>,
    /// Whether it is a WRITE.
    pub writes: bool,
    /// REC=
    pub record: i64,
    /// Pieces of memory of independent statements, which are transferred at once.
    pub pieces: Vec<Piece>,
}

/// Contiguous memory of an item.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    /// Its address.
    pub memory: Memory,
    /// Number of bytes.
    pub len: i64,
}

impl Statement {
    /// Transfers the pieces of an independent statement at once.
    ///
    /// # Errors
    /// At the end of the file, for more bytes than a record has, and errors of the system.
    pub fn transfer(&self, image: &Image) -> StatementResult {
        let Unit { way, record, connection, .. } = &*self.unit;
        let len: i64 = self.pieces.iter().map(|piece| piece.len).sum();
        match way {
            AccessMode::Collective => return Ok(()),
            AccessMode::Atomic => {}
            AccessMode::Direct => {
                if len > *record {
                    let why = format!("{} for a record of {record}", counted(len, "byte"));
                    return Err(Refused::because(why).into());
                }
                let place = (self.record - 1).checked_mul(*record);
                let place = place.ok_or_else(|| Refused::because("the record is too far away"))?;
                connection.seek(place, Whence::Beginning)?;
            }
        }
        // The rest of a record is zeros, as in files of the base language.
        let room = if *way == AccessMode::Direct && self.writes { *record } else { len };
        let mut bytes = vec![0_u8; room as usize];
        let memory = Memory::of(&mut bytes);
        if self.writes {
            self.copy(|piece, at| piece.take(&mut bytes[at..]));
            match way {
                AccessMode::Direct => connection.write(image, memory, room)?,
                _ => connection.write_shared(image, memory, room)?,
            };
            return Ok(());
        }
        let got = match way {
            AccessMode::Direct => connection.read(image, memory, len)?,
            _ => connection.read_shared(image, memory, len)?,
        };
        if got < len {
            return Err(Refused::end_of_file().into());
        }
        self.copy(|piece, at| piece.give(&bytes[at..]));
        Ok(())
    }

    /// Calls `copy` with each piece and where it begins.
    fn copy(&self, mut copy: impl FnMut(&Piece, usize)) {
        let mut at = 0;
        for piece in &self.pieces {
            copy(piece, at);
            at += piece.len as usize;
        }
    }
}

impl Piece {
    fn take(&self, to: &mut [u8]) {
        let to = &mut to[..self.len as usize];
        // SAFETY: the contract of entries: the item has these bytes until the statement ends.
        unsafe { to.as_mut_ptr().copy_from_nonoverlapping(self.memory.start(), to.len()) };
    }

    fn give(&self, from: &[u8]) {
        // SAFETY: the contract of entries: the item has these bytes until the statement ends.
        unsafe { self.memory.start().copy_from_nonoverlapping(from.as_ptr(), self.len as usize) };
    }
}
