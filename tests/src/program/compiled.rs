//! Programs are compiled once, and found again by a number for everything that they depend on.

use super::{Linking, Program};
use crate::toolchain::{output_of, target_dir, toolchain};
use std::ffi::OsString;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

impl Program {
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
        let is = |commands: &[&str]| {
            self.compiler.file_name().is_some_and(|name| commands.iter().any(|&it| name == it))
        };
        if is(&["xmpcc", "xmpf90"]) || self.arguments.iter().any(checks_bounds) {
            // It writes the source that is compiled.
            let translator = toolchain().prefix().join("lib/xmprt/xmp-translate");
            fs::metadata(translator).and_then(|it| it.modified()).ok().hash(&mut hasher);
        }
        if is(&["xmpcc", "xmpcxx"]) {
            let headers =
                fs::read_dir(toolchain().prefix().join("include/xmprt")).into_iter().flatten();
            let mut headers: Vec<_> = headers
                .flatten()
                .map(|file| (file.file_name(), fs::read(file.path()).ok()))
                .collect();
            headers.sort();
            headers.hash(&mut hasher);
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
