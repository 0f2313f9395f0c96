//! Figures that are not times.

use super::{Report, TERMINAL_HEAD, bound, one_line};
use crate::peers::{Kind, Peer};
use crate::table::{Table, short};
use std::fmt::Write;

/// A figure that is not a time.
pub struct Figure {
    /// What was measured, with its unit.
    pub what: String,
    /// Whose it is.
    pub peer: Peer,
    /// The figure, or why there is none.
    pub value: Result<f64, String>,
    /// The most that ours shall have.
    pub at_most: f64,
}

impl Report {
    /// Adds the table of the figures that are not times.
    pub fn figures(&mut self, figures: &[Figure]) {
        let mut table = Table::new(["what", "whose", "figure", "target"]);
        let mut brief = Table::new(TERMINAL_HEAD);
        for figure in figures {
            let is_ours = figure.peer.kind == Kind::Ours;
            let value = match &figure.value {
                Ok(value) => short(*value),
                Err(reason) => format!("FAILED: {}", one_line(reason)),
            };
            let rule = format!("<= {}", bound(figure.at_most));
            let verdict = match &figure.value {
                _ if !is_ours => String::new(),
                Ok(value) if *value <= figure.at_most => {
                    self.tally.targets.met += 1;
                    format!("{rule}: met")
                }
                Ok(_) => {
                    let missed = format!("{}: {rule}, is {value}", figure.what);
                    self.tally.targets.missed.push(missed);
                    format!("{rule}: MISSED")
                }
                Err(_) => {
                    self.tally.targets.open += 1;
                    self.ours_failed = true;
                    "ours has no figure".to_owned()
                }
            };
            if is_ours {
                let (best, ratio) = best_figure(figure, figures);
                let p95 = "-".to_owned();
                let cells = [figure.what.clone(), value.clone(), p95, best, ratio, verdict.clone()];
                brief.push(cells.to_vec());
            }
            table.push(vec![figure.what.clone(), figure.peer.title.to_owned(), value, verdict]);
        }
        let heading = "Memory and instructions";
        let _ = write!(self.body, "\n## {heading}\n\n{}", table.markdown());
        if !brief.is_empty() {
            let _ = write!(self.terminal, "\n{heading}\n\n{}", brief.terminal());
        }
    }
}

/// The least figure of the peers for what `ours` is, and ours over it.
fn best_figure(ours: &Figure, figures: &[Figure]) -> (String, String) {
    let same = figures.iter().filter(|f| f.what == ours.what && !f.peer.kind.is_ours());
    let values = same.filter_map(|f| Some((f.peer.title, *f.value.as_ref().ok()?)));
    let best = values.min_by(|(_, a), (_, b)| a.total_cmp(b));
    let Some((title, value)) = best else { return ("-".to_owned(), "-".to_owned()) };
    let ratio = ours.value.as_ref().map_or_else(|_| "-".to_owned(), |ours| short(ours / value));
    (format!("{} {title}", short(value)), ratio)
}
