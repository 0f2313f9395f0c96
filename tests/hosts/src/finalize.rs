//! The library that keeps MPICH 4.0 from hanging in `MPI_Finalize`; its source says why.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{self, Command};

/// The source.
const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/c/mpich_finalize.c");

/// Compiles the library into `directory`, unless it is there.
pub fn build(directory: &Path) -> Result<PathBuf, String> {
    let library = directory.join("libmpich_finalize.so");
    if library.exists() {
        return Ok(library);
    }
    fs::create_dir_all(directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    // Others may look for it now, so it appears whole.
    let part = directory.join(format!("libmpich_finalize.{}", process::id()));
    let mut command = Command::new("cc");
    command.args(["-shared", "-fPIC", "-O2", "-o"]).arg(&part).arg(SOURCE);
    let output = command.output().map_err(|error| format!("cc: {error}"))?;
    if !output.status.success() {
        return Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    fs::rename(&part, &library).map_err(|error| format!("{}: {error}", library.display()))?;
    Ok(library)
}
