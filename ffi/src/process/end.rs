//! How a process ends: normally, by an error, by failing, or by leaving without a word.

use super::instance::current;
use std::ffi::{c_int, c_void};
use xmp_core::job::bootstrap;
use xmp_core::launch::say;
use xmp_core::process::{ERROR_STATUS, START_STATUS, exit_status};
use xmp_core::{Error, failure};

unsafe extern "C" {
    /// glibc: registers a handler that `exit` calls with its status.
    fn on_exit(handler: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
}

/// Installs what sees that the process leaves without saying so: an exit handler, and a panic hook,
/// because a panic must not cross a door.
pub(super) fn watch_exit() {
    extern "C" fn at_exit(status: c_int, _: *mut c_void) {
        if let Some(instance) = current() {
            let image = &instance.image;
            bootstrap::exit_seen(image.job(), image.rank(), status);
        }
    }
    // SAFETY: the handler is a function of this library, which is never unloaded while it is registered
    // (a library with a process-wide instance cannot be).
    unsafe { on_exit(at_exit, std::ptr::null_mut()) };
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

/// Publishes normal termination; the process goes on to its own end.
pub fn end_ok() {
    if let Some(instance) = current() {
        failure::publish_stopped(instance.image.job(), instance.image.rank());
    }
}

/// FAIL IMAGE: the image has failed, the process ends at once, without exit handlers.
pub fn fail_image() -> ! {
    let instance = super::instance();
    failure::publish_failed(instance.image.job(), instance.image.rank());
    // SAFETY: does not return.
    unsafe { libc::_exit(0) }
}

/// Error termination of the job with this exit code. Output of the program that is still in buffers is
/// written, as for any exit.
pub fn error_stop(code: c_int) -> ! {
    start_ending(code);
    exit(code)
}

/// Error termination because of an error that the runtime has found in `operation`.
#[cold]
pub fn run_time_error(operation: &str, error: &Error) -> ! {
    if *error == Error::JobEnding {
        // Another image has said why; this one is only in the way.
        let code = current()
            .and_then(|instance| failure::ending(instance.image.job()))
            .map_or(ERROR_STATUS, |(_, code)| code);
        exit(code)
    }
    die(operation, error)
}

/// Error termination with a message that names the image and the operation - unless another image was
/// first: what it said is the cause, this is a consequence.
#[cold]
pub fn die(operation: &str, reason: impl std::fmt::Display) -> ! {
    if start_ending(ERROR_STATUS) {
        match current() {
            Some(instance) => say(format_args!("{}: {operation}: {reason}", instance.image.rank())),
            None => say(format_args!("{operation}: {reason}")),
        }
    }
    exit(ERROR_STATUS)
}

/// Starts error termination; whether this image was the first to do so.
fn start_ending(code: c_int) -> bool {
    current().is_none_or(|instance| {
        failure::start_ending(instance.image.job(), instance.image.rank(), code)
    })
}

/// The runtime could not start: nothing can be told to other images.
pub(super) fn cannot_start(error: &Error) -> ! {
    say(format_args!("{error}"));
    // Not `exit`: this may be a constructor, before the program's own handlers are consistent.
    // SAFETY: does not return.
    unsafe { libc::_exit(START_STATUS.into()) }
}
