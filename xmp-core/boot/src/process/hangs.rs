//! Hangs of jobs that MPI has started on one machine: what [`crate::launch`] does for its own jobs, the first image does here.

use crate::error::{Error, Result};
use crate::failure::{self, ERROR_STATUS};
use crate::job::Job;
use crate::launch::TIMEOUT_STATUS;
use crate::launch::hang::{Hangs, INTERVAL, Local};
use crate::rank::Rank;
use crate::report::{report, until_reports_are_read};
use crate::settings::Settings;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Instant;

/// The thread of the first image that looks for hangs. It ends when this is dropped.
#[derive(Debug)]
pub(super) struct HangWatch {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

/// What the thread works with.
struct Shared {
    job: Arc<Job>,
    settings: Settings,
    /// Ends all processes of the job with this status.
    abort: Box<dyn Fn(i32) + Send + Sync>,
    /// How often a user has asked what the images do.
    questions: Box<dyn Fn() -> u32 + Send + Sync>,
    stop: AtomicBool,
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

impl HangWatch {
    /// Starts the thread, in the process of the first image of a job on one host; `None` in others. `abort` ends all
    /// processes of the job; `questions`: how often a user has asked.
    ///
    /// # Errors
    /// When the system has no thread.
    pub(super) fn start(
        job: &Arc<Job>,
        rank: Rank,
        settings: &Settings,
        abort: impl Fn(i32) + Send + Sync + 'static,
        questions: impl Fn() -> u32 + Send + Sync + 'static,
    ) -> Result<Option<HangWatch>> {
        let geometry = job.geometry();
        if rank != Rank::new(0) || geometry.region_hosts != geometry.hosts {
            return Ok(None);
        }
        let shared = Arc::new(Shared {
            job: job.clone(),
            settings: settings.clone(),
            abort: Box::new(abort),
            questions: Box::new(questions),
            stop: AtomicBool::new(false),
        });
        let its = shared.clone();
        let thread = crate::service_thread::start("xmp-hangs", move || its.look());
        let thread = thread
            .map_err(|error| Error::os("cannot start a thread that looks for hangs", error))?;
        Ok(Some(HangWatch { shared, thread: Some(thread) }))
    }
}

impl Drop for HangWatch {
    fn drop(&mut self) {
        // Relaxed: the flag orders nothing; the join orders what the thread has done.
        self.shared.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // A panic of the thread was written to standard error.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || failure::ending(&self.job).is_some()
    }

    /// Looks at the images until the job ends.
    fn look(&self) {
        let mut hangs = Hangs::new(Local::default(), &self.settings);
        let mut answered = (self.questions)();
        let limit = self.settings.timeout;
        let deadline = limit.map(|limit| Instant::now() + limit);
        while !self.is_over() {
            let next = hangs.next().saturating_duration_since(Instant::now());
            std::thread::park_timeout(next.min(INTERVAL));
            let asked = (self.questions)();
            if std::mem::replace(&mut answered, asked) != asked {
                report(format_args!("{}", hangs.table(&self.job)));
            }
            if let (Some(limit), Some(deadline)) = (limit, deadline)
                && deadline <= Instant::now()
            {
                report(format_args!("the job has run for {limit:?}: ending it"));
                report(format_args!("{}", hangs.table(&self.job)));
                return self.end_job(TIMEOUT_STATUS);
            }
            if let Some(finding) = hangs.look(&self.job)
                && !self.is_over()
            {
                report(format_args!("{finding}"));
                if hangs.ends_job(&finding) {
                    return self.end_job(ERROR_STATUS);
                }
            }
        }
    }

    /// Ends the job after the launcher has read the reason.
    fn end_job(&self, status: i32) {
        failure::start_ending(&self.job, None, status);
        until_reports_are_read();
        (self.abort)(status);
    }
}
