//! How a process ends: normally, by an error, by failing, or by leaving without a word.

use super::instance::{Instance, current};
use std::ffi::c_int;
use xmp_core::launch::say;
use xmp_core::process::{
    ERROR_STATUS, cannot_start as cannot_start_because, end_job, ending_code, exit_status,
};
use xmp_core::{Error, failure};

/// Has panics end the job: they must not cross a front end.
pub(super) fn watch_panics() {
    std::panic::set_hook(Box::new(|info| die("internal error", info)));
}

/// Normal termination with a STOP code: the image has stopped, the process exits with the code.
pub fn stop(code: c_int) -> ! {
    end_ok();
    exit(code)
}

/// Ends the process with a code of STOP or ERROR STOP, after the exit handlers of the program.
fn exit(code: c_int) -> ! {
    // SAFETY: runs the exit handlers, as a return from `main` would.
    unsafe { libc::exit(exit_status(code).into()) }
}

/// Normal termination of the image; the process goes on to its own end.
pub fn end_ok() {
    if let Some(instance) = current() {
        instance.exit.stop(&instance.image);
    }
}

/// FAIL IMAGE: the image has failed, the process ends without exit handlers.
pub fn fail_image() -> ! {
    super::any_thread().exit.fail()
}

/// Error termination of the job with this exit code. Output of the program that is still in buffers is
/// written, as for any exit.
pub fn error_stop(code: c_int) -> ! {
    if let Some(Instance { image, exit, .. }) = current() {
        failure::start_ending(image.job(), image.rank(), code);
        exit.end();
    }
    exit(code)
}

/// Error termination because of an error that the runtime has found in `operation`.
#[cold]
pub fn run_time_error(operation: &str, error: &Error) -> ! {
    if *error == Error::JobEnding {
        // Another image has said why; this one is only in the way.
        exit(current().map_or(ERROR_STATUS, |Instance { image, exit, .. }| {
            exit.end();
            ending_code(image.job())
        }))
    }
    die(operation, error)
}

/// Error termination with a message that names the image and the operation, unless another image was first.
#[cold]
pub fn die(operation: &str, reason: impl std::fmt::Display) -> ! {
    let text = format_args!("{operation}: {reason}");
    match current() {
        Some(Instance { image, exit, .. }) => {
            end_job(image.job(), image.rank(), ERROR_STATUS, text);
            exit.end();
        }
        None => say(text),
    }
    exit(ERROR_STATUS)
}

/// The runtime could not start: nothing can be told to other images.
pub(super) fn cannot_start(error: &Error) -> ! {
    let status = cannot_start_because(error);
    // Not `exit`: this may be a constructor, before the program's own handlers are consistent.
    // SAFETY: does not return.
    unsafe { libc::_exit(status.into()) }
}
