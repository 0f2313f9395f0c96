//! The files of a run in its directory: tables as text, and data.

use crate::error::Error;
use crate::machine::Origin;
use std::fs;
use std::path::{Path, PathBuf};

/// The results of a run.
pub struct Output {
    directory: PathBuf,
    origin: Origin,
}

impl Output {
    /// Makes the directory, and notes machine, date and version.
    pub fn new(directory: PathBuf) -> Result<Self, Error> {
        fs::create_dir_all(&directory).map_err(Error::write(&directory))?;
        Ok(Self { directory, origin: Origin::here() })
    }

    /// The directory of all files.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Machine, date and version.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Writes a document: title, verdict, body.
    pub fn document(
        &self,
        file: &str,
        title: &str,
        verdict: &str,
        body: &str,
    ) -> Result<(), Error> {
        self.data(file, &format!("# {title}\n\n{}\n\n{}\n", verdict.trim(), body.trim()))
    }

    /// Writes a file of values.
    pub fn data(&self, file: &str, text: &str) -> Result<(), Error> {
        let path = self.directory.join(file);
        fs::write(&path, text).map_err(Error::write(&path))
    }
}
