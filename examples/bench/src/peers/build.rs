//! Compiling a suite's programs with a peer's compiler.

use super::{Kind, Peer};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The optimisation of every peer's programs.
const COMMON_FLAGS: &[&str] = &["-O2"];

/// A program of a suite: its name and its sources in the order in which they compile.
pub struct Program {
    /// Name of the executable.
    pub name: &'static str,
    /// File names under `programs/`.
    pub sources: &'static [&'static str],
}

/// The sources of a suite.
pub struct Programs {
    /// The benchmark for coarray peers.
    pub coarray: Program,
    /// The benchmark for raw MPI.
    pub mpi: Program,
    /// Further coarray programs: `rss` lines from an empty program.
    pub empty: Program,
    /// Counted puts, for the instruction counter.
    pub counted_puts: Program,
}

/// What was compiled for a peer.
#[derive(Clone, Debug)]
pub struct Binaries {
    /// The benchmark; empty for the limits, which are this program.
    pub bench: PathBuf,
    /// The empty program, for coarray peers.
    pub empty: Option<PathBuf>,
    /// The counted puts, for coarray peers.
    pub counted_puts: Option<PathBuf>,
}

/// Compiles what the peer runs into `directory`; the compiler's message if it fails.
pub fn build(peer: &Peer, programs: &Programs, directory: &Path) -> Result<Binaries, String> {
    fs::create_dir_all(directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    match peer.kind {
        Kind::Limit => Ok(Binaries { bench: PathBuf::new(), empty: None, counted_puts: None }),
        Kind::RawMpi => {
            let bench = compile(peer, &programs.mpi, directory)?;
            Ok(Binaries { bench, empty: None, counted_puts: None })
        }
        Kind::Ours | Kind::OpenCoarrays | Kind::CafShmem => Ok(Binaries {
            bench: compile(peer, &programs.coarray, directory)?,
            empty: Some(compile(peer, &programs.empty, directory)?),
            counted_puts: Some(compile(peer, &programs.counted_puts, directory)?),
        }),
    }
}

fn compile(peer: &Peer, program: &Program, directory: &Path) -> Result<PathBuf, String> {
    let compiler = peer.compiler.as_ref().expect("every peer but the limits has a compiler");
    let source_dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs");
    let executable = directory.join(program.name);
    let mut command = Command::new(&compiler.program);
    command.args(COMMON_FLAGS).args(compiler.before);
    if peer.kind.is_coarray() {
        // Where the Fortran compiler writes and finds the module files.
        command.arg("-J").arg(directory);
    }
    command.args(program.sources.iter().map(|file| source_dir.join(file)));
    command.args(compiler.after).arg("-o").arg(&executable);
    let output =
        command.output().map_err(|error| format!("{}: {error}", compiler.program.display()))?;
    if output.status.success() {
        Ok(executable)
    } else {
        let said = String::from_utf8_lossy(&output.stderr);
        Err(format!("compiling {}: {}: {}", program.name, output.status, said.trim()))
    }
}
