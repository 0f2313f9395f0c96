//! Programs that are as if the Omni XcalableMP compiler had made them.

use super::{Program, c_source, files_of};
use crate::toolchain::{crate_dir, toolchain};
use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

impl Program {
    /// The C program `c/omni/<name>.c`, which is as if the Omni XcalableMP compiler had made it, linked with the
    /// libraries for such programs.
    pub fn omni_c(name: &str) -> Program {
        let headers =
            ["omni", "xmp", ""].map(|name| toolchain().prefix().join("include/xmprt").join(name));
        let mut included: Vec<PathBuf> =
            headers.iter().flat_map(|headers| files_of(headers)).collect();
        included.push(c_source("omni/check").with_extension("h"));
        let mut arguments = ["-O2", "-Wall", "-Wextra", "-Werror"].map(OsString::from).to_vec();
        arguments.extend(headers.into_iter().flat_map(|headers| ["-I".into(), headers.into()]));
        arguments.extend(Program::omni_library());
        let libraries = toolchain().prefix().join("lib/xmprt/omni");
        Program {
            name: format!("omni-c-{name}"),
            compiler: env::var_os("XMP_CC").unwrap_or_else(|| "cc".into()).into(),
            sources: vec![c_source(&format!("omni/{name}")), libraries.join("libxmp.a")],
            included,
            arguments,
            ..Program::default()
        }
    }

    /// The Fortran program `fortran-omni/<name>.f90`, which is as if the Omni XcalableMP compiler had made it, with the
    /// module `calls`, compiled by the plain Fortran compiler and linked with the libraries for such programs.
    pub fn omni_fortran(name: &str) -> Program {
        Program::omni(&format!("omni-fortran-{name}"), ["calls", name], &[])
    }

    /// As [`Program::omni_fortran`], `fortran-omni/coarray/<name>.f90`: with coarrays, and the main program of
    /// `expecting`.
    pub fn omni_coarray(name: &str) -> Program {
        let sources = ["coarray/expecting", &format!("coarray/{name}")];
        Program::omni(&format!("omni-coarray-{name}"), sources, &["-fcray-pointer", "-w"])
    }

    /// The arguments by which programs of the Omni compiler name their library to the linker.
    fn omni_library() -> Vec<OsString> {
        let libraries = toolchain().prefix().join("lib");
        let mut rpath = OsString::from("-Wl,-rpath,");
        rpath.push(&libraries);
        let library = ["-Wl,--no-as-needed", "-l:libxmprt_omni.so.0"].map(OsString::from);
        library.into_iter().chain(["-L".into(), libraries.into(), rpath]).collect()
    }

    fn omni(name: &str, sources: [&str; 2], options: &[&str]) -> Program {
        let (prefix, libraries) = (toolchain().prefix(), toolchain().prefix().join("lib"));
        let headers = prefix.join("include/xmprt/omni");
        let source = |name: &str| crate_dir().join("fortran-omni").join(name).with_extension("f90");
        let archives = ["libxmpf.a", "libxmp.a", "libxmpf_traverse.a"];
        let fixed = ["-O2", "-fallow-argument-mismatch"];
        let mut arguments: Vec<OsString> =
            fixed.iter().chain(options).copied().map(OsString::from).collect();
        let module = headers.join("xmpf_coarray_decl.mod");
        arguments.extend(["-I".into(), headers.into()]);
        arguments.extend(Program::omni_library());
        Program {
            name: name.into(),
            compiler: toolchain().fortran().into(),
            sources: sources
                .map(source)
                .into_iter()
                .chain(archives.map(|archive| libraries.join("xmprt/omni").join(archive)))
                .collect(),
            included: vec![module],
            arguments,
            ..Program::default()
        }
    }
}
