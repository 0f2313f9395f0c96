//! Reports of tests that were not made.

use crate::requirement::Requirement;
use std::env;
use std::fmt::Display;
use std::io::{self, Write};
use std::thread;

/// Reports that a test, or part of one, was not made because the machine lacks something.
///
/// # Panics
/// When `XMP_REQUIRE` names the requirement, or a name that no requirement has.
pub fn skipped(requirement: Requirement, why: impl Display) {
    let name = requirement.name();
    report("SKIPPED", &format!("{why} [{name}]"));
    assert!(!requirement.is_required(), "XMP_REQUIRE names {name}, and {why}");
}

/// Whether all these commands are in the search path. Reports that the test is not made for lack of each other one.
///
/// # Panics
/// As [`skipped`], and when no requirement has one of the commands.
pub fn installed(commands: &[&str]) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    let is_here = |command: &str| env::split_paths(&path).any(|at| at.join(command).is_file());
    let missing = commands.iter().filter(|command| !is_here(command));
    missing
        .map(|&command| {
            let requirement = Requirement::of_command(command);
            skipped(requirement, format_args!("{command} is not installed"));
        })
        .count()
        == 0
}

/// Reports that a test, or part of one, was not made because the compiler cannot compile it, whatever the machine has.
pub fn left_out(why: impl Display) {
    report("LEFT OUT", &why.to_string());
}

/// Reports something that the reader of the output needs to know although the test passes.
pub fn noted(what: impl Display) {
    report("NOTE", &what.to_string());
}

/// Writes a line to the stream itself: the test harness keeps back what `eprintln` writes when a test passes.
fn report(kind: &str, text: &str) {
    let test = thread::current();
    // The line begins with an end of line, because the test harness may have written the beginning of one.
    let line = format!("\n*** {kind}, {}: {text} ***\n", test.name().unwrap_or("a test"));
    // As one piece. There is no other place to report that standard error is closed.
    let _ = io::stderr().write_all(line.as_bytes());
}
