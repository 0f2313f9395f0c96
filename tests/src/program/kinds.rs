//! The programs of this crate, by languages.

use super::{Linking, Program, c_source, files_of, fortran_source, in_path};
use crate::toolchain::{crate_dir, toolchain};
use std::ffi::OsString;
use std::path::Path;
use xmp_hosts::Flavour;

impl Program {
    /// The Fortran program `fortran/<name>.f90`, and the module `checks`, which it may use. Shared linking, `-O2`; with
    /// the preprocessor, for what some version of the compiler cannot do.
    pub fn fortran(name: &str) -> Program {
        Program {
            name: name.replace('/', "-"),
            compiler: toolchain().xmpfc(),
            sources: vec![fortran_source("support/checks"), fortran_source(name)],
            arguments: ["-cpp", "-O2"].map(OsString::from).into(),
            ..Program::default()
        }
    }

    /// A Fortran program in any file; otherwise as [`Program::fortran`].
    ///
    /// # Panics
    /// When the file has no name.
    pub fn fortran_file(path: &Path) -> Program {
        let name = path.file_stem().expect("the name of a file").to_string_lossy().into_owned();
        Program {
            name,
            sources: vec![fortran_source("support/checks"), path.into()],
            ..Program::fortran("support/checks")
        }
    }

    /// The C program `c/<name>.c`, compiled and linked by the C compiler.
    pub fn c(name: &str) -> Program {
        Program {
            name: format!("c-{name}"),
            compiler: toolchain().xmpcc(),
            sources: vec![c_source(name)],
            included: vec![c_source("check").with_extension("h")],
            arguments: ["-O2", "-Wall", "-Wextra", "-Werror"].map(OsString::from).into(),
            ..Program::default()
        }
    }

    /// The C++ program `c/<name>.cpp`, compiled for a standard and linked by the C++ compiler.
    pub fn cpp(name: &str, standard: &str) -> Program {
        let options = ["-O2", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"];
        Program {
            name: format!("{standard}-{name}"),
            compiler: toolchain().xmpcxx(),
            sources: vec![c_source(name).with_extension("cpp")],
            included: vec![c_source("check").with_extension("hpp")],
            arguments: options
                .map(OsString::from)
                .into_iter()
                .chain([format!("-std={standard}").into()])
                .collect(),
            ..Program::c(name)
        }
    }

    /// The C program of the directory `c/accessors`: coindexed objects as gfortran 16 compiles them.
    pub fn accessors() -> Program {
        let ends = |end: &'static str| {
            let files = files_of(&crate_dir().join("c/accessors"));
            files.into_iter().filter(move |file| file.extension().is_some_and(|its| its == end))
        };
        // Calls of teams are those of this version; and accessors have as many parameters as they need.
        let options = ["-Wl,--defsym=xmp_gfortran_abi=16", "-Wno-cast-function-type"];
        let arguments = ["-O2", "-Wall", "-Wextra", "-Werror"].into_iter().chain(options);
        Program {
            name: "c-accessors".into(),
            compiler: toolchain().xmpcc(),
            sources: ends("c").collect(),
            included: ends("h").collect(),
            arguments: arguments.map(OsString::from).collect(),
            ..Program::default()
        }
    }

    /// The Fortran program of the sources `fortran-xmp/<name>`, with directives of XcalableMP, which `xmpf90` translates.
    pub fn xmp_fortran(names: &[&str]) -> Program {
        let directory = crate_dir().join("fortran-xmp");
        let stems = names.iter().map(|name| name.split('.').next().unwrap_or_default());
        Program {
            name: format!("xmp-fortran-{}", stems.collect::<String>()),
            compiler: toolchain().xmpf90(),
            sources: names.iter().map(|name| directory.join(name)).collect(),
            arguments: ["-O2", "-fopenmp", "-fcheck=all"].map(OsString::from).into(),
            ..Program::default()
        }
    }

    /// The C program of the sources `c/xmp/<name>.c`, with directives of XcalableMP, which `xmpcc` translates.
    pub fn xmp_c(names: &[&str]) -> Program {
        let directory = crate_dir().join("c/xmp");
        Program {
            name: format!("xmp-c-{}", names.concat()),
            compiler: toolchain().xmpcc(),
            sources: names.iter().map(|name| directory.join(name).with_extension("c")).collect(),
            included: ["check.h", "mapping.h", "parts.h"].map(|name| directory.join(name)).into(),
            arguments: ["-O2", "-fopenmp", "-Wall", "-Wextra", "-Werror"]
                .map(OsString::from)
                .into(),
            ..Program::default()
        }
    }

    /// The C program `c/<name>.c` together with the Fortran sources `fortran/<procedures>.f90` that it calls,
    /// linked by the Fortran compiler (which knows the libraries that Fortran needs).
    pub fn c_with_fortran(name: &str, procedures: &str) -> Program {
        Program {
            name: format!("c-{name}"),
            compiler: toolchain().xmpfc(),
            sources: vec![fortran_source(procedures), c_source(name)],
            arguments: vec!["-O2".into()],
            ..Program::default()
        }
    }

    /// The C program `c/<name>.c`, compiled for an MPI by itself, without XMP-RT. None where that MPI has no compiler.
    pub fn plain_mpi(name: &str, mpi: Flavour) -> Option<Program> {
        let compiler = in_path(&format!("mpicc.{}", mpi.suffix()))?;
        Some(Program {
            name: format!("{}-{name}", mpi.suffix()),
            compiler,
            sources: vec![c_source(name)],
            arguments: ["-O2", "-Wall", "-Wextra", "-Werror"].map(OsString::from).into(),
            linking: Linking::Without,
            ..Program::default()
        })
    }
}
