//! The text of the results: what was measured on what, the tables, the targets, the troubles.

use crate::error::Error;
use crate::machine;
use crate::options::RunOptions;
use crate::peers::{Absent, Kind, Peer};
use crate::rows::Row;
use crate::samples::Samples;
use crate::stats::Summary;
use crate::table::{Table, short};
use crate::targets::{Against, Verdict, judge, ratio};
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// Load average above which the figures are not to be trusted: half a core used by others.
const MOST_LOAD: f64 = 0.5;

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

/// The report as it grows.
pub struct Report {
    text: String,
    met: usize,
    missed: Vec<String>,
    open: usize,
    ours_failed: bool,
}

impl Report {
    /// Starts with the machine, the settings and the absent peers.
    pub fn new(suite: &str, options: &RunOptions, absent: &[Absent]) -> Self {
        let mut text = format!("# {suite}\n\n");
        let _ = writeln!(
            text,
            "{}.\nMicroseconds an operation, median [min-max] of {} interleaved repetitions, \
             batches of at least {} ms.",
            machine::describe(),
            options.repetitions(),
            options.batch_milliseconds()
        );
        if machine::load_average().is_some_and(|load| load > MOST_LOAD) {
            let _ = writeln!(
                text,
                "**Others were using the cores at the start: these figures tell little.**"
            );
        }
        for gone in absent {
            let _ = writeln!(text, "Not measured: {} ({}).", gone.title, gone.missing);
        }
        let ours_failed = absent.iter().any(|gone| gone.kind == Kind::Ours);
        Self { text, met: 0, missed: Vec::new(), open: 0, ours_failed }
    }

    /// Adds a heading.
    pub fn heading(&mut self, text: &str) {
        let _ = write!(self.text, "\n## {text}\n");
    }

    /// Adds the table of the rows for one number of images, with the peers that have a part in it.
    pub fn rows(&mut self, rows: &[Row], images: u32, samples: &Samples, peers: &[Peer]) {
        let tried = |peer: &Peer, row: &Row| samples.get(images, &row.key(), peer.id).is_some();
        let peers_here: Vec<&Peer> =
            peers.iter().filter(|peer| rows.iter().any(|row| tried(peer, row))).collect();
        if peers_here.is_empty() {
            return;
        }
        let head = ["row", "size"].into_iter().chain(peers_here.iter().map(|peer| peer.title));
        let mut table = Table::new(head.chain(["ours/coarrays", "ours/raw MPI", "targets"]));
        for row in rows {
            let key = row.key();
            let mut cells = vec![row.title.to_owned(), row.size.to_string()];
            for peer in &peers_here {
                let cell = samples.get(images, &key, peer.id);
                cells.push(match cell.map(|cell| (&cell.trouble, cell.summary())) {
                    Some((Some(trouble), _)) => trouble.word().to_owned(),
                    Some((None, Some(summary))) => spread(summary),
                    _ => "-".to_owned(),
                });
            }
            for against in [Against::Coarray, Against::RawMpi] {
                let ratio = ratio(against, images, &key, samples, peers);
                cells.push(ratio.map_or_else(|| "-".to_owned(), short));
            }
            cells.push(self.targets(row, images, samples, peers));
            table.push(cells);
        }
        let _ = write!(self.text, "\n### {images} images\n\n{}", table.render());
    }

    /// The targets of a row in words, and into the account.
    fn targets(&mut self, row: &Row, images: u32, samples: &Samples, peers: &[Peer]) -> String {
        let mut words = Vec::new();
        for target in row.targets.iter().filter(|target| target.applies(images)) {
            let rule = format!("{} <= {}", target.against, bound(target.at_most));
            words.push(match judge(target, images, &row.key(), samples, peers) {
                Verdict::Met(ratio) => {
                    self.met += 1;
                    format!("{rule}: {} met", short(ratio))
                }
                Verdict::Missed(ratio) => {
                    let by = short(ratio / target.at_most);
                    self.missed.push(format!(
                        "{}, {images} images: {rule}, is {} ({by} times too much)",
                        row.title,
                        short(ratio)
                    ));
                    format!("{rule}: {} MISSED", short(ratio))
                }
                Verdict::OursMissing => {
                    self.open += 1;
                    format!("{rule}: open")
                }
                Verdict::TheirsMissing => {
                    self.open += 1;
                    format!("{rule}: nothing to compare with")
                }
            });
        }
        words.join("; ")
    }

    /// Adds the table of the figures that are not times.
    pub fn figures(&mut self, figures: &[Figure]) {
        let mut table = Table::new(["what", "whose", "figure", "target"]);
        for figure in figures {
            let ours = figure.peer.kind == Kind::Ours;
            let value = match &figure.value {
                Ok(value) => short(*value),
                Err(reason) => format!("FAILED: {}", one_line(reason)),
            };
            let verdict = match &figure.value {
                _ if !ours => String::new(),
                Ok(value) if *value <= figure.at_most => {
                    self.met += 1;
                    format!("<= {}: met", bound(figure.at_most))
                }
                Ok(_) => {
                    let rule = format!("<= {}", bound(figure.at_most));
                    self.missed.push(format!("{}: {rule}, is {value}", figure.what));
                    format!("{rule}: MISSED")
                }
                Err(_) => {
                    self.open += 1;
                    self.ours_failed = true;
                    "ours has no figure".to_owned()
                }
            };
            table.push(vec![figure.what.clone(), figure.peer.title.to_owned(), value, verdict]);
        }
        let _ = write!(self.text, "\n## Memory and instructions\n\n{}", table.render());
    }

    /// Adds text that is laid out already.
    pub fn text(&mut self, text: &str) {
        let _ = write!(self.text, "\n{text}");
    }

    /// Adds a line.
    pub fn note(&mut self, line: &str) {
        let _ = writeln!(self.text, "\n{line}");
    }

    /// Adds what did not work, row by row.
    pub fn troubles(&mut self, samples: &Samples) {
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
            let _ = write!(self.text, "\n## Troubles\n\n{lines}");
        }
    }

    /// Adds the account of the targets, writes `table.md` into the directory and prints it all. True
    /// if ours was there and had no trouble.
    pub fn finish(mut self, directory: &Path) -> Result<bool, Error> {
        let _ = writeln!(
            self.text,
            "\n## Targets\n\n{} met, {} missed, {} could not be judged.",
            self.met,
            self.missed.len(),
            self.open
        );
        for line in &self.missed {
            let _ = writeln!(self.text, "* MISSED {line}");
        }
        let path = directory.join("table.md");
        fs::write(&path, &self.text).map_err(Error::write(&path))?;
        println!("{}", self.text);
        Ok(!self.ours_failed)
    }
}

fn spread(summary: Summary) -> String {
    let Summary { median, min, max, count } = summary;
    if count == 1 {
        return short(median);
    }
    format!("{} [{}-{}]", short(median), short(min), short(max))
}

/// The number of a target as it was set.
fn bound(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The first lines of a message joined, and not too long.
fn one_line(text: &str) -> String {
    const MOST: usize = 240;
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if joined.chars().count() <= MOST {
        joined
    } else {
        joined.chars().take(MOST).chain(" ...".chars()).collect()
    }
}
