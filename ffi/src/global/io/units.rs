//! The units of Fortran that `global_io` has connected, and the statement that is executed on one. An error of a
//! statement without IOSTAT= (`told`) ends the job.

use super::memory::Memory;
use super::refused::{Refused, StatementResult, Stop};
use super::statement::{Piece, Statement};
use super::unit::{AccessMode, Options, Unit, specifier};
use crate::global::error::{DirectiveError, Outcome};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::c_int;
use std::fs;
use std::rc::Rc;
use xmp_collectives::file::{self, Failure, agree};
use xmp_collectives::global::StoredSection;
use xmp_core::Image;

/// The units of this image, and the statement that it executes.
#[derive(Debug, Default)]
pub struct Units {
    connected: RefCell<HashMap<c_int, Rc<Unit>>>,
    options: RefCell<Options>,
    statement: RefCell<Option<Statement>>,
    /// The outcome of the statement so far.
    refused: RefCell<Option<Refused>>,
}

impl Units {
    /// Sets a specifier of the next OPEN or CLOSE.
    pub fn option(&self, which: c_int, value: String) {
        self.options.borrow_mut().set(which, value);
    }

    /// The value of IOSTAT= for the last statement.
    pub fn iostat(&self) -> c_int {
        self.refused.borrow().as_ref().map_or(0, |refused| refused.number)
    }

    /// Ends a statement. Its error ends the job, unless it has IOSTAT= (`told`).
    fn end(&self, unit: c_int, done: StatementResult, told: bool) -> Outcome {
        let refused = match done {
            Ok(()) => None,
            Err(Stop::Runtime(error)) => return Err(error.into()),
            Err(Stop::Refused(Refused { why, .. })) if !told => {
                return Err(DirectiveError::because(format!("unit {unit}: {why}")));
            }
            Err(Stop::Refused(refused)) => Some(refused),
        };
        *self.refused.borrow_mut() = refused;
        Ok(())
    }

    /// OPEN. Collective.
    pub fn open(
        &self,
        image: &Image,
        unit: c_int,
        way: AccessMode,
        record: i64,
        told: bool,
    ) -> Outcome {
        let options = self.options.take();
        let before = self.connected.borrow().get(&unit).cloned();
        let done = match before {
            None => Unit::open(image, &options, way, record).map(|new| {
                self.connected.borrow_mut().insert(unit, Rc::new(new));
            }),
            Some(before) => {
                let before = before.path.display();
                Err(Refused::because(format!("it is connected to `{before}`; close it")).into())
            }
        };
        self.end(unit, done, told)
    }

    /// CLOSE. Collective.
    pub fn close(&self, image: &Image, unit: c_int, way: AccessMode, told: bool) -> Outcome {
        let options = self.options.take();
        let done = self.closed(image, &options, unit, way);
        self.end(unit, done, told)
    }

    fn closed(
        &self,
        image: &Image,
        options: &Options,
        unit: c_int,
        way: AccessMode,
    ) -> StatementResult {
        let deletes = options.word(specifier::STATUS, "STATUS", &["KEEP", "DELETE"])? == "DELETE";
        self.unit(unit, way)?;
        let closed = self.connected.borrow_mut().remove(&unit).and_then(Rc::into_inner);
        let Some(Unit { path, connection, .. }) = closed else {
            return Err(Refused::because("a statement on it has not ended").into());
        };
        let (set, is_first) = (connection.set().clone(), connection.is_first());
        let closed = connection.close(image);
        if deletes {
            let removed = if is_first { fs::remove_file(path) } else { Ok(()) };
            agree(image, &set, removed.map_err(Failure::from))?;
        }
        Ok(closed?)
    }

    /// A unit that is connected in a way.
    fn unit(&self, unit: c_int, way: AccessMode) -> Result<Rc<Unit>, Refused> {
        let connected = self.connected.borrow();
        let found = connected.get(&unit);
        let found = found.ok_or_else(|| Refused::because("it is not connected by global_io"))?;
        if found.way != way {
            let why = format!("it is connected by `{}`, not by `{way}`", found.way);
            return Err(Refused::because(why));
        }
        Ok(found.clone())
    }

    /// `file_sync_all`. Collective.
    ///
    /// # Errors
    /// The error of the statement.
    pub fn sync(&self, image: &Image, unit: c_int) -> Outcome {
        let found = self.connected.borrow().get(&unit).cloned();
        let done = match found {
            Some(found) => found.connection.sync(image).map_err(Stop::from),
            None => Err(Refused::because("it is not connected by global_io").into()),
        };
        self.end(unit, done, false)
    }

    /// READ or WRITE begins. Items follow, then [`Units::finish`].
    pub fn begin(&self, unit: c_int, way: AccessMode, record: i64, writes: bool) {
        let found = self.unit(unit, way).and_then(|unit| {
            if way == AccessMode::Direct && record < 1 {
                return Err(Refused::because(format!("there is no record {record}")));
            }
            Ok(unit)
        });
        let (statement, refused) = match found {
            Ok(unit) => (Some(Statement { unit, writes, record, pieces: Vec::new() }), None),
            Err(refused) => (None, Some(refused)),
        };
        *self.statement.borrow_mut() = statement;
        *self.refused.borrow_mut() = refused;
    }

    /// The next item is contiguous memory.
    pub fn bytes(&self, image: &Image, memory: Memory, len: i64) -> Outcome {
        let mut statement = self.statement.borrow_mut();
        let Some(statement) = statement.as_mut().filter(|_| self.refused.borrow().is_none()) else {
            return Ok(());
        };
        if statement.unit.way != AccessMode::Collective {
            statement.pieces.push(Piece { memory, len });
            return Ok(());
        }
        let (connection, mut is_whole) = (&statement.unit.connection, true);
        let done = if statement.writes {
            connection.write_once(image, memory, len)
        } else {
            connection.read_all(image, Ok((memory, len))).map(|got| is_whole = got == len)
        };
        self.note(done, is_whole)
    }

    /// The next item is a distributed array.
    pub fn section(&self, image: &Image, stored: StoredSection<'_>) -> Outcome {
        let statement = self.statement.borrow();
        let Some(statement) = statement.as_ref().filter(|_| self.refused.borrow().is_none()) else {
            return Ok(());
        };
        let (connection, mut is_whole) = (&statement.unit.connection, true);
        let done = if statement.writes {
            connection.write_section(image, Ok(stored)).map(drop)
        } else {
            connection.read_section(image, Ok(stored)).map(|read| is_whole = read.is_whole)
        };
        self.note(done, is_whole)
    }

    /// Notes the outcome of the transfer of an item, and whether it was complete.
    fn note(&self, done: file::Outcome, is_whole: bool) -> Outcome {
        match done.map_err(Stop::from) {
            Ok(()) if is_whole => {}
            Ok(()) => *self.refused.borrow_mut() = Some(Refused::end_of_file()),
            Err(Stop::Runtime(error)) => return Err(error.into()),
            Err(Stop::Refused(refused)) => *self.refused.borrow_mut() = Some(refused),
        }
        Ok(())
    }

    /// READ or WRITE ends.
    pub fn finish(&self, image: &Image, unit: c_int, told: bool) -> Outcome {
        let statement = self.statement.take();
        let done = match (self.refused.take(), statement) {
            (Some(refused), _) => Err(refused.into()),
            (None, Some(statement)) => statement.transfer(image),
            (None, None) => Ok(()),
        };
        self.end(unit, done, told)
    }
}
