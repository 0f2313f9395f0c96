//! The launcher: runs a program as N images on this machine and sees their end.
//!
//! Used by `xmprun` and by a program that launches itself ([`crate::bootstrap`]). The calling process belongs to the
//! launcher while [`Launch::run`] runs: it blocks signals, adopts orphans and kills the remaining processes at the end.
//! Read `README.md` beside this file for how a job ends.

mod children;
mod ending;
pub(crate) mod life;
mod output;
pub(crate) mod pidfd;
mod plan;
mod signals;
mod spawn;
pub(crate) mod status;
pub(crate) mod wake;
pub(crate) mod warnings;
mod watch;

pub use crate::say::say;
pub use plan::{Placement, cores_available, cpus_allowed, one_processor_each, plan};

use crate::error::Error;
use crate::job::Job;
use crate::job::page::Geometry;
use crate::region::Region;
use crate::settings::Settings;
use signals::Signals;
use std::ffi::OsString;
use std::os::fd::AsFd;
use std::time::Duration;

/// Name of the environment variable by which the launcher passes an image its job and rank: `<descriptor of the
/// region>:<rank>`. Private to one version of this library.
pub(crate) const JOB_VARIABLE: &str = "XMP_JOB";

/// A program to run, and the options of its job.
#[derive(Clone, Debug)]
pub struct Launch {
    /// Number of images.
    pub images: u32,
    /// Number of (virtual) hosts that they are split over.
    pub hosts: u32,
    /// The program: a path, or a name to be searched in `PATH`.
    pub program: OsString,
    /// The program's own name in its arguments, if not `program`.
    pub name: Option<OsString>,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// What each image is bound to, in image order; empty = the system decides.
    pub placements: Vec<Placement>,
    /// Whether each line of output is prefixed by the number of its image.
    pub prefix_output: bool,
    /// Whether warnings are omitted.
    pub quiet: bool,
    /// Ends the job after this time, with status [`TIMEOUT_STATUS`].
    pub timeout: Option<Duration>,
    /// Segment size, memory limit, waiting budgets and grace periods.
    pub settings: Settings,
}

/// Exit status of a job that has reached [`Launch::timeout`], as of `timeout(1)`.
pub const TIMEOUT_STATUS: i32 = 124;
/// Exit status when the launcher itself was used wrongly.
pub const USAGE_STATUS: i32 = 2;

/// Why a job has not been started: the exit status, and the text.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Refusal {
    status: i32,
    text: String,
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        let status = match error {
            Error::Setting { .. } | Error::Invalid(_) => USAGE_STATUS,
            _ => 1,
        };
        Refusal { status, text: error.to_string() }
    }
}

impl Launch {
    /// A launch without any of the options.
    pub fn new(images: u32, program: OsString, args: Vec<OsString>, settings: Settings) -> Launch {
        Launch {
            images,
            hosts: settings.virtual_hosts,
            program,
            name: None,
            args,
            placements: plan::one_processor_each(images),
            prefix_output: false,
            quiet: false,
            timeout: None,
            settings,
        }
    }

    /// Runs the job to its end and returns the exit status for the launcher (`README.md` has the rules). When the job
    /// cannot be started, the reason is written to standard error and no process or memory remains.
    ///
    /// Call it from the main thread: images are killed when the thread that started them ends.
    pub fn run(&self) -> i32 {
        self.start_and_watch().unwrap_or_else(|refusal| {
            say(format_args!("{}", refusal.text));
            refusal.status
        })
    }

    fn start_and_watch(&self) -> Result<i32, Refusal> {
        spawn::occupy_standard_descriptors()?;
        if !self.quiet {
            warnings::of_unknown_settings();
        }
        let plan = plan(self.images, self.hosts, &self.placements, &self.settings)?;
        let Geometry { base, .. } = plan.geometry;
        let file = Region::create_file(plan.geometry.region_len())?;
        let region = Region::attach(file.as_fd(), base, plan.geometry.region_len())?;
        let job = Job::create(region, &plan);
        let signals = Signals::take()?;
        let outcome = watch::run(self, &job, &file, &signals)?;
        if outcome.no_image_joined && self.images > 1 && !self.quiet {
            warnings::of_job_without_image(self.images);
        }
        Ok(status::exit_status(&outcome))
    }
}
