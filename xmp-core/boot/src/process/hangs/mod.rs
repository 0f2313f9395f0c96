//! Hangs of jobs that MPI has started: processes of the job have the task here that [`crate::launch`] has for its own
//! jobs. The process of the first image judges. On several hosts it asks the leaders of the others, who probe the
//! images of their hosts; they send messages by the communication servers.

mod all_hosts;
mod answering;
mod job_context;
mod judging;
mod message;
mod post;

use super::serving::leaders;
use crate::error::{Error, Result};
use crate::job::Job;
use crate::rank::Rank;
use crate::server::{Notes, Port};
use crate::settings::Settings;
use answering::Answering;
use job_context::JobContext;
use judging::Judge;
use post::Post;
use std::sync::Arc;
use std::thread::JoinHandle;

/// The thread of a host that looks for hangs. It ends when this is dropped.
#[derive(Debug)]
pub(super) struct HangWatch {
    notes: Arc<Notes>,
    thread: Option<JoinHandle<()>>,
}

impl HangWatch {
    /// Starts the thread, in the process of the first image and in the processes that lead other hosts; `None` in
    /// others. `port`: the port of the process, where there are other hosts. `abort` ends all processes of the job;
    /// `questions`: the number of requests of a user.
    ///
    /// # Errors
    /// When the system has no thread.
    pub(super) fn start(
        job: &Arc<Job>,
        rank: Rank,
        settings: &Settings,
        port: Option<&Arc<Port>>,
        abort: impl Fn(i32) + Send + Sync + 'static,
        questions: impl Fn() -> u32 + Send + Sync + 'static,
    ) -> Result<Option<HangWatch>> {
        let first = Rank::new(0);
        let post = match port {
            None if rank == first => Post::default(),
            Some(port) if port.leads() => Post::new(port.clone()),
            _ => return Ok(None),
        };
        let notes = post.notes().clone();
        let shared = JobContext {
            job: job.clone(),
            settings: settings.clone(),
            abort: Box::new(abort),
            questions: Box::new(questions),
        };
        let mut others: Vec<Rank> = match port {
            Some(_) => leaders(job),
            None => Vec::new(),
        };
        others.sort();
        others.dedup();
        others.retain(|&leader| leader != rank);
        let work = move || {
            if rank == first {
                Judge::new(shared, post, others).look();
            } else {
                Answering::new(shared, post, first).answer();
            }
        };
        let thread = crate::service_thread::start("xmp-hangs", work);
        let thread = thread.map_err(|error| {
            Error::no_process("cannot start a thread that looks for hangs", error)
        })?;
        Ok(Some(HangWatch { notes, thread: Some(thread) }))
    }

    /// The notes that the thread waits for: a call of them has it look for requests.
    pub(super) fn notes(&self) -> &Arc<Notes> {
        &self.notes
    }
}

impl Drop for HangWatch {
    fn drop(&mut self) {
        self.notes.close();
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was written to standard error.
            let _ = thread.join();
        }
    }
}
