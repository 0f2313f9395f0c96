//! What the thread of a host that looks for hangs works with.

use crate::job::Job;
use crate::settings::Settings;
use std::fmt;
use std::sync::Arc;

/// The job, and what only its processes know.
pub(super) struct Shared {
    pub(super) job: Arc<Job>,
    pub(super) settings: Settings,
    /// Ends all processes of the job with this status.
    pub(super) abort: Box<dyn Fn(i32) + Send + Sync>,
    /// How often a user has asked what the images do.
    pub(super) questions: Box<dyn Fn() -> u32 + Send + Sync>,
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}
