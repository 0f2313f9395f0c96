//! Images that are processes: how a Rust program becomes an image of its job, and how it leaves.

use super::Local;
use crate::error::Result;
use crate::failure;
use crate::image::Image;
use crate::job::{Job, bootstrap};
use crate::process::{self, ERROR_STATUS, START_STATUS};
use crate::rank::Rank;
use crate::settings::Settings;
use std::ffi::{c_int, c_void};
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process::ExitCode;
use std::sync::Arc;

/// Exit status of a Rust program that panics.
const PANIC_STATUS: i32 = 101;

unsafe extern "C" {
    /// glibc: registers a handler that `exit` calls with its status.
    fn on_exit(handler: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
}

/// Runs `body` as an image of this process's job: one of those that `xmprun` has started, one of
/// `XMP_NUM_IMAGES` that the program starts itself as, or the only one. Call it once, early in `main` and
/// from its thread (see [`bootstrap::start`]); what it returns is what `main` should return.
///
/// `Ok` is normal termination: this image has stopped, the others go on. An `Err` is error termination of
/// the whole job: it is written to standard error with the number of the image, unless another image was
/// first (then this one's error is only a consequence), the other images are ended, and the exit status is
/// that of the first error, 1. A panic ends the job in the same way, with status 101. So does
/// [`std::process::exit`] in the body with a status other than 0. A process that cannot become an
/// image, for instance because of a setting that it cannot use, says so and has status 2.
///
/// ```
/// use xmp_core::transport::processes;
///
/// fn main() -> std::process::ExitCode {
///     processes::run(|image| {
///         println!("{} of {}", image.rank(), image.job().images());
///         Ok::<_, xmp_core::Error>(())
///     })
/// }
/// ```
pub fn run<E: Display>(body: impl FnOnce(&Image) -> Result<(), E>) -> ExitCode {
    let image = match start() {
        Ok(image) => image,
        Err(error) => {
            eprintln!("xmp: {error}");
            return ExitCode::from(START_STATUS);
        }
    };
    let (job, rank) = (image.job(), image.rank());
    // The panic goes on, so nobody sees what it may have left half done - but for shared memory, which
    // belongs to a job that is ending.
    match catch_unwind(AssertUnwindSafe(|| body(&image))) {
        Ok(Ok(())) => {
            failure::publish_stopped(job, rank);
            ExitCode::SUCCESS
        }
        Ok(Err(error)) => {
            end_job(job, rank, ERROR_STATUS, error);
            let status = failure::ending(job).map_or(ERROR_STATUS, |(_, code)| code);
            ExitCode::from(process::exit_status(status))
        }
        Err(panic) => {
            end_job(job, rank, PANIC_STATUS, "panicked");
            resume_unwind(panic)
        }
    }
}

/// Makes this process an image.
fn start() -> Result<Image> {
    let settings = Settings::from_env()?;
    let bootstrap::Start { job, rank } = bootstrap::start(&settings)?;
    let job = Arc::new(job);
    watch_exit(job.clone(), rank);
    let transport = Box::new(Local::new(job.clone(), rank));
    Image::new(job, rank, transport, settings)
}

/// Error termination, with a message if this image is the first. (`#`: with its causes, where an error type
/// makes that difference.)
fn end_job(job: &Job, rank: Rank, status: i32, reason: impl Display) {
    if failure::start_ending(job, rank, status) {
        eprintln!("xmp: {rank}: {reason:#}");
    }
}

/// Has the end of this image published, too, when the program leaves by `exit`.
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
