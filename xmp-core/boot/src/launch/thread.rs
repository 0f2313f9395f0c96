//! Threads of the launcher.

use crate::error::{Error, Result};
use std::thread::{Builder, Scope, ScopedJoinHandle};

/// Starts a thread of the launcher.
///
/// # Errors
/// When the system has no thread for it.
pub(super) fn start<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Result<ScopedJoinHandle<'scope, T>> {
    let started = Builder::new().spawn_scoped(scope, work);
    started.map_err(|error| Error::no_process("cannot start a thread of the launcher", error))
}
