//! Images that are processes: how a process becomes one, what its end says to the others, and what to the
//! system. For Rust programs [`crate::transport::processes::run`] puts it together, for compiled ones a door.

mod died;
mod exit;
pub mod memory;
mod status;
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
use crate::transport::Local;
use std::ffi::{c_int, c_void};
use std::fmt::Display;
use std::sync::Arc;

unsafe extern "C" {
    /// glibc: registers a handler that `exit` calls with its status.
    fn on_exit(handler: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
}

/// A process that is an image.
#[derive(Debug)]
pub struct Member {
    /// The image.
    pub image: Image,
    /// How the process leaves the job.
    pub exit: Exit,
}

/// Makes this process an image of its job. Call it once, early and from the main thread (see
/// [`bootstrap::start`]). From then on the process has an exit handler, which has the end of the image
/// published when the program leaves by `exit` without saying so.
///
/// # Errors
/// As [`bootstrap::start`] and [`Image::new`]; see [`cannot_start`].
pub fn start(settings: Settings) -> Result<Member> {
    let bootstrap::Start { job, rank, plugin } = bootstrap::start(&settings)?;
    let job = Arc::new(job);
    if job.geometry().hosts_here < job.geometry().hosts {
        return Err(Error::Invalid(format!("{} hosts", job.geometry().hosts)));
    }
    let exit = Exit::new(&job, rank, plugin, &settings)?;
    watch_exit(exit.clone());
    let transport = Box::new(Local::new(job.clone(), rank));
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

fn watch_exit(exit: Exit) {
    extern "C" fn at_exit(status: c_int, argument: *mut c_void) {
        // SAFETY: the box below, which nobody frees.
        unsafe { &*argument.cast::<Exit>() }.seen(status);
    }
    let argument = Box::into_raw(Box::new(exit));
    // SAFETY: the handler is a function of the program itself or of a library with the program's state,
    // which is not unloaded.
    unsafe { on_exit(at_exit, argument.cast()) };
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
