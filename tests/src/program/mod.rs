//! Test programs: their sources and options. A program that was compiled once is found again by its contents.

mod compiled;
mod examples;
mod kinds;
mod omni;

use crate::toolchain::{crate_dir, toolchain, workspace};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use xmp_hosts::Flavour;

/// The way in which a program is linked with XMP-RT.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Linking {
    /// With `libxmprt.so`.
    #[default]
    Shared,
    /// With `libxmprt.a`; everything else as usual.
    StaticXmp,
    /// Not at all.
    Without,
}

/// A program to compile.
#[derive(Clone, Debug, Default)]
pub struct Program {
    name: String,
    compiler: PathBuf,
    sources: Vec<PathBuf>,
    /// Files that the sources include.
    included: Vec<PathBuf>,
    /// Sources in Rust, of routines that the program calls.
    routines: Vec<PathBuf>,
    arguments: Vec<OsString>,
    linking: Linking,
    /// The compiler for the wrapper, with its variable; otherwise the wrapper chooses.
    wrapped: Option<(&'static str, PathBuf)>,
}

impl Program {
    /// Has the wrapper use the compiler of an MPI, so that the program can use MPI beside coarrays. None where that MPI
    /// has none.
    pub fn with_mpi(mut self, mpi: Flavour) -> Option<Program> {
        let (variable, name) = if self.compiler == toolchain().xmpcc() {
            ("XMP_CC", "mpicc")
        } else {
            ("XMP_FC", "mpif90")
        };
        self.name = format!("{}-{}", mpi.suffix(), self.name);
        self.wrapped = Some((variable, in_path(&format!("{name}.{}", mpi.suffix()))?));
        Some(self)
    }

    /// Has `xmpfc` use this compiler, which is LFortran or stands in for it.
    pub fn for_lfortran(mut self, compiler: PathBuf) -> Program {
        self.name = format!("lfortran-{}", self.name);
        self.wrapped = Some(("XMP_FC", compiler));
        self.included.push(toolchain().prefix().join("share/xmprt/prif_lfortran.F90"));
        self
    }

    /// Has `xmpcc` use clang.
    pub fn for_clang(mut self) -> Program {
        self.name = format!("clang-{}", self.name);
        self.wrapped = Some(("XMP_CC", "clang".into()));
        self
    }

    /// Adds the module `fortran/support/<module>.f90`, before the program itself.
    pub fn with(mut self, module: &str) -> Program {
        let place = self.sources.len() - 1;
        self.sources.insert(place, fortran_source(&format!("support/{module}")));
        self
    }

    /// Adds an installed module, before the program itself.
    pub fn with_installed(mut self, module: &str) -> Program {
        self.sources.insert(0, toolchain().prefix().join("include/xmprt").join(module));
        self
    }

    /// Adds the C functions of `c/<name>.c`.
    pub fn with_c(mut self, name: &str) -> Program {
        self.sources.push(c_source(name));
        self.included.push(c_source("check").with_extension("h"));
        let include = toolchain().prefix().join("include/xmprt");
        self.arguments.push("-I".into());
        self.arguments.push(include.into());
        self
    }

    /// Adds the Rust routines of `rust/<name>.rs`.
    pub fn with_rust(mut self, name: &str) -> Program {
        self.routines.push(crate_dir().join("rust").join(name).with_extension("rs"));
        self
    }

    /// Chooses how to link.
    pub fn linking(mut self, linking: Linking) -> Program {
        self.linking = linking;
        self
    }

    /// Adds an argument for the compiler.
    pub fn argument(mut self, argument: impl Into<OsString>) -> Program {
        self.arguments.push(argument.into());
        self
    }
}

/// A program on the search path.
fn in_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|dir| dir.join(program)).find(|file| file.is_file())
}

/// The files of a directory, sorted.
fn files_of(directory: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(directory)
        .unwrap_or_else(|error| panic!("cannot read {}: {error}", directory.display()))
        .map(|entry| entry.expect("an entry of the directory").path())
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    files
}

/// The path of `c/<name>.c`.
pub fn c_source(name: &str) -> PathBuf {
    crate_dir().join("c").join(name).with_extension("c")
}

/// The path of `fortran/<name>.f90`.
pub fn fortran_source(name: &str) -> PathBuf {
    crate_dir().join("fortran").join(name).with_extension("f90")
}

/// The path of the example program `fortran/<name>.f90`.
pub fn fortran_example(name: &str) -> PathBuf {
    workspace().join("examples/fortran").join(name).with_extension("f90")
}
