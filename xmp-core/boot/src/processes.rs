//! Images that are processes: the entry of a Rust program into its job, and its end.

use crate::error::after_operation;
use crate::failure::{self, ERROR_STATUS, end_job, end_job_at};
use crate::image::{FailedCall, Image};
use crate::process::{self, Member};
use crate::race_reports::{self, Program, Report};
use crate::settings::Settings;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process::ExitCode;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use xmp_source::Statement;

/// Exit status of a Rust program that panics.
const PANIC_STATUS: i32 = 101;

/// Runs `body` as an image of this process's job: one of the images that `xmprun` has started, one of the
/// `XMP_NUM_IMAGES` that the program starts itself as, or the only one. Call it once, early in `main` and from its
/// thread (see [`process::start`]), and return its value from `main`.
///
/// * `Ok` is normal termination: this image has stopped, the others continue.
/// * `Err` is error termination of the whole job. The error is written to standard error with the number of the image
///   and the place of the call that has failed, unless another image was first (then this error is only a consequence). The other images are ended, and the exit
///   status is that of the first error, 1.
/// * A panic ends the job in the same way, with status 101. So does [`std::process::exit`] in the body with a status
///   other than 0.
///
/// A process that cannot become an image, for instance because of a setting that it cannot use, reports that and has
/// status 2.
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
    let member = match Settings::from_env().and_then(process::start) {
        Ok(member) => member,
        Err(error) => return ExitCode::from(process::cannot_start(&error)),
    };
    // Leaked for an exit in the body; once a process.
    let member: &'static Member = Box::leak(Box::new(member));
    THREAD.store(this_thread(), Ordering::Relaxed);
    MEMBER.store(ptr::from_ref(member).cast_mut(), Ordering::Release);
    let Member { image, exit } = member;
    exit.watch(image, || false);
    let (job, rank) = (image.job(), image.rank());
    match race_reports::attach(image, &PROGRAM) {
        Ok(false) => {}
        Ok(true) => watch_exit(),
        Err((setting, why)) => {
            end_job(job, rank, ERROR_STATUS, format_args!("{setting}: {why}"));
            exit.end();
            return ExitCode::from(failure::exit_status(failure::ending_code(job)));
        }
    }
    // The panic continues, so no code sees what it may have left unfinished - but for shared memory, which belongs to a
    // job that is ending.
    match catch_unwind(AssertUnwindSafe(|| body(image))) {
        Ok(Ok(())) => {
            race_reports::end();
            exit.stop(image);
            let status = failure::ending(job).map_or(0, |_| failure::ending_code(job));
            ExitCode::from(failure::exit_status(status))
        }
        Ok(Err(error)) => {
            race_reports::before_error_stop(image);
            match image.failed_call(&error) {
                Some(FailedCall { operation, place, note, .. }) => {
                    let place = format!("{}:{}", place.file(), place.line());
                    let note = note.map_or_else(String::new, |note| format!(", {note}"));
                    let error = format!("{error:#}");
                    let text = without_operation(operation, &error);
                    let reason = format!("{operation}: {text}{note}");
                    end_job_at(job, rank, ERROR_STATUS, &place, format_args!("{reason}"));
                }
                None => end_job_at(job, rank, ERROR_STATUS, "xmp", error),
            }
            exit.end();
            ExitCode::from(failure::exit_status(failure::ending_code(job)))
        }
        Err(panic) => {
            race_reports::before_error_stop(image);
            end_job(job, rank, PANIC_STATUS, "panicked");
            exit.end();
            resume_unwind(panic)
        }
    }
}

/// The image of this process.
static MEMBER: AtomicPtr<Member> = AtomicPtr::new(ptr::null_mut());

/// The thread that [`run`] gives the image to. Stored before the image.
static THREAD: AtomicUsize = AtomicUsize::new(0);

/// A number of this thread. It is there also when the variables of the thread are gone, at the exit of the process.
fn this_thread() -> usize {
    // SAFETY: it only returns the number.
    unsafe { libc::pthread_self() as usize }
}

/// The image, in its thread.
fn member() -> Option<&'static Member> {
    // Acquire: with the store of `run`, so that the number of the thread is there.
    let member = MEMBER.load(Ordering::Acquire);
    let is_own = THREAD.load(Ordering::Relaxed) == this_thread();
    // SAFETY: null or leaked. Only the thread of the image gets it.
    unsafe { member.as_ref() }.filter(|_| is_own)
}

/// What reports of races need of a program in Rust, whose coarrays have no names.
static PROGRAM: Program = Program {
    member: || member().map(|Member { image, exit }| (image, exit)),
    start_of: |_| None,
    name_of: |_, _, _| None,
    leave: || {},
    end_with,
};

/// Ends the job with the report of a race.
fn end_with(report: Report) -> ! {
    if let Some(Member { image, exit }) = member() {
        let place = report.statement.as_ref().and_then(Statement::place);
        let place = place.as_deref().unwrap_or("xmp");
        race_reports::before_error_end(image);
        end_job_at(image.job(), image.rank(), ERROR_STATUS, place, report.what);
        exit.end();
    }
    std::process::exit(ERROR_STATUS)
}

/// Has a program that exits in its body say which races were found.
fn watch_exit() {
    extern "C" fn at_exit() {
        race_reports::end();
    }
    // SAFETY: the handler is a function of the program itself or of a library with the program's state, which is not
    // unloaded.
    unsafe { libc::atexit(at_exit) };
}

/// The text of an error without the operation at its beginning, which the name of the method says already.
fn without_operation<'a>(operation: &str, error: &'a str) -> &'a str {
    let rest = after_operation(operation, &["", "co_", "begin_co_"], error);
    rest.and_then(|rest| rest.strip_prefix(": ")).unwrap_or(error)
}

#[cfg(test)]
mod tests {
    use super::without_operation;

    #[test]
    fn a_message_says_its_operation_once() {
        for (operation, error, expected) in [
            ("gmove", "gmove: shape (2)", "shape (2)"),
            ("co_gather", "gather: 3 elements", "3 elements"),
            ("begin_co_gather", "gather: 3 elements", "3 elements"),
            ("put", "putting: x", "putting: x"),
        ] {
            assert_eq!(without_operation(operation, error), expected);
        }
    }
}
