//! Errors of the operating system as sources of errors of the runtime.

use std::fmt;
use std::io;
use std::sync::Arc;

/// An error of the operating system, which can be copied and compared.
#[derive(Clone)]
pub struct SystemError(Arc<io::Error>);

impl SystemError {
    /// The error itself.
    pub fn io_error(&self) -> &io::Error {
        &self.0
    }
}

impl From<io::Error> for SystemError {
    fn from(error: io::Error) -> SystemError {
        SystemError(Arc::new(error))
    }
}

impl PartialEq for SystemError {
    fn eq(&self, other: &SystemError) -> bool {
        let content = |error: &SystemError| (error.0.kind(), error.0.raw_os_error());
        content(self) == content(other) && self.0.to_string() == other.0.to_string()
    }
}

impl Eq for SystemError {}

impl std::error::Error for SystemError {}

impl fmt::Display for SystemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for SystemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
