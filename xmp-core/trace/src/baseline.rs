//! The numbers of another run, which its page contains, and what differs between it and this one.

use crate::summary::{Summary, Totals};
use crate::units::{ratio, time};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use xmp_map::counted::counted;

/// The version of the numbers in a page.
const VERSION: u64 = 1;
/// A ratio by which two runs of the same program have differed on a machine with other work.
const CHANCE: f64 = 1.6;
/// What is written before them and after them.
const BEGIN: &str = "<script type=\"application/json\" id=\"numbers\">";
const END: &str = "</script>";

/// The numbers of a run, as an element of its page.
pub fn element(summary: &Summary) -> String {
    let totals = summary.totals();
    let rows = summary.statements().map(|row| {
        json!({
            "operation": row.operation.name(),
            "at": summary.places[row.place],
            "source": summary.source(row.place),
            "count": row.count,
            "time": row.time,
        })
    });
    let numbers = json!({
        "version": VERSION,
        "images": summary.job,
        "elapsed": summary.elapsed(),
        "starting": totals.starting,
        "computing": totals.computing,
        "communicating": totals.communicating,
        "waiting": totals.waiting,
        "statements": rows.collect::<Vec<Value>>(),
    });
    // Source text may contain the end of the element.
    format!("{BEGIN}{}{END}", numbers.to_string().replace('<', "\\u003c"))
}

/// Another run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    /// The name of its page.
    pub name: String,
    images: u32,
    elapsed: u64,
    totals: Totals,
    rows: Vec<Spent>,
}

/// The time of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Spent {
    statement: Statement,
    at: String,
    time: u64,
}

/// What identifies a statement in two versions of a program: the lines of the second one may have moved.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Statement {
    operation: String,
    file: String,
    /// Its source text, or the line where that is not known.
    text: String,
}

impl Statement {
    fn of(operation: &str, at: &str, source: Option<&str>) -> Statement {
        let (file, line) = at.rsplit_once(':').unwrap_or((at, ""));
        let name = file.rsplit('/').next().unwrap_or(file);
        let text = source.unwrap_or(line);
        Statement { operation: operation.into(), file: name.into(), text: text.into() }
    }
}

impl Baseline {
    /// The numbers in a page with this name; `None` if it has none of this version.
    pub fn read(page: &str, name: &str) -> Option<Baseline> {
        let (numbers, _) = page.split_once(BEGIN)?.1.split_once(END)?;
        let numbers: Value = serde_json::from_str(numbers).ok()?;
        if numbers["version"] != VERSION {
            return None;
        }
        let number = |value: &Value, name: &str| value[name].as_u64();
        let row = |row: &Value| {
            let (operation, at) = (row["operation"].as_str()?, row["at"].as_str()?);
            let statement = Statement::of(operation, at, row["source"].as_str());
            Some(Spent { statement, at: at.into(), time: number(row, "time")? })
        };
        Some(Baseline {
            name: name.into(),
            images: number(&numbers, "images")?.try_into().ok()?,
            elapsed: number(&numbers, "elapsed")?,
            totals: Totals {
                starting: number(&numbers, "starting")?,
                computing: number(&numbers, "computing")?,
                communicating: number(&numbers, "communicating")?,
                waiting: number(&numbers, "waiting")?,
            },
            rows: numbers["statements"].as_array()?.iter().map(row).collect::<Option<_>>()?,
        })
    }
}

/// A time of two runs, in ns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What takes the time.
    pub what: String,
    /// The statement; of times of the whole run it is empty.
    pub at: String,
    /// The times of the baseline and of this run.
    pub times: [u64; 2],
}

impl Change {
    /// The difference, without its sign.
    pub fn size(&self) -> u64 {
        self.times[0].abs_diff(self.times[1])
    }
}

/// Two runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// What changed most.
    pub sentence: String,
    /// Times of the whole run: elapsed, and the parts of the time of all images.
    pub whole: Vec<Change>,
    /// The statements, those with the greatest differences first.
    pub statements: Vec<Change>,
}

impl Comparison {
    /// What differs between a run and the baseline.
    pub fn of(summary: &Summary, baseline: &Baseline) -> Comparison {
        let (old, new) = (baseline.totals, summary.totals());
        let change = |(what, before, now): (&str, u64, u64)| Change {
            what: what.into(),
            at: String::new(),
            times: [before, now],
        };
        let whole = [
            ("elapsed", baseline.elapsed, summary.elapsed()),
            ("start", old.starting, new.starting),
            ("computing", old.computing, new.computing),
            ("communicating", old.communicating, new.communicating),
            ("waiting", old.waiting, new.waiting),
        ];
        let whole: Vec<Change> = whole.map(change).into();
        let statements = changes(summary, baseline);
        let sentence = sentence(summary, baseline, &statements);
        Comparison { sentence, whole, statements }
    }
}

fn changes(summary: &Summary, baseline: &Baseline) -> Vec<Change> {
    /// The rows of statements with the same source text in both runs.
    #[derive(Default)]
    struct Alike<'a> {
        before: Vec<(&'a str, u64)>,
        now: Vec<(&'a str, u64)>,
    }
    let mut found: BTreeMap<Statement, Alike<'_>> = BTreeMap::new();
    for Spent { statement, at, time } in &baseline.rows {
        found.entry(statement.clone()).or_default().before.push((at, *time));
    }
    for row in summary.statements() {
        let at = &summary.places[row.place];
        let statement = Statement::of(row.operation.name(), at, summary.source(row.place));
        found.entry(statement).or_default().now.push((at, row.time));
    }
    let mut changes = Vec::new();
    for (Statement { operation, .. }, Alike { before, now }) in found {
        for (at, times) in paired(before, now) {
            changes.push(Change { what: operation.clone(), at: at.into(), times });
        }
    }
    changes.sort_by_key(|change| (std::cmp::Reverse(change.size()), change.at.clone()));
    changes
}

/// The statements with one source text: those at the same line in both runs are one, and the others in the order of their lines.
fn paired<'a>(
    mut before: Vec<(&'a str, u64)>,
    mut now: Vec<(&'a str, u64)>,
) -> Vec<(&'a str, [u64; 2])> {
    let line = |&(at, _): &(&str, u64)| line_of(at);
    before.sort_by_key(line);
    now.sort_by_key(line);
    let mut pairs = Vec::new();
    now.retain(|&(at, time)| {
        let same = before.iter().position(|&(other, _)| line_of(other) == line_of(at));
        if let Some(same) = same {
            pairs.push((at, [before.remove(same).1, time]));
        }
        same.is_none()
    });
    let number = before.len().max(now.len());
    pairs.extend((0..number).map(|nth| match (before.get(nth), now.get(nth)) {
        (Some(&(_, before)), Some(&(at, now))) => (at, [before, now]),
        (Some(&(at, before)), None) => (at, [before, 0]),
        (None, now) => now.map_or(("", [0, 0]), |&(at, now)| (at, [0, now])),
    }));
    pairs
}

/// The line of a statement, if its text has one.
fn line_of(at: &str) -> Option<u64> {
    at.rsplit_once(':')?.1.parse().ok()
}

/// The source files of statements whose lines are known.
fn files<'a>(places: impl Iterator<Item = &'a str>) -> BTreeSet<&'a str> {
    let known = places.filter(|at| line_of(at).is_some());
    let file = |at: &'a str| at.rsplit_once(':').map_or(at, |(file, _)| file);
    known.map(file).map(|file| file.rsplit('/').next().unwrap_or(file)).collect()
}

/// What is said where the baseline has no source file of this run.
fn other_program(summary: &Summary, baseline: &Baseline) -> Option<String> {
    let before = files(baseline.rows.iter().map(|row| &*row.at));
    let now = files(summary.statements().map(|row| &*summary.places[row.place]));
    let list = |files: &BTreeSet<&str>| files.iter().copied().collect::<Vec<_>>().join(", ");
    let is_other = !before.is_empty() && !now.is_empty() && before.is_disjoint(&now);
    is_other.then(|| {
        format!(
            "The baseline {} is of another program (sources {}, and here {}): the ratios mean nothing.",
            baseline.name,
            list(&before),
            list(&now)
        )
    })
}

fn sentence(summary: &Summary, baseline: &Baseline, statements: &[Change]) -> String {
    if let Some(text) = other_program(summary, baseline) {
        return text;
    }
    let (now, before) = (summary.elapsed(), baseline.elapsed);
    let mut text = format!(
        "The run takes {} of the time of the baseline {}: {}, before {}",
        ratio(now, before),
        baseline.name,
        time(now),
        time(before)
    );
    if summary.job != baseline.images {
        text += &format!(
            "; it has {}, the baseline {}",
            counted(summary.job, "image"),
            baseline.images
        );
    }
    if let Some(change) = statements.first().filter(|change| change.size() > 0) {
        let direction = if change.times[1] < change.times[0] { "less" } else { "more" };
        let size = time(change.size());
        text += &format!(
            "; {} ({}) has changed most, by {size} {direction} of all images",
            change.what, change.at
        );
    }
    let is_small = now.max(before) as f64 <= CHANCE * now.min(before) as f64;
    let chance = "; runs of one program differ as much on a busy machine: repeat both";
    text + if is_small { chance } else { "" } + "."
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::Operation;
    use crate::summary::{ImageRow, Row};

    fn run(line: usize, spent: u64) -> Summary {
        let row = Row {
            operation: Operation::SyncAll,
            place: 0,
            count: 1,
            time: spent,
            longest: spent,
            bytes: 0,
            waiting: 0,
            waited_for: BTreeMap::new(),
        };
        let elapsed = spent + 500;
        let image = ImageRow { image: 1, elapsed, operations: spent, ..ImageRow::default() };
        Summary {
            job: 1,
            rows: vec![row],
            images: vec![image],
            places: vec![format!("/x/a.f90:{line}")],
            sources: vec![Some("sync all ! </script>".into())],
            ..Summary::default()
        }
    }

    #[test]
    fn a_run_is_compared_with_the_numbers_in_the_page_of_another() {
        let page = format!("<!DOCTYPE html>{}<p></p>", element(&run(3, 1000)));
        let baseline = Baseline::read(&page, "a.html").unwrap();
        // The same statement, which has moved.
        let comparison = Comparison::of(&run(7, 250), &baseline);
        assert_eq!(
            comparison.sentence,
            "The run takes 0.50 of the time of the baseline a.html: 750 ns, before 1.50 us; sync all (/x/a.f90:7) has \
             changed most, by 750 ns less of all images."
        );
        let at = "/x/a.f90:7".into();
        let statement = Change { what: "sync all".into(), at, times: [1000, 250] };
        assert_eq!(comparison.statements, [statement]);
        assert_eq!(comparison.whole[2].times, [500, 500]);
    }

    #[test]
    fn statements_with_the_same_text_are_compared_line_by_line() {
        let same = |before: &[(&'static str, u64)], now: &[(&'static str, u64)]| {
            paired(before.to_vec(), now.to_vec())
        };
        assert_eq!(
            same(&[("a:9", 5), ("a:3", 7)], &[("a:3", 70), ("a:9", 50)]),
            [("a:3", [7, 70]), ("a:9", [5, 50])]
        );
        // Both have moved; one more has come before, then one has gone.
        assert_eq!(
            same(&[("a:3", 7), ("a:9", 5)], &[("a:4", 70), ("a:10", 50)]),
            [("a:4", [7, 70]), ("a:10", [5, 50])]
        );
        assert_eq!(
            same(&[("a:3", 7)], &[("a:3", 8), ("a:5", 1)]),
            [("a:3", [7, 8]), ("a:5", [0, 1])]
        );
        assert_eq!(
            same(&[("a:3", 7), ("a:5", 1)], &[("a:3", 8)]),
            [("a:3", [7, 8]), ("a:5", [1, 0])]
        );
    }

    #[test]
    fn a_baseline_of_another_program_is_said_to_be_one() {
        let page = element(&run(3, 1000)).replace("/x/a.f90", "/x/b.f90");
        let baseline = Baseline::read(&page, "b.html").unwrap();
        assert_eq!(
            Comparison::of(&run(3, 1000), &baseline).sentence,
            "The baseline b.html is of another program (sources b.f90, and here a.f90): the ratios mean nothing."
        );
    }

    #[test]
    fn a_small_difference_is_said_to_be_chance_perhaps() {
        let baseline = Baseline::read(&element(&run(3, 1000)), "a.html").unwrap();
        let text = Comparison::of(&run(3, 900), &baseline).sentence;
        assert!(
            text.ends_with("; runs of one program differ as much on a busy machine: repeat both."),
            "{text}"
        );
    }

    #[test]
    fn a_page_without_numbers_is_no_baseline() {
        assert_eq!(Baseline::read("<!DOCTYPE html><p></p>", "a.html"), None);
        let other = element(&run(3, 1)).replace("\"version\":1", "\"version\":2");
        assert_eq!(Baseline::read(&other, "a.html"), None);
    }
}
