//! The files of the chapters, and the fenced blocks in them.

use crate::toolchain::workspace;
use std::path::PathBuf;

/// The directory of the chapters.
pub fn source_dir() -> PathBuf {
    workspace().join("docs/book/src")
}

/// A fenced block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Number of the line of the opening fence, from 1.
    pub line: usize,
    /// The first word after the fence; empty if there is none.
    pub language: String,
    /// The other words after the fence.
    pub words: Vec<String>,
    /// The lines between the fences.
    pub lines: Vec<String>,
}
