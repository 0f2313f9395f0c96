//! Test programs: their sources and options. A program that was compiled once is found again by its contents.

use crate::toolchain::{crate_dir, output_of, target_dir, toolchain, workspace};
use std::env;
use std::ffi::OsString;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
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

    /// Compiles the program, or finds it compiled, and returns the executable.
    ///
    /// # Panics
    /// When the compiler fails, with what it says.
    pub fn build(&self) -> PathBuf {
        let cache = target_dir().join("test-programs");
        let home = cache.join(format!("{}-{:016x}", self.name, self.digest()));
        let executable = home.join("program");
        if executable.exists() {
            return executable;
        }
        // Compiled elsewhere and moved into place whole: other tests may look for the same program now.
        fs::create_dir_all(&cache)
            .unwrap_or_else(|error| panic!("cannot make {}: {error}", cache.display()));
        let bench = tempfile::tempdir_in(&cache)
            .unwrap_or_else(|error| panic!("cannot work in {}: {error}", cache.display()));
        self.compile(bench.path());
        match fs::rename(bench.path(), &home) {
            Ok(()) => std::mem::drop(bench.keep()),
            // Another test was faster.
            Err(_) if executable.exists() => {}
            Err(error) => panic!("cannot make {}: {error}", home.display()),
        }
        executable
    }

    fn compile(&self, directory: &Path) {
        let mut command = Command::new(&self.compiler);
        command.args(&self.arguments).args(&self.sources);
        command.envs(self.wrapped.clone());
        if self.linking == Linking::StaticXmp {
            command.arg("-static-xmp");
        }
        for routine in &self.routines {
            command.arg(compile_routine(routine, directory));
        }
        // Module files go to the working directory.
        command.arg("-o").arg("program").current_dir(directory);
        let output = command
            .output()
            .unwrap_or_else(|error| panic!("cannot run {}: {error}", self.compiler.display()));
        assert!(
            output.status.success(),
            "{} does not compile ({command:?}):\n{}{}",
            self.name,
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
    }

    /// A number for everything that the executable depends on. A shared library is found again at run time, so
    /// only its place counts; of an archive, the time of its last change.
    fn digest(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.compiler.hash(&mut hasher);
        self.wrapped.hash(&mut hasher);
        match self.linking {
            Linking::Without => output_of(&self.compiler, ["--version"]).hash(&mut hasher),
            _ => toolchain().versions().hash(&mut hasher),
        }
        self.arguments.hash(&mut hasher);
        self.linking.hash(&mut hasher);
        for source in self.sources.iter().chain(&self.included).chain(&self.routines) {
            fs::read(source)
                .unwrap_or_else(|error| panic!("cannot read {}: {error}", source.display()))
                .hash(&mut hasher);
        }
        // Members of it become a part of programs.
        let reach = toolchain().prefix().join("lib/xmprt/libxmprt_reach.a");
        fs::read(reach).ok().filter(|_| self.linking != Linking::Without).hash(&mut hasher);
        if self.arguments.iter().any(|argument| argument == "--check=races") {
            // The assembler and the plug-ins of the compiler put instructions into programs.
            let files = fs::read_dir(toolchain().plugins().join("races")).into_iter().flatten();
            let files = files.flatten().filter(|file| file.path().is_file());
            let mut files: Vec<_> = files
                .map(|file| (file.file_name(), file.metadata().and_then(|it| it.modified()).ok()))
                .collect();
            files.sort();
            files.hash(&mut hasher);
        }
        let checks_bounds = |argument: &OsString| {
            let argument = argument.to_string_lossy();
            argument.starts_with("--check=") && argument.contains("bounds")
        };
        if self.arguments.iter().any(checks_bounds) {
            // It writes the source that is compiled.
            let translator = toolchain().prefix().join("lib/xmprt/xmp-translate");
            fs::metadata(translator).and_then(|it| it.modified()).ok().hash(&mut hasher);
        }
        let is_static = |argument: &OsString| argument.as_encoded_bytes().starts_with(b"-static");
        if self.linking == Linking::StaticXmp || self.arguments.iter().any(is_static) {
            let archive = fs::metadata(toolchain().archive()).expect("the archive is there");
            (archive.len(), archive.modified().ok()).hash(&mut hasher);
        }
        hasher.finish()
    }
}

/// Compiles a source in Rust to an archive in this directory, by the compiler of this crate.
fn compile_routine(source: &Path, directory: &Path) -> PathBuf {
    let archive = directory.join(source.file_stem().expect("a name")).with_extension("a");
    let output = Command::new("rustc")
        .args(["--edition=2024", "--crate-type=staticlib", "-O", "-Cpanic=abort", "-o"])
        .args([&archive, source])
        .output()
        .unwrap_or_else(|error| panic!("cannot run rustc: {error}"));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{} does not compile:\n{text}", source.display());
    archive
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
