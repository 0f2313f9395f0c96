//! The user's book (`docs/book`): its chapters, and the commands that they show.
//!
//! A fenced block of language `console` is a session: lines that begin with `$ ` are commands, the lines below a
//! command are its output. [`Session::run`] executes the commands and compares their output. Words after the language
//! say more:
//!
//! | word | meaning |
//! |---|---|
//! | `unordered` | the lines of an output may come in any order, because several images write them |
//! | `requires=NAME` | the program NAME has to be there (`openmpi`, `mpich`: that MPI, and a plug-in for it; `numpy`: that module of Python) |
//! | `gfortran=12-14` | only with these versions of gfortran |
//! | `directory=repository` | the commands run in the root of the repository |
//!
//! Programs are files, mostly of `docs/book/src/programs`, whose text the chapters contain; see [`Chapter::included`].

mod chapter;
mod output;
mod session;
mod source;

pub use chapter::Chapter;
pub use output::{line_matches, matches};
pub use session::{Scratch, Session, Step};
pub use source::{Block, source_dir};

/// The names of the chapters, as `SUMMARY.md` lists them: paths without `.md`.
///
/// # Panics
/// When the summary cannot be read.
pub fn chapters() -> Vec<String> {
    let summary = Chapter::read("SUMMARY");
    summary
        .text()
        .lines()
        .filter_map(|line| line.split_once("](")?.1.split_once(".md)"))
        .map(|(name, _)| name.to_string())
        .collect()
}
