//! A unit of Fortran that `global_io` connects, and the specifiers of OPEN.

use super::connection::{Connection, Start};
use super::refused::{Refused, StatementResult, Stop};
use crate::global::error::{DirectiveError, Outcome};
use std::collections::HashMap;
use std::ffi::{OsStr, c_int};
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use xmp_collectives::file::{Failure, How};
use xmp_core::Image;

/// The manner in which the nodes access a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessMode {
    /// `global_io`
    Collective,
    /// `global_io atomic`
    Atomic,
    /// `global_io direct`
    Direct,
}

impl fmt::Display for AccessMode {
    /// The directive.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AccessMode::Collective => "global_io",
            AccessMode::Atomic => "global_io atomic",
            AccessMode::Direct => "global_io direct",
        })
    }
}

impl AccessMode {
    /// The way with the number that the translator gives it.
    ///
    /// # Errors
    /// For another number.
    pub fn of(number: c_int) -> Outcome<AccessMode> {
        match number {
            0 => Ok(AccessMode::Collective),
            1 => Ok(AccessMode::Atomic),
            2 => Ok(AccessMode::Direct),
            _ => Err(DirectiveError::because(format!("there is no way {number} of global_io"))),
        }
    }
}

/// The values of specifiers, blanks at their ends left out.
#[derive(Debug, Default)]
pub struct Options {
    /// By the numbers of the specifiers.
    pub values: HashMap<c_int, String>,
}

/// Numbers of the specifiers that are texts.
pub mod specifier {
    /// FILE=
    pub const FILE: i32 = 1;
    /// STATUS=
    pub const STATUS: i32 = 2;
    /// POSITION=
    pub const POSITION: i32 = 3;
    /// ACTION=
    pub const ACTION: i32 = 4;
    /// ACCESS=
    pub const ACCESS: i32 = 5;
    /// FORM=
    pub const FORM: i32 = 6;
}

impl Options {
    /// Sets one.
    pub fn set(&mut self, which: c_int, value: String) {
        self.values.insert(which, value);
    }

    /// The value of a specifier, which is one of `valid`; the first of them where it is left out.
    ///
    /// # Errors
    /// For another value.
    pub fn word(
        &self,
        which: c_int,
        name: &str,
        valid: &[&'static str],
    ) -> Result<&'static str, Refused> {
        let Some(value) = self.values.get(&which) else { return Ok(valid[0]) };
        let found = valid.iter().find(|word| word.eq_ignore_ascii_case(value));
        found.copied().ok_or_else(|| {
            Refused::because(format!("{name}='{value}' is none of {}", valid.join(", ")))
        })
    }
}

/// A unit that is connected.
#[derive(Debug)]
pub struct Unit {
    /// The manner in which the nodes access it.
    pub way: AccessMode,
    /// Bytes of a record (direct access).
    pub record: i64,
    /// The file.
    pub path: PathBuf,
    /// The file that it is connected to.
    pub connection: Connection,
}

impl Unit {
    /// Connects a unit by OPEN. Collective.
    ///
    /// # Errors
    /// For wrong specifiers, and errors of the system.
    pub fn open(
        image: &Image,
        options: &Options,
        way: AccessMode,
        record: i64,
    ) -> StatementResult<Unit> {
        let path = options.values.get(&specifier::FILE);
        let path = path.ok_or_else(|| Refused::because("FILE= is missing"))?;
        let path = Path::new(OsStr::from_bytes(path.as_bytes())).to_path_buf();
        let access = if way == AccessMode::Direct { "DIRECT" } else { "SEQUENTIAL" };
        options.word(specifier::ACCESS, "ACCESS", &[access])?;
        options.word(specifier::FORM, "FORM", &["UNFORMATTED"])?;
        if way == AccessMode::Direct && record < 1 {
            return Err(Refused::because(format!("RECL={record} is no length of a record")).into());
        }
        let status = ["UNKNOWN", "OLD", "NEW", "REPLACE"];
        let status = options.word(specifier::STATUS, "STATUS", &status)?;
        let start = ["ASIS", "REWIND", "APPEND"];
        let start = match options.word(specifier::POSITION, "POSITION", &start)? {
            "APPEND" => Start::End,
            _ => Start::Beginning,
        };
        let action = ["", "READ", "WRITE", "READWRITE"];
        let action = options.word(specifier::ACTION, "ACTION", &action)?;
        let write = action != "READ";
        let how = How {
            read: action != "WRITE",
            write,
            create: write && status != "OLD",
            new: write && status == "NEW",
            truncate: write && status == "REPLACE",
        };
        let opened = match Connection::open(image, Ok(&path), how, start) {
            // A file that may only be read is opened for reading, unless the program requests another action.
            Err(Failure::System(libc::EACCES | libc::EROFS))
                if action.is_empty() && ["UNKNOWN", "OLD"].contains(&status) =>
            {
                let how = How { read: true, ..How::default() };
                Connection::open(image, Ok(&path), how, start)
            }
            other => other,
        };
        let connection = opened.map_err(|failure| match failure.into() {
            Stop::Refused(Refused { number, why }) => {
                Stop::Refused(Refused { number, why: format!("file `{}`: {why}", path.display()) })
            }
            runtime => runtime,
        })?;
        Ok(Unit { way, record, path, connection })
    }
}
