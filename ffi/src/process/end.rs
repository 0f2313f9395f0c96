//! The end of a process: normal and error termination, and FAIL IMAGE.

use super::instance::{Instance, current};
use std::ffi::c_int;
use std::fmt::{self, Write as _};
use std::io::Write as _;
use xmp_core::launch;
use xmp_core::process::{ERROR_STATUS, ending_code, exit_status};
use xmp_core::{Error, Rank, failure};
use xmp_source::Statement;

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
pub fn fail_image(instance: &Instance) -> ! {
    instance.exit.fail()
}

/// Error termination of the job with this exit code, as ERROR STOP. Output of the program that is still in buffers is
/// written, as for any exit. The first image that comes here reports its source line, unless it is to be `quiet`.
pub fn error_stop(code: c_int, quiet: bool) -> ! {
    if let Some(Instance { image, exit, .. }) = current() {
        if failure::start_ending(image.job(), image.rank(), code) && !quiet {
            report(image.rank(), format_args!("ERROR STOP"));
        }
        exit.end();
    }
    exit(code)
}

/// One line on standard error about a STOP or ERROR STOP, in one write, so that the lines of several images do not mix.
pub fn print_stop(head: &str, text: &[u8]) {
    let line = [head.as_bytes(), text].concat();
    let line = [line.trim_ascii_end(), b"\n"].concat();
    // There is no other place to report that standard error cannot be written to.
    let _ = std::io::stderr().write_all(&line);
}

/// An error of `operation` that a program gets as a status: it learns of failures by it. The end of the job is no such
/// error, and this does not return then.
#[cold]
pub fn recoverable(operation: &str, error: &Error) {
    if *error == Error::JobEnding {
        run_time_error(operation, error);
    }
    if error.reports_failure()
        && let Some(Instance { image, .. }) = current()
    {
        failure::acknowledge(image.job());
    }
}

/// Error termination because of an error that the runtime has found in `operation`.
#[cold]
pub fn run_time_error(operation: &str, error: &Error) -> ! {
    if *error == Error::JobEnding {
        // Another image has reported the cause.
        exit(current().map_or(ERROR_STATUS, |Instance { image, exit, .. }| {
            exit.end();
            ending_code(image.job())
        }))
    }
    die(operation, error)
}

/// Error termination with a message that names the source line, the image and the operation, unless another image was
/// first: what that one wrote is the cause, this is a consequence.
#[cold]
pub fn die(operation: &str, reason: impl fmt::Display) -> ! {
    match current() {
        Some(Instance { image, exit, .. }) => {
            if failure::start_ending(image.job(), image.rank(), ERROR_STATUS) {
                report(image.rank(), format_args!("{operation}: {reason:#}"));
            }
            exit.end();
        }
        None => launch::report(format_args!("{operation}: {reason}")),
    }
    exit(ERROR_STATUS)
}

/// Writes an error of this thread's statement to standard error, in one piece, since other images write there as well:
/// `heat.f90:21: image 3: put: ...`, then a line for each call that led to the statement. Without debugging
/// information the first line begins with `xmp:`, and the second one names the procedure.
#[cold]
fn report(image: Rank, what: fmt::Arguments<'_>) {
    let text = message(Statement::of_this_thread().as_ref(), image, what);
    // An error of standard error cannot be reported anywhere.
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

fn message(statement: Option<&Statement>, image: Rank, what: fmt::Arguments<'_>) -> String {
    let place = statement.and_then(Statement::place);
    let mut text = format!("{}: {image}: {what}\n", place.as_deref().unwrap_or("xmp"));
    let Some(statement) = statement else { return text };
    // Writing to a string cannot fail.
    if place.is_none() {
        let _ = writeln!(text, "  in {statement}");
    }
    for caller in statement.callers() {
        let _ = writeln!(text, "  called from {caller}");
    }
    text
}
