//! How a process ends: normally, by an error, by failing, or by leaving without a word.

use super::instance::{Instance, current};
use super::report;
use std::ffi::c_int;
use xmp_core::launch::report;
use xmp_core::process::{
    ERROR_STATUS, cannot_start as cannot_start_because, ending_code, exit_status,
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

/// Error termination of the job with this exit code, as ERROR STOP. Output of the program that is still in buffers is written, as
/// for any exit. The first image that comes here reports its source line, unless it is to be `quiet`.
pub fn error_stop(code: c_int, quiet: bool) -> ! {
    if let Some(Instance { image, exit, .. }) = current() {
        if failure::start_ending(image.job(), image.rank(), code) && !quiet {
            report::write(image.rank(), format_args!("ERROR STOP"));
        }
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

/// Error termination with a message that names the source line, the image and the operation, unless another image was first:
/// what that one wrote is the cause, this is a consequence.
#[cold]
pub fn die(operation: &str, reason: impl std::fmt::Display) -> ! {
    match current() {
        Some(Instance { image, exit, .. }) => {
            if failure::start_ending(image.job(), image.rank(), ERROR_STATUS) {
                report::write(image.rank(), format_args!("{operation}: {reason:#}"));
            }
            exit.end();
        }
        None => report(format_args!("{operation}: {reason}")),
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
