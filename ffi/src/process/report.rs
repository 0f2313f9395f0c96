//! Messages about errors: where in the program, which image, what.

use std::fmt::{self, Write as _};
use std::io::Write as _;
use xmp_core::Rank;
use xmp_source::Statement;

/// Writes an error of this thread's statement to standard error, in one piece, since other images write there as well:
/// `heat.f90:21: image 3: put: ...`, then a line for each call that led to the statement. Without debugging
/// information the first line begins with `xmp:`, and the second one names the procedure.
#[cold]
pub fn write(image: Rank, what: fmt::Arguments<'_>) {
    let text = text(Statement::of_this_thread().as_ref(), image, what);
    // An error of standard error cannot be reported anywhere.
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

fn text(statement: Option<&Statement>, image: Rank, what: fmt::Arguments<'_>) -> String {
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
