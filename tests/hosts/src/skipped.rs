//! Saying that a test was not made.

use std::fmt::Display;
use std::io::{self, Write};
use std::thread;

/// Says that a test, or part of one, was not made. Aloud: what `eprintln` writes is kept back when a test passes, what
/// is written to the stream itself is not.
pub fn skipped(why: impl Display) {
    let test = thread::current();
    // One thread of tests has written the beginning of a line.
    let line = format!("\n*** SKIPPED, {}: {why} ***\n", test.name().unwrap_or("a test"));
    // As one piece. There is no other place to report that standard error is closed.
    let _ = io::stderr().write_all(line.as_bytes());
}
