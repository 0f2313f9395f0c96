//! Output of `xmprun` that cannot be written, because the disk is full or has no reader: it is reported once, and the exit
//! status is not 0. `/dev/full` is a disk that is full.

use std::path::PathBuf;
use xmp_tests::toolchain::toolchain;
use xmp_tests::{Outcome, Program, Run};

/// The program: its images write to standard output, the last one also to standard error.
fn echo() -> PathBuf {
    Program::fortran("control/echo").build()
}

/// `xmprun` with these options and redirections, which a shell makes.
fn redirected(options: &str, redirections: &str) -> Outcome {
    let xmprun = toolchain().xmprun();
    let command = format!("'{}' {options} '{}' {redirections}", xmprun.display(), echo().display());
    Run::new("/bin/sh").args(["-c", &command]).input("").finish()
}

#[test]
fn output_of_images_that_does_not_fit_on_the_disk_is_reported_once() {
    let outcome = redirected("-n 3 --prefix-output", "> /dev/full");
    outcome
        .exited_with(1)
        .stderr_line_with(&["xmp: cannot write to standard output: No space left on device"]);
    assert_eq!(outcome.stderr.matches("cannot write").count(), 1, "{outcome:?}");
    // The images are not killed.
    outcome.stderr_without("SIGPIPE");
    outcome.stderr_line_with(&["[3] to standard error"]);
}

#[test]
fn what_xmprun_itself_prints_is_written_or_gives_a_status() {
    let xmprun = toolchain().xmprun();
    for option in ["--info", "--help", "--version"] {
        let command = format!("'{}' {option} > /dev/full", xmprun.display());
        let outcome = Run::new("/bin/sh").args(["-c", &command]).finish();
        outcome
            .exited_with(1)
            .stderr_line_with(&["xmp: cannot write to standard output: No space left on device"]);
    }
}

#[test]
fn errors_of_images_that_do_not_fit_on_the_disk_give_a_status() {
    for options in ["-n 3 --prefix-output", "-n 3"] {
        let outcome = redirected(options, "2> /dev/full");
        outcome.exited_with(1);
        assert_eq!(outcome.stdout.matches("of 3").count(), 3, "{outcome:?}");
    }
}
