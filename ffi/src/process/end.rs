//! The end of a process: normal and error termination, and FAIL IMAGE.

use super::begin::begin_to_end;
use super::front_end;
use super::instance::{Instance, created};
use std::ffi::c_int;
use std::fmt;
use std::io::Write as _;
use xmp_core::Error;
use xmp_core::failure::{self, Complaint, Turn};
use xmp_core::launch;
use xmp_core::process::{ERROR_STATUS, ending_code, exit_status, is_running};
use xmp_core::race_reports::{self, Report};
use xmp_source::Statement;
use xmp_teams::Team;

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
    if let Some(instance) = created() {
        begin_to_end(instance);
        if let Err(error) = compare_at_end(instance) {
            die(END_OF_PROGRAM, error);
        }
        race_reports::end();
        instance.exit.stop(&instance.image);
    }
}

/// What ends, in the messages of a process that ends normally.
const END_OF_PROGRAM: &str = "end of the program";

/// Called when the process exits: the image ends normally unless it has ended before. Ends the job if its images have named
/// different images in collectives that they have not compared yet, or have moved different coarrays.
pub(super) fn compare_at_exit(instance: &Instance) {
    if let Err(error) = compare_at_end(instance) {
        report(instance, || Report::of_this_thread(format!("{END_OF_PROGRAM}: {error:#}")));
    }
    race_reports::end();
}

fn compare_at_end(instance: &Instance) -> Result<(), Error> {
    if is_running(&instance.image) {
        xmp_collectives::flows::compare_at_end(&instance.image)?;
        front_end::ending(instance)
    } else {
        Ok(())
    }
}

/// FAIL IMAGE: the image has failed, the process ends without exit handlers.
pub fn fail_image(instance: &Instance) -> ! {
    if let Some(races) = instance.image.races() {
        races.flush();
    }
    instance.exit.fail(&instance.image)
}

/// Error termination of the job with this exit code, as ERROR STOP. Output of the program that is still in buffers is
/// written, as for any exit. `line` is what the statement itself writes; without it the termination is quiet. The first
/// image that comes here reports its source line; of several that write the same line only one does.
pub fn error_stop(code: c_int, line: Option<Vec<u8>>) -> ! {
    let Some(Instance { image, exit: leave, .. }) = created() else {
        line.iter().for_each(|line| write(line));
        exit(code)
    };
    race_reports::before_error_stop(image);
    match (line, Complaint::start(image.job(), image.rank())) {
        (Some(line), Some(complaint)) => {
            let report = Report::of_this_thread("ERROR STOP".into());
            match complaint.end_job(code, &line) {
                Turn::Report(images) => write(&[line, report.text(&images).into_bytes()].concat()),
                Turn::Alike => {}
                Turn::TooLate => write(&line),
            }
        }
        (line, _) => {
            failure::start_ending(image.job(), image.rank(), code);
            line.iter().for_each(|line| write(line));
        }
    }
    leave.end();
    exit(code)
}

/// One line on standard error about a STOP.
pub fn print_stop(head: &str, text: &[u8]) {
    write(&stop_line(head, text));
}

/// The line that STOP and ERROR STOP write: a text of the program in any encoding.
pub fn stop_line(head: &str, text: &[u8]) -> Vec<u8> {
    let line = [head.as_bytes(), text].concat();
    [line.trim_ascii_end(), b"\n"].concat()
}

/// An error of `operation` that a program gets as a status: it learns of failures by it. The end of the job is no such
/// error, and this does not return then.
#[cold]
pub fn recoverable(operation: &str, error: &Error) {
    if *error == Error::JobEnding {
        run_time_error(operation, error);
    }
    if error.reports_failure()
        && let Some(Instance { image, .. }) = created()
    {
        failure::acknowledge(image.job());
    }
}

/// Error termination because of an error that the runtime has found in `operation`.
#[cold]
pub fn run_time_error(operation: &str, error: &Error) -> ! {
    end_by(None, operation, error)
}

/// The same in a statement whose place, as `file:line`, its call says.
#[cold]
pub fn statement_failed(place: String, operation: &str, error: &Error) -> ! {
    end_by(Some(place), operation, error)
}

/// Error termination with this report, unless another image was first.
#[cold]
pub(super) fn end_with(text: Report) -> ! {
    if let Some(instance) = created() {
        report(instance, || text);
        instance.exit.end();
    }
    exit(ERROR_STATUS)
}

#[cold]
fn end_by(place: Option<String>, operation: &str, error: &Error) -> ! {
    if *error == Error::JobEnding {
        // Another image has reported the cause.
        exit(created().map_or(ERROR_STATUS, |Instance { image, exit, .. }| {
            exit.end();
            ending_code(image.job())
        }))
    }
    match created().and_then(|Instance { image, .. }| Team::counted_by(image, error)) {
        Some(counted) => die_at(place, operation, format_args!("{error}, {counted}")),
        None => die_at(place, operation, error),
    }
}

/// Error termination with a message that names the source line, the image and the operation, unless another image was
/// first: what that one wrote is the cause, this is a consequence. What several images report alike is written once.
#[cold]
pub fn die(operation: &str, reason: impl fmt::Display) -> ! {
    die_at(None, operation, reason)
}

#[cold]
fn die_at(place: Option<String>, operation: &str, reason: impl fmt::Display) -> ! {
    match created() {
        Some(instance) => {
            let what = format!("{operation}: {reason:#}");
            report(instance, || Report { place, ..Report::of_this_thread(what) });
            instance.exit.end();
        }
        None => launch::report(format_args!("{operation}: {reason}")),
    }
    exit(ERROR_STATUS)
}

/// Begins error termination with this report, unless another image was first. The words are sought after the others know of the
/// error: see [`announce_error`].
#[cold]
fn report(Instance { image, .. }: &Instance, report: impl FnOnce() -> Report) {
    let Some(complaint) = Complaint::start(image.job(), image.rank()) else { return };
    let report = report();
    race_reports::before_error_end(image);
    let ended = complaint.end_job(ERROR_STATUS, report.text(&"images").as_bytes());
    if let Turn::Report(images) = ended {
        write(report.text(&images).as_bytes());
    }
}

/// Tells the other images that this one has an error, before its words are sought in debugging information: an image that
/// has the same one waits for them.
#[cold]
pub fn announce_error() {
    if let Some(Instance { image, .. }) = created() {
        Complaint::start(image.job(), image.rank());
    }
}

/// Writes that the statement around this instruction, which has raised the signal that this thread handles, cannot go on.
/// The job is not ended: the process is to die of its signal.
#[cold]
pub fn report_signal(instruction: usize, what: String) {
    if let Some(Instance { image, .. }) = created() {
        let report = Report { place: None, statement: Statement::of_signal(instruction), what };
        write(report.text(&image.rank()).as_bytes());
    }
}

/// The statement that this thread executes, as `file:line`, if it is known.
#[cold]
pub fn place() -> Option<String> {
    Statement::of_this_thread()?.place()
}

/// Writes to standard error, in one piece: other images write there as well.
pub(super) fn write(text: &[u8]) {
    // An error of standard error cannot be reported anywhere.
    let _ = std::io::stderr().lock().write_all(text);
}
