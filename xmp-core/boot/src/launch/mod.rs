//! The launcher: runs a program as N images on this machine and sees their end.
//!
//! Used by `xmprun` and by a program that launches itself ([`crate::process::bootstrap`]). The calling process belongs to the
//! launcher while [`Launch::run`] runs: it blocks signals, adopts orphans and kills the remaining processes at the end.
//! Read `README.md` beside this file for how a job ends.

mod bulk;
mod children;
mod collected;
mod console;
pub(crate) mod ending;
pub(crate) mod execute;
pub(crate) mod hang;
pub(crate) mod invitation;
pub(crate) mod life;
mod lines;
mod live;
mod open_files;
mod outlet;
mod output;
mod plan;
mod reports;
mod request;
mod run_time;
mod scheduler;
mod signals;
mod spawn;
mod starting;
pub(crate) mod status;
mod stream;
mod thread;
pub(crate) mod wake;
pub(crate) mod warnings;
mod watch;
mod write_order;

pub use crate::report::report;
pub(crate) use children::Orphans;
pub(crate) use collected::Collected;
pub(crate) use plan::plan_within;
pub use plan::{Placement, cores_available, cpus_allowed, huge_pages, one_processor_each, plan};
pub(crate) use request::JOB_VARIABLE;
pub use request::{Ended, Launch, TIMEOUT_STATUS, UNREAD_STATUS, USAGE_STATUS, Wrapper};
pub(crate) use scheduler::SLURM_STEPS;
pub use scheduler::processors_of_scheduler;
pub(crate) use spawn::{cpu_set, failure_to_start, is_foreign, null, occupy_standard_descriptors};

use crate::job::page::Geometry;
use crate::job::{Job, Plan};
use crate::race_totals;
use crate::region::{Region, RegionFile};
use open_files::OpenFiles;
use request::Refusal;
pub use signals::survive_questions;
pub(crate) use signals::{QUESTIONS, REQUESTS, Signals, in_foreground};
pub(crate) use status::{End, Outcome, exit_status};
use std::os::fd::AsFd;
pub(crate) use thread::Sharing;

impl Launch {
    /// Runs the job to its end. When the job cannot be started, the reason is written to standard error and no process or
    /// memory remains.
    ///
    /// Call it from the main thread: images are killed when the thread that started them ends.
    pub fn run(&self) -> Ended {
        match self.start_and_watch() {
            Ok(ended) => ended,
            Err(refusal) => {
                report(format_args!("{}", refusal.text));
                Ended { status: refusal.status, huge_pages: None }
            }
        }
    }

    fn start_and_watch(&self) -> Result<Ended, Refusal> {
        spawn::occupy_standard_descriptors()?;
        if !self.quiet {
            warnings::of_settings(&self.settings);
            warnings::of_launcher_of_several(self.images);
        }
        let plan = plan(self.images, self.hosts, &self.placements, &self.settings)?;
        if !self.quiet {
            warnings::of_crowd(self.images, cores_available());
        }
        let Geometry { base, .. } = plan.geometry;
        let made = RegionFile::create(plan.geometry.region_len(), self.settings.huge_pages)?;
        tracing::info!(huge_pages = %made.huge_pages, "made the shared memory");
        let huge_pages = made.huge_pages.way.huge_pages();
        let plan = Plan { huge_pages, program: self.program_file(), ..plan };
        let region = Region::attach(made.file.as_fd(), base, plan.geometry.region_len())?;
        let job = Job::create(region, &plan);
        let is_crowded = job.images() > cores_available();
        let sharing = if is_crowded { Sharing::Crowded } else { Sharing::Usual };
        let signals = Signals::take(sharing)?;
        let open_files = OpenFiles::raise();
        let huge_pages = Some(made.huge_pages.clone());
        let outcome = watch::run(self, &job, made, &signals, &open_files, sharing)?;
        // Otherwise the last image has reported it.
        if race_totals::are_counted(&self.settings) {
            race_totals::report_left(&job);
        }
        if outcome.no_image_joined && self.images > 1 && !self.quiet {
            warnings::of_job_without_image(self.images);
        }
        Ok(Ended { status: status::exit_status(&outcome), huge_pages })
    }
}
