//! The data of the thread of a host that looks for hangs.

use crate::job::Job;
use crate::settings::Settings;
use std::fmt;
use std::sync::Arc;

/// A job, and the data that only its processes have.
pub(super) struct JobContext {
    pub(super) job: Arc<Job>,
    pub(super) settings: Settings,
    /// Ends all processes of the job with this status.
    pub(super) abort: Box<dyn Fn(i32) + Send + Sync>,
    /// The number of times that a user has requested a report of the images.
    pub(super) questions: Box<dyn Fn() -> u32 + Send + Sync>,
}

impl fmt::Debug for JobContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JobContext").finish_non_exhaustive()
    }
}
