//! Images that are processes: how a process becomes one, what its end says to the others, and what to the
//! system. For Rust programs [`crate::transport::processes::run`] puts it together, for compiled ones a door.

pub mod memory;
mod status;

pub use status::{ERROR_STATUS, START_STATUS, exit_status};

use crate::error::Result;
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

/// Makes this process an image of its job. Call it once, early and from the main thread (see
/// [`bootstrap::start`]). From then on the process has an exit handler, which has the end of the image
/// published when the program leaves by `exit` without saying so.
///
/// # Errors
/// As [`bootstrap::start`] and [`Image::new`].
pub fn start(settings: Settings) -> Result<Image> {
    let bootstrap::Start { job, rank, .. } = bootstrap::start(&settings)?;
    let job = Arc::new(job);
    watch_exit(job.clone(), rank);
    let transport = Box::new(Local::new(job.clone(), rank));
    Image::new(job, rank, transport, settings)
}

fn watch_exit(job: Arc<Job>, rank: Rank) {
    extern "C" fn at_exit(status: c_int, argument: *mut c_void) {
        // SAFETY: the box below, which nobody frees.
        let (job, rank) = unsafe { &*argument.cast::<(Arc<Job>, Rank)>() };
        bootstrap::exit_seen(job, *rank, status);
    }
    let argument = Box::into_raw(Box::new((job, rank)));
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
