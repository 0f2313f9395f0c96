//! Programs whose argument names a mistake, after which images wait for one another for ever; and the messages about them.
//! Comments of the source name the lines of the message.

use crate::{Outcome, Program, Run};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use xmp_hosts::Mpirun;

/// The limit of a run: a hang that is not found fails its test after this time.
pub const LIMIT: Duration = Duration::from_secs(120);

/// A mistake, the numbers of images and of hosts, and the message, with names of lines in braces.
pub type Case = (&'static str, u32, &'static [u32], &'static str);

/// A program with mistakes.
#[derive(Debug)]
pub struct Mistakes {
    program: PathBuf,
    source: String,
    /// The name of the source file.
    file: String,
}

impl Mistakes {
    /// The compiled program of this source file.
    ///
    /// # Panics
    /// When it cannot be compiled or read.
    pub fn of(program: &Program, source: &Path) -> Mistakes {
        Mistakes {
            program: program.build(),
            source: fs::read_to_string(source).expect("a source file"),
            file: source.file_name().expect("a file").to_string_lossy().into_owned(),
        }
    }

    /// The compiled program.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// `file:line` of the line with the comment `! name` or `/* name */`.
    fn line(&self, name: &str) -> String {
        let comments = [format!("! {name}"), format!("/* {name} */")];
        let is_it = |text: &str| comments.iter().any(|comment| text.ends_with(comment));
        let lines = self.source.lines().enumerate();
        let found: Vec<usize> =
            lines.filter(|(_, text)| is_it(text)).map(|(at, _)| at + 1).collect();
        let [line] = found[..] else { panic!("{name}: lines {found:?}") };
        format!("{}:{line}", self.file)
    }

    /// `text` with lines instead of names in braces.
    ///
    /// # Panics
    /// When there is no such line.
    pub fn with_lines(&self, text: &str) -> String {
        let mut parts = text.split('{');
        let mut result = parts.next().expect("the first part").to_owned();
        for part in parts {
            let (name, rest) = part.split_once('}').expect("a name in braces");
            result.push_str(&self.line(name));
            result.push_str(rest);
        }
        result
    }

    /// The text without the directories of the source file.
    pub fn without_directories(&self, text: &str) -> String {
        let file = format!("/{}", self.file);
        let words = text.split(' ');
        let short = words.map(|word| word.rfind(&file).map_or(word, |at| &word[at + 1..]));
        short.collect::<Vec<_>>().join(" ")
    }

    /// A run with this mistake.
    pub fn run(&self, mistake: &str, images: u32, hosts: u32) -> Run {
        Run::new(&self.program).images(images).virtual_hosts(hosts).args([mistake]).limit(LIMIT)
    }

    /// A run with this mistake under the launcher of an MPI.
    pub fn of_mpi(&self, mistake: &str, mpirun: &Mpirun) -> Run {
        Run::new(&self.program).mpirun(mpirun).args([mistake]).limit(LIMIT)
    }

    /// Checks that a run has ended with this message.
    ///
    /// # Panics
    /// When it has not.
    pub fn is_diagnosed(&self, outcome: &Outcome, expected: &str, what: &str) {
        let message = self.without_directories(outcome.stderr.trim_end());
        let expected = format!("xmp: deadlock: {}", self.with_lines(expected));
        assert_eq!(message, expected, "{what}");
        outcome.exited_with(1).stdout_is("");
    }

    /// Checks the messages of mistakes.
    ///
    /// # Panics
    /// When one differs.
    pub fn are_diagnosed(&self, cases: &[Case]) {
        for &(mistake, images, hosts, expected) in cases {
            for &hosts in hosts {
                let outcome = self.run(mistake, images, hosts).finish();
                let what = format!("{mistake}, {images} images, {hosts} hosts");
                self.is_diagnosed(&outcome, expected, &what);
            }
        }
    }
}
