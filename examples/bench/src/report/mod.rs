//! The text of the results: the verdict, what was measured on what, the tables, the troubles.

mod figures;
mod rows;
mod standing;
mod tally;
#[cfg(test)]
mod tests;

pub use figures::Figure;
pub use tally::{Ahead, Targets};

use crate::error::Error;
use crate::machine;
use crate::options::RunOptions;
use crate::output::Output;
use crate::peers::{Absent, Kind};
use crate::samples::Samples;
use crate::table::wrapped;
use std::fmt::Write;
use tally::Tally;

/// Load average above which the figures are not to be trusted: half a core used by others.
const MAX_LOAD: f64 = 0.5;

/// The summary at the end of a run.
pub struct Summary {
    /// Whether ours was there and had no trouble.
    pub clean: bool,
    /// The number of rows in which ours is ahead of every peer.
    pub ahead: Ahead,
}

/// The columns of the tables on a terminal.
const TERMINAL_HEAD: [&str; 6] = ["row", "ours", "p95", "best peer", "ratio", "targets"];

/// The report as it grows: the full one for files, and a narrow one for the terminal.
pub struct Report {
    suite: String,
    /// What hinders belief in the figures; empty if nothing does.
    warning: &'static str,
    body: String,
    terminal: String,
    heading: String,
    tally: Tally,
    /// The kind of peers that ours is compared with in the verdict; all if `None`.
    compared: Option<Kind>,
    ours_failed: bool,
}

impl Report {
    /// Starts with the settings and the absent peers.
    pub fn new(suite: &str, options: &RunOptions, absent: &[Absent]) -> Self {
        let load = machine::load_average();
        let busy = load.is_some_and(|load| load > MAX_LOAD);
        let warning = if busy {
            "**Others were using the cores at the start: these figures tell little.**"
        } else {
            ""
        };
        let mut body = format!(
            "Microseconds an operation, median [min-max] of {} interleaved repetitions, batches of at least {} ms.\n",
            options.repetitions(),
            options.batch_milliseconds()
        );
        if let Some(load) = load {
            let _ = writeln!(body, "Load average {load} at the start.");
        }
        let mut terminal = String::new();
        for gone in absent {
            let line = format!("Not measured: {} ({}).\n", gone.title, gone.missing);
            let _ = write!(body, "\n{line}");
            terminal.push_str(&wrapped(&line));
        }
        let ours_failed = absent.iter().any(|gone| gone.kind == Kind::Ours);
        let (suite, heading, tally) = (suite.to_owned(), String::new(), Tally::default());
        Self { suite, warning, body, terminal, heading, tally, compared: None, ours_failed }
    }

    /// From now on rows are compared with peers of this kind only. The full table has the others, too.
    pub fn compare_with(&mut self, kind: Kind) {
        self.compared = Some(kind);
    }

    /// Adds a heading.
    pub fn heading(&mut self, text: &str) {
        let _ = write!(self.body, "\n## {text}\n");
        text.clone_into(&mut self.heading);
    }

    /// Adds text that is laid out already.
    pub fn text(&mut self, text: &str) {
        let _ = write!(self.body, "\n{text}");
    }

    /// Adds a line.
    pub fn note(&mut self, line: &str) {
        let _ = writeln!(self.body, "\n{line}");
        let _ = write!(self.terminal, "\n{}", wrapped(line));
    }

    /// Adds the rows and runs that did not work.
    fn account(&mut self, samples: &Samples) {
        if let Some(repetitions) = samples.repetitions_when_cut_short() {
            self.note(&format!(
                "There was no time for more than {repetitions} whole repetitions; what was not run is open."
            ));
        }
        let mut lines = String::new();
        for (place, trouble) in samples.troubles() {
            let (peer, images, row) = (place.peer, place.images, &place.row);
            let reason = one_line(&trouble.to_string());
            let _ = writeln!(lines, "* {peer}, {images} images, {row}: {reason}");
            self.ours_failed |= peer.starts_with("ours");
        }
        for (images, peer, trouble) in samples.unclean_ends() {
            let reason = one_line(&trouble.to_string());
            let _ = writeln!(lines, "* {peer}, {images} images, after its last row: {reason}");
            self.ours_failed |= peer.starts_with("ours");
        }
        if !lines.is_empty() {
            let _ = write!(self.body, "\n## Troubles\n\n{lines}");
            let _ = write!(self.terminal, "\nTroubles\n\n{}", wrapped(&lines));
        }
    }

    /// Writes `table.md`, and prints machine, verdict and the narrow tables.
    pub fn finish(mut self, samples: &Samples, output: &Output) -> Result<Summary, Error> {
        self.account(samples);
        let verdict = self.verdict();
        let body = format!("{}\n{}", output.origin(), self.body);
        output.document("table.md", &self.suite, &verdict, &body)?;
        print!("{}", wrapped(&output.origin().to_string()));
        print!("{}{}", wrapped(&verdict.replace("**", "")), self.terminal);
        println!(
            "\nMedians in microseconds an operation. p95: 95th percentile of the parts of a run of ours. \
             ratio: ours / best peer; ~: within noise."
        );
        Ok(Summary { clean: !self.ours_failed, ahead: self.tally.ahead() })
    }

    /// The verdict, and a warning if it cannot be trusted.
    fn verdict(&self) -> String {
        let mut text = self.tally.to_string();
        if !self.warning.is_empty() {
            let _ = write!(text, "\n\n{}", self.warning);
        }
        text
    }
}

/// The number of a target as it was set.
fn bound(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The first lines of a message joined, and not too long.
fn one_line(text: &str) -> String {
    const MAX_LINE: usize = 240;
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if joined.chars().count() <= MAX_LINE {
        joined
    } else {
        joined.chars().take(MAX_LINE).chain(" ...".chars()).collect()
    }
}
