//! Projects of build systems: the templates of `examples/build/` and others, built with the installation.

use crate::Run;
use crate::toolchain::{output_of, toolchain, workspace};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// Seconds that one command of a build system may take.
const LIMIT: &str = "600";

/// A project in a directory of its own, and what it is built with.
#[derive(Debug)]
pub struct Project {
    directory: TempDir,
    /// The installation of XMP-RT.
    pub prefix: PathBuf,
    /// The Fortran compiler, which the build system gets in `FC`.
    pub fortran: OsString,
}

impl Project {
    /// An empty project, for the installation and the compiler that all tests use.
    pub fn empty() -> Project {
        Project {
            directory: tempfile::tempdir().expect("a directory"),
            prefix: toolchain().prefix().to_owned(),
            fortran: toolchain().fortran().into(),
        }
    }

    /// A copy of the template `examples/build/<name>`.
    pub fn template(name: &str) -> Project {
        let project = Project::empty();
        let template = workspace().join("examples/build").join(name).join(".");
        output_of("cp", [OsStr::new("-rL"), template.as_os_str(), project.path().as_os_str()]);
        project
    }

    /// The directory of the project. It is removed with the project.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Writes a file of the project.
    pub fn write(&self, file: &str, text: &str) {
        fs::write(self.path().join(file), text).expect("it can be written");
    }

    /// Runs a command in the project. The search paths lead to the installation, and pkg-config finds nothing else.
    ///
    /// # Panics
    /// When `timeout` cannot be run.
    pub fn try_run(&self, command: &str, arguments: &[&str]) -> Output {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut paths = vec![self.prefix.join("bin")];
        paths.extend(std::env::split_paths(&path));
        Command::new("timeout")
            .args([LIMIT, command])
            .args(arguments)
            .current_dir(self.path())
            .env("PATH", std::env::join_paths(paths).expect("paths without colons"))
            .env("PKG_CONFIG_LIBDIR", self.prefix.join("lib/pkgconfig"))
            .env_remove("PKG_CONFIG_PATH")
            .env("CMAKE_PREFIX_PATH", &self.prefix)
            .env("FC", &self.fortran)
            .output()
            .expect("timeout runs")
    }

    /// Runs a command in the project and returns what it has written to both outputs.
    ///
    /// # Panics
    /// When the command fails.
    pub fn run(&self, command: &str, arguments: &[&str]) -> String {
        let output = self.try_run(command, arguments);
        let text = text_of(&output);
        assert!(output.status.success(), "{command} {arguments:?}: {}\n{text}", output.status);
        text
    }

    /// Checks that a `heat` of the templates runs, with the shared library of the installation.
    ///
    /// # Panics
    /// When it does not.
    pub fn heat_runs(&self, program: &str) {
        let program = self.path().join(program);
        let libraries = output_of("ldd", [&program]);
        let ours = format!("libxmprt.so.0 => {}", self.prefix.display());
        assert!(libraries.contains(&ours), "{libraries}");
        heat_is_conserved(&program);
    }
}

/// Runs a `heat` of the templates and checks its output.
///
/// # Panics
/// When the output is wrong.
pub fn heat_is_conserved(program: &Path) {
    let outcome = Run::new(program).images(3).finish();
    outcome.succeeded().stdout_is("3 images: heat 1.000000, warmest cell 0.035660\n");
}

/// What a command has written to its standard output, then to its standard error.
pub fn text_of(output: &Output) -> String {
    let [out, err] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    format!("{out}{err}")
}

/// Checks that no compiler has warned.
///
/// # Panics
/// When the text has a warning.
pub fn assert_no_warning(text: &str) {
    assert!(!text.to_lowercase().contains("warning"), "{text}");
}
