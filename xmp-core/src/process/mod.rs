//! Images that are processes: how a process becomes one, what its end says to the others, and what to the
//! system. For Rust programs [`crate::transport::processes::run`] puts it together, for compiled ones a front end.

mod descriptors;
mod died;
mod exit;
pub(crate) mod guard;
mod keepalive;
pub mod memory;
pub(crate) mod rights;
mod serving;
mod status;
pub(crate) mod thread;
mod watch;

pub use exit::Exit;
pub use status::{ERROR_STATUS, START_STATUS, exit_status};

use crate::error::{Error, Result};
use crate::failure;
use crate::image::Image;
use crate::job::{Job, bootstrap};
use crate::launch::say;
use crate::rank::Rank;
use crate::settings::Settings;
use std::fmt::Display;
use std::sync::Arc;

/// A process that is an image.
#[derive(Debug)]
pub struct Member {
    /// The image.
    pub image: Image,
    /// How the process leaves the job.
    pub exit: Exit,
}

/// Makes this process an image of its job. Call it once, early and from the main thread (see
/// [`bootstrap::start`]). Whoever keeps the image should have its process watched next ([`Exit::watch`]).
///
/// # Errors
/// As [`bootstrap::start`] and [`Image::new`]; see [`cannot_start`].
pub fn start(settings: Settings) -> Result<Member> {
    memory::permit();
    let bootstrap::Start { job, rank, plugin } = bootstrap::start(&settings)?;
    let job = Arc::new(job);
    let (transport, serving) = serving::reach(&job, rank, plugin.as_ref(), &settings)?;
    let exit = Exit::new(&job, rank, plugin, serving, &settings)?;
    let image = Image::new(job, rank, transport, settings)?;
    Ok(Member { image, exit })
}

/// Says why this process cannot be an image, unless another one has said it for all; the exit status that it then has.
pub fn cannot_start(error: &Error) -> u8 {
    if *error != Error::JobEnding {
        say(format_args!("{error}"));
    }
    START_STATUS
}

/// Error termination with this status because of what `rank`, an image of this process, has found; with a
/// message, unless another image was first: what that one said is the cause, this is a consequence. (`#`: with
/// its causes, where an error type makes that difference.)
pub fn end_job(job: &Job, rank: Rank, status: i32, reason: impl Display) {
    if failure::start_ending(job, rank, status) {
        say(format_args!("{rank}: {reason:#}"));
    }
}

/// The code that an image leaves with because the job is ending: that of the job.
pub fn ending_code(job: &Job) -> i32 {
    failure::ending(job).map_or(ERROR_STATUS, |(_, code)| code)
}
