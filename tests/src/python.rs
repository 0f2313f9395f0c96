//! Packages of Python's index, for tests of what only they have.

use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;
use xmp_hosts::{Requirement, noted, skipped};

/// A virtual environment with some packages. It is removed with this value.
#[derive(Debug)]
pub struct Environment(TempDir);

impl Environment {
    /// A new one with these packages; `None`, and a message, where Python makes none or PyPI does not give the packages.
    ///
    /// # Panics
    /// When `XMP_REQUIRE` names virtual environments, and Python makes none.
    pub fn with(packages: &[&str]) -> Option<Environment> {
        let environment = Environment(tempfile::tempdir().expect("a directory"));
        let arguments = ["-m".as_ref(), "venv".as_ref(), environment.0.path()];
        let made = Command::new("python3").args(arguments).output();
        if !made.is_ok_and(|output| output.status.success()) {
            skipped(Requirement::Venv, "python3 makes no virtual environment");
            return None;
        }
        let pip = ["-m", "pip", "install", "--quiet", "--no-cache-dir"];
        let pip = Command::new(environment.command("python3")).args(pip).args(packages).output();
        let output = pip.expect("pip");
        if !output.status.success() {
            let error = String::from_utf8_lossy(&output.stderr);
            noted(format_args!("PyPI does not give {}: {error}", packages.join(" ")));
            return None;
        }
        Some(environment)
    }

    /// Its directory.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// A command of it.
    pub fn command(&self, name: &str) -> PathBuf {
        self.0.path().join("bin").join(name)
    }
}
