//! The text of a report about a statement.

use std::fmt::{self, Write as _};
use xmp_source::Statement;

/// What is wrong, and in which statement.
#[derive(Debug)]
pub struct Report {
    /// Where it is, if the call says so.
    pub place: Option<String>,
    /// The statement, if it is known.
    pub statement: Option<Statement>,
    /// What is wrong.
    pub what: String,
}

impl Report {
    /// About the statement that this thread executes.
    #[cold]
    pub fn of_this_thread(what: String) -> Report {
        Report { place: None, statement: Statement::of_this_thread(), what }
    }

    /// The report of these images: `heat.f90:21: image 3: put: ...`, then a line for each call that led to the statement.
    /// Without debugging information the first line begins with `xmp:`, and the second one names the procedure.
    pub fn text(&self, images: &dyn fmt::Display) -> String {
        let Report { place, statement, what } = self;
        let found = || statement.as_ref().and_then(Statement::place);
        let place = place.clone().or_else(found);
        let mut text = format!("{}: {images}: {what}\n", place.as_deref().unwrap_or("xmp"));
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
}
