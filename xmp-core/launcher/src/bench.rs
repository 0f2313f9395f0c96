//! `--bench`: compiles the installed program that measures operations, as users compile theirs, and runs it.

use crate::scratch;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;
use tempfile::TempDir;
use xmp_core::{Error, Result};

/// The program in C, relative to the directory of this command.
const SOURCE: &str = "../share/xmprt/measure.c";

/// The number of images where none is asked for.
pub const IMAGES: u32 = 2;

/// The compiled program, in a directory that is removed with it.
#[derive(Debug)]
pub struct Program {
    directory: TempDir,
}

impl Program {
    /// Compiles it.
    ///
    /// # Errors
    /// When it is not installed, or cannot be compiled.
    pub fn compile() -> Result<Program> {
        let failed = |what: &str, error| Error::os(format!("--bench: {what}"), error);
        let own =
            std::env::current_exe().map_err(|error| failed("where this command is", error))?;
        let beside = |name: &str| own.parent().map(|bin| bin.join(name)).unwrap_or_default();
        let (compiler, source) = (beside("xmpcc"), beside(SOURCE));
        if !source.is_file() {
            return Err(Error::Invalid(format!(
                "--bench: {} is missing: install XMP-RT completely",
                source.display()
            )));
        }
        let directory =
            scratch::directory_in(&std::env::temp_dir(), "--bench: the program is compiled")?;
        let program = Program { directory };
        let mut command = Command::new(&compiler);
        command.arg("-O2").arg(&source).arg("-o").arg(program.path());
        let status = command.status();
        let status =
            status.map_err(|error| failed(&format!("cannot run {}", compiler.display()), error))?;
        if !status.success() {
            return Err(Error::Invalid(
                "--bench: the program could not be compiled; it needs a C compiler, and XMP_CC may name one".into(),
            ));
        }
        Ok(program)
    }

    fn path(&self) -> PathBuf {
        self.directory.path().join("measure")
    }

    /// The program as a command without arguments.
    pub fn command(&self) -> Vec<OsString> {
        vec![self.path().into()]
    }
}
