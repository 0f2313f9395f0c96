//! Errors that stop the driver itself. A failing peer is no error: it is part of the result.

use std::io;
use std::path::{Path, PathBuf};

/// Why the driver gave up.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// `--rows` names nothing that exists.
    #[error("--rows: \"{0}\" is no row, group or name:size of this suite")]
    UnknownRow(String),
    /// `--peers` names nothing that exists.
    #[error("--peers: \"{item}\" is not one of {known}")]
    UnknownPeer {
        /// The name given.
        item: String,
        /// The names that exist.
        known: String,
    },
    /// Not a single peer is installed and ours is absent too.
    #[error("nothing to measure: none of the peers asked for is installed")]
    NothingInstalled,
    /// No separate hosts can be made.
    #[error("no separate hosts here: {0}")]
    NoHosts(String),
    /// No thread could be bound to a core to keep it busy.
    #[error("--stranger: a thread could not be bound to a core: {0}")]
    Stranger(io::Error),
    /// A file or directory of the results could not be written.
    #[error("writing {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file could not be read.
    #[error("reading {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file is not one of results.
    #[error("{}: {reason}; expected summary.csv or values.csv of a run", path.display())]
    NotResults {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A call of the limits program failed.
    #[error("limits: {operation}: {source}")]
    Limits {
        /// The system call.
        operation: &'static str,
        /// Its error.
        source: io::Error,
    },
    /// A process of the limits program ended early.
    #[error("limits: image {image} ended with {status}")]
    LimitsImage {
        /// Image index, 1-based.
        image: usize,
        /// How it ended.
        status: String,
    },
}

impl Error {
    /// A function that wraps an input-output error of writing `path`.
    pub fn write(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Write { path, source }
    }
}
