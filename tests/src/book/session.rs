//! A session of a chapter: commands and what they write.

use super::output::matches;
use super::source::{Block, source_dir};
use crate::exceptions::left_out_with;
use crate::hosts::mpis_with_plugin;
use crate::outcome::Outcome;
use crate::run::Run;
use crate::toolchain::{toolchain, workspace};
use std::env;
use std::ffi::OsString;
use std::fs;
use std::ops::RangeInclusive;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::time::Duration;
use tempfile::TempDir;
use xmp_hosts::{Requirement, skipped};

/// How a line begins that is a command.
const PROMPT: &str = "$ ";

/// A command may take this long. Only one that hangs does.
const LIMIT: Duration = Duration::from_secs(600);

/// Open MPI starts processes as root, and more of them than there are cores, and does not look at the network, about whose
/// interfaces Open MPI 5 may write a line.
const OPEN_MPI: [(&str, &str); 5] = [
    ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
    ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
    ("OMPI_MCA_rmaps_base_oversubscribe", "1"),
    ("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe"),
    ("OMPI_MCA_btl", "^tcp,ofi"),
];

/// A fenced block of commands and their output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// The chapter and the line, for messages.
    place: String,
    ordered: bool,
    in_repository: bool,
    requires: Vec<String>,
    gfortran: Option<RangeInclusive<u32>>,
    steps: Vec<Step>,
}

/// A command and the output that the chapter shows for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// For `sh`; several lines where the first ones end with a backslash.
    pub command: String,
    /// Lines.
    pub output: Vec<String>,
}

/// The directory that the sessions of a chapter run in, one after the other. It has all programs of the book.
#[derive(Debug)]
pub struct Scratch(TempDir);

impl Scratch {
    /// A new one.
    ///
    /// # Panics
    /// When it cannot be made.
    pub fn new() -> Scratch {
        let directory = tempfile::tempdir().expect("temporary directories are possible");
        copy_files(&source_dir().join("programs"), directory.path());
        Scratch(directory)
    }

    /// Adds a program, or replaces one.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn add(&self, name: &str, program: &str) {
        fs::write(self.0.path().join(name), program)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

impl Default for Scratch {
    fn default() -> Scratch {
        Scratch::new()
    }
}

fn copy_files(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap_or_else(|error| panic!("{}: {error}", from.display())) {
        let file = entry.expect("an entry of the directory").path();
        let copy = to.join(file.file_name().expect("a name"));
        fs::copy(&file, copy).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    }
}

impl Session {
    /// The session in a block.
    ///
    /// # Panics
    /// When a word of its fence is unknown, or when it does not begin with a command.
    pub fn parse(chapter: &str, block: &Block) -> Session {
        let mut session = Session {
            place: format!("{chapter}.md:{}", block.line),
            ordered: true,
            in_repository: false,
            requires: Vec::new(),
            gfortran: None,
            steps: Vec::new(),
        };
        for word in &block.words {
            session.apply(word);
        }
        for line in &block.lines {
            session.add(line);
        }
        session
    }

    fn apply(&mut self, word: &str) {
        match word.split_once('=') {
            None if word == "unordered" => self.ordered = false,
            Some(("requires", name)) => self.requires.push(name.into()),
            Some(("directory", "repository")) => self.in_repository = true,
            Some(("gfortran", versions)) => {
                let number = |text: &str| text.parse().ok();
                let range = versions.split_once('-');
                let range = range.and_then(|(first, last)| Some(number(first)?..=number(last)?));
                self.gfortran = Some(range.unwrap_or_else(|| panic!("{}: {word}", self.place)));
            }
            _ => panic!("{}: unknown word \"{word}\" after console", self.place),
        }
    }

    fn add(&mut self, line: &str) {
        if let Some(step) = self.steps.last_mut()
            && step.command.ends_with('\\')
        {
            step.command.push('\n');
            step.command.push_str(line);
        } else if let Some(command) = line.strip_prefix(PROMPT) {
            self.steps.push(Step { command: command.into(), output: Vec::new() });
        } else {
            let step = self.steps.last_mut();
            let step = step.unwrap_or_else(|| panic!("{}: a command comes first", self.place));
            step.output.push(line.into());
        }
    }

    /// The commands.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Executes the commands and compares their output. Parts that need what this machine lacks are skipped, with a
    /// report.
    ///
    /// # Panics
    /// When an output is another one, when a command hangs, or when one fails without an output that says so.
    pub fn run(&self, scratch: &Scratch) {
        if !self.possible() {
            return;
        }
        let mut status = 0;
        for (index, step) in self.steps.iter().enumerate() {
            let outcome = self.execute(step, status, scratch);
            status = outcome.status.code().unwrap_or(-1);
            let written: Vec<&str> = outcome.stdout.lines().collect();
            assert!(
                matches(&step.output, &written, self.ordered),
                "{}: $ {}\nthe chapter shows:\n{}\nthe command writes (exit status {status}):\n{}",
                self.place,
                step.command,
                step.output.join("\n"),
                outcome.stdout
            );
            let next = self.steps.get(index + 1);
            let shown = next.is_some_and(|next| next.command == "echo $?");
            assert!(
                status == 0 || shown || step.output.iter().any(|line| tells_failure(line)),
                "{}: $ {}\nends with status {status}, and nothing shown says so",
                self.place,
                step.command
            );
        }
    }

    fn possible(&self) -> bool {
        if let Some(versions) = &self.gfortran
            && (left_out_with(..versions.start(), &self.place, "the chapter shows a later version")
                || left_out_with(
                    versions.end() + 1..,
                    &self.place,
                    "the chapter shows an earlier version",
                ))
        {
            return false;
        }
        let missing = self.requires.iter().find(|name| !is_here(name));
        if let Some(name) = missing {
            let requirement = Requirement::of_command(name);
            skipped(requirement, format_args!("{} needs {name}, which is not here", self.place));
        }
        missing.is_none()
    }

    /// Executes a command after one that has ended with this status, so that `$?` is that.
    fn execute(&self, step: &Step, status: i32, scratch: &Scratch) -> Outcome {
        let directory = if self.in_repository { workspace() } else { scratch.0.path() };
        let script = format!("cd \"$0\" || exit\nexec 2>&1\n(exit {status})\n{}", step.command);
        let run = Run::new("sh").args(["-c", &script]).args([directory]).limit(LIMIT);
        let run = run.env("PATH", search_path()).env("XMP_FC", toolchain().fortran());
        let run = run.env("PKG_CONFIG_PATH", toolchain().pkg_config_dir());
        OPEN_MPI.iter().fold(run, |run, (name, value)| run.env(*name, *value)).finish()
    }
}

/// Whether a line of an output tells that the command has failed: a message of XMP-RT, or an error of another program.
fn tells_failure(line: &str) -> bool {
    let is_error_of_images = line.contains(": image");
    line.starts_with("xmp") || is_error_of_images || line.to_lowercase().contains("error")
}

fn is_here(name: &str) -> bool {
    match name {
        "openmpi" | "mpich" => {
            mpis_with_plugin().iter().any(|mpirun| mpirun.flavour().suffix() == name)
        }
        "numpy" => has_numpy("python3") || python_of_system().is_some(),
        _ => env::split_paths(&search_path()).any(|directory| directory.join(name).is_file()),
    }
}

/// The commands of the installation, then those of the machine.
fn search_path() -> OsString {
    let ours: PathBuf = toolchain().prefix().join("bin");
    let path = env::var_os("PATH").unwrap_or_default();
    let first = [ours].into_iter().chain(python_of_system());
    env::join_paths(first.chain(env::split_paths(&path))).expect("a search path")
}

fn has_numpy(python: &str) -> bool {
    let probe = Command::new(python).args(["-c", "import numpy"]).output();
    probe.is_ok_and(|probe| probe.status.success())
}

/// A directory with the system's `python3` alone, where that has NumPy and the one of the search path has not: packages of the
/// system are for that one.
fn python_of_system() -> Option<PathBuf> {
    const PYTHON: &str = "/usr/bin/python3";
    static DIRECTORY: LazyLock<Option<TempDir>> = LazyLock::new(|| {
        if has_numpy("python3") || !has_numpy(PYTHON) {
            return None;
        }
        let directory = tempfile::tempdir().expect("temporary files are possible");
        symlink(PYTHON, directory.path().join("python3")).expect("a new directory");
        Some(directory)
    });
    DIRECTORY.as_ref().map(|directory| directory.path().to_path_buf())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(words: &[&str], lines: &[&str]) -> Session {
        let words = words.iter().map(|word| word.to_string()).collect();
        let lines = lines.iter().map(|line| line.to_string()).collect();
        Session::parse("a", &Block { line: 1, language: "console".into(), words, lines })
    }

    #[test]
    fn commands_and_their_output() {
        let found = session(&["unordered", "gfortran=12-14"], &["$ a \\", "  b", "x", "y", "$ c"]);
        assert_eq!(found.gfortran, Some(12..=14));
        assert!(!found.ordered);
        assert_eq!(found.steps.len(), 2);
        assert_eq!(found.steps[0].command, "a \\\n  b");
        assert_eq!(found.steps[0].output, ["x", "y"]);
        assert_eq!(found.steps[1].command, "c");
    }

    #[test]
    #[should_panic(expected = "unknown word \"fast\"")]
    fn unknown_words_are_refused() {
        session(&["fast"], &[]);
    }

    #[test]
    fn a_session_runs() {
        session(&[], &["$ echo a; echo b >&2", "a", "b", "$ exit 3", "$ echo $?", "3"])
            .run(&Scratch::new());
    }

    #[test]
    #[should_panic(expected = "the command writes (exit status 0):\nb")]
    fn another_output_is_found() {
        session(&[], &["$ echo b", "a"]).run(&Scratch::new());
    }

    #[test]
    #[should_panic(expected = "ends with status 3, and nothing shown says so")]
    fn a_failure_is_found() {
        session(&[], &["$ exit 3"]).run(&Scratch::new());
    }
}
