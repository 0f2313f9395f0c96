//! Compiling a suite's programs with a peer's compiler.

use super::{Compiler, Kind, Peer};
use crate::machine::checkout;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program of a suite.
pub struct Program {
    /// Name of the executable.
    pub name: &'static str,
    /// Its sources from the checkout on, in the order in which they compile.
    pub sources: &'static [&'static str],
    /// What it is written in.
    pub language: Language,
    /// Options of the compiler, for every peer.
    pub options: &'static [&'static str],
}

/// What a program is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C.
    C,
    /// Fortran.
    Fortran,
}

/// The programs of a suite. The first of each kind is the benchmark: a peer for which it does not compile is
/// not measured. The others are optional.
pub struct Programs {
    /// For coarray peers.
    pub coarray: &'static [Program],
    /// For raw MPI.
    pub mpi: &'static [Program],
    /// For raw MPI by messages alone, where that is a side of its own.
    pub messages: &'static [Program],
}

/// What was compiled for a peer.
#[derive(Clone, Debug, Default)]
pub struct Binaries {
    /// The benchmark; empty for the limits, which are this program.
    pub bench: PathBuf,
    /// All programs, by their names, or the compiler's messages.
    all: BTreeMap<&'static str, Result<PathBuf, String>>,
}

impl Binaries {
    /// These and no others.
    #[cfg(test)]
    pub fn only(bench: PathBuf) -> Self {
        Self { bench, all: BTreeMap::new() }
    }

    /// These and another one.
    #[cfg(test)]
    pub fn with(mut self, name: &'static str, program: Result<PathBuf, String>) -> Self {
        self.all.insert(name, program);
        self
    }

    /// A program, or the compiler's message; `None` if the peer has no such program.
    pub fn get(&self, name: &str) -> Option<&Result<PathBuf, String>> {
        self.all.get(name)
    }

    /// The program of this name.
    ///
    /// # Errors
    /// The compiler's message, or that there is no such program.
    pub fn program(&self, name: &str) -> Result<PathBuf, String> {
        self.get(name).cloned().unwrap_or_else(|| Err(format!("has no program {name}")))
    }
}

/// Compiles what the peer runs into `directory`; the compiler's message if the benchmark fails.
pub fn build(peer: &Peer, programs: &Programs, directory: &Path) -> Result<Binaries, String> {
    fs::create_dir_all(directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    let programs = match peer.kind {
        Kind::Limit => return Ok(Binaries::default()),
        Kind::RawMpi => programs.mpi,
        Kind::RawMessages => programs.messages,
        _ => programs.coarray,
    };
    let (first, others) = programs.split_first().expect("a suite has a benchmark");
    let bench = compile(peer, first, directory)?;
    let others = others.iter().map(|program| (program.name, compile(peer, program, directory)));
    let first = (first.name, Ok(bench.clone()));
    Ok(Binaries { bench, all: others.chain([first]).collect() })
}

fn compile(peer: &Peer, program: &Program, directory: &Path) -> Result<PathBuf, String> {
    let compiler = peer.compiler.as_ref().expect("every peer but the limits has a compiler");
    let directory = std::path::absolute(directory)
        .map_err(|error| format!("{}: {error}", directory.display()))?;
    let executable = directory.join(program.name);
    let mut command = match (program.language, &peer.fortran) {
        (Language::Fortran, Some(fortran)) => {
            let mut command = Command::new(fortran);
            command.args(compiler.before.iter().filter(|_| peer.kind.is_coarray()));
            command
        }
        (Language::Fortran, None) if !peer.kind.is_coarray() => {
            return Err("no Fortran compiler of this MPI".to_owned());
        }
        _ => {
            let mut command = Command::new(&compiler.program);
            command.args(compiler.before);
            command
        }
    };
    if let Some((variable, behind)) = &compiler.behind {
        command.env(variable, behind);
    }
    command.args(program.options);
    let mut sources: Vec<PathBuf> =
        program.sources.iter().map(|file| checkout().join(file)).collect();
    if program.language == Language::Fortran {
        // Not each Fortran compiler reads C.
        for source in &mut sources {
            if source.extension().is_some_and(|extension| extension == "c") {
                *source = compile_c(compiler, program, source, &directory)?;
            }
        }
        // Where the compiler writes and finds the module files; a program's own, as names repeat.
        let modules = directory.join(format!("{}.modules", program.name));
        fs::create_dir_all(&modules).map_err(|error| format!("{}: {error}", modules.display()))?;
        command.arg("-J").arg(modules);
    }
    command.args(sources);
    command.args(compiler.after).arg("-o").arg(&executable);
    // Some compilers leave their object files where they are called.
    command.current_dir(&directory);
    succeed(&mut command, program).map(|()| executable)
}

/// Compiles a source in C of a Fortran program; the object file.
fn compile_c(
    compiler: &Compiler,
    program: &Program,
    source: &Path,
    directory: &Path,
) -> Result<PathBuf, String> {
    let name = source.file_stem().unwrap_or_default().display();
    let object = directory.join(format!("{}.{name}.o", program.name));
    let mut command = Command::new(&compiler.program);
    command.args(compiler.before).args(program.options).arg("-c").arg(source);
    command.arg("-o").arg(&object).current_dir(directory);
    succeed(&mut command, program).map(|()| object)
}

/// Runs a compiler; its message if it fails.
fn succeed(command: &mut Command, program: &Program) -> Result<(), String> {
    let compiler = Path::new(command.get_program()).to_owned();
    let output = command.output().map_err(|error| format!("{}: {error}", compiler.display()))?;
    if output.status.success() {
        Ok(())
    } else {
        let said = String::from_utf8_lossy(&output.stderr);
        Err(format!("compiling {}: {}: {}", program.name, output.status, said.trim()))
    }
}
