//! The programs of the examples, compiled as the documents say.

use super::{Program, files_of, fortran_example};
use crate::toolchain::{toolchain, workspace};
use std::ffi::OsString;

impl Program {
    /// The example program `fortran/<name>.f90` of the examples, which may include files of the directory
    /// `<parts>` beside it; compiled as the documents say.
    pub fn example(name: &str, parts: Option<&str>) -> Program {
        let source = fortran_example(name);
        let included = parts.map_or_else(Vec::new, |parts| files_of(&source.with_file_name(parts)));
        Program {
            name: format!("example-{name}"),
            compiler: toolchain().xmpfc(),
            sources: vec![source],
            included,
            arguments: vec!["-O3".into()],
            ..Program::default()
        }
    }

    /// The example program `c/<name>.c` of the examples, compiled as the documents say.
    pub fn c_example(name: &str) -> Program {
        Program {
            name: format!("c-example-{name}"),
            compiler: toolchain().xmpcc(),
            sources: vec![workspace().join("examples/c").join(name).with_extension("c")],
            arguments: ["-O3", "-Wall", "-Wextra", "-Werror"].map(OsString::from).into(),
            ..Program::default()
        }
    }

    /// The XcalableMP program `xmp/<name>.c` of the examples, compiled as the documents say, with more options.
    pub fn xmp_example(name: &str, options: &[&str]) -> Program {
        let arguments = ["-O3", "-Wall", "-Wextra", "-Werror"].iter().chain(options);
        Program {
            name: format!("xmp-example-{name}"),
            compiler: toolchain().xmpcc(),
            sources: vec![workspace().join("examples/xmp").join(name).with_extension("c")],
            arguments: arguments.copied().map(OsString::from).collect(),
            ..Program::default()
        }
    }

    /// The Fortran program with directives `examples/xmp/<name>`.
    pub fn xmp_fortran_example(name: &str, options: &[String]) -> Program {
        let sources = vec![workspace().join("examples/xmp").join(name)];
        let arguments = ["-O3", "-Wall", "-Werror"].map(OsString::from).into_iter();
        let arguments = arguments.chain(options.iter().map(OsString::from)).collect();
        let stem = name.split('.').next().unwrap_or_default();
        let name = format!("xmp-fortran-example-{stem}");
        Program { name, sources, arguments, ..Program::xmp_fortran(&[]) }
    }
}
