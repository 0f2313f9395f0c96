//! Threads of the launcher.

use crate::error::{Error, Result};
use crate::short_slices;
use std::thread::{Builder, Scope, ScopedJoinHandle};

/// Policies of scheduling for which threads of the launcher ask for short slices.
const POLICIES: [libc::c_int; 2] = [libc::SCHED_OTHER, libc::SCHED_BATCH];

/// The way in which the threads of the launcher share the cores with the images.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sharing {
    /// There is a core for each image.
    Usual,
    /// Images share cores. A thread that wakes up would wait until each of hundreds of images has used its slice.
    Crowded,
}

impl Sharing {
    /// Has the calling thread run soon when it wakes up. Neither images nor threads that it starts inherit that.
    pub(super) fn apply(self) {
        if self == Sharing::Crowded {
            short_slices::request(&POLICIES, true);
        }
    }
}

/// Starts a thread of the launcher.
///
/// # Errors
/// When the system has no thread for it.
pub(super) fn start<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    sharing: Sharing,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Result<ScopedJoinHandle<'scope, T>> {
    let work = move || {
        sharing.apply();
        work()
    };
    let started = Builder::new().spawn_scoped(scope, work);
    started.map_err(|error| Error::no_process("cannot start a thread of the launcher", error))
}
