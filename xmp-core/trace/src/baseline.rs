//! The numbers of another run, which its page contains, and what differs between it and this one.

use crate::summary::{Summary, Totals};
use crate::units::{ratio, time};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The version of the numbers in a page.
const VERSION: u64 = 1;
/// What is written before them and behind them.
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
    let mut found: BTreeMap<Statement, Change> = BTreeMap::new();
    for Spent { statement, at, time } in &baseline.rows {
        let change = Change { what: statement.operation.clone(), at: at.clone(), times: [0, 0] };
        let times = &mut found.entry(statement.clone()).or_insert(change).times;
        times[0] = times[0].saturating_add(*time);
    }
    for row in summary.statements() {
        let (operation, at) = (row.operation.name(), &summary.places[row.place]);
        let statement = Statement::of(operation, at, summary.source(row.place));
        let change = Change { what: operation.into(), at: String::new(), times: [0, 0] };
        let change = found.entry(statement).or_insert(change);
        change.at.clone_from(at);
        change.times[1] = change.times[1].saturating_add(row.time);
    }
    let mut changes: Vec<Change> = found.into_values().collect();
    changes.sort_by_key(|change| (std::cmp::Reverse(change.size()), change.at.clone()));
    changes
}

fn sentence(summary: &Summary, baseline: &Baseline, statements: &[Change]) -> String {
    let (now, before) = (summary.elapsed(), baseline.elapsed);
    let mut text = format!(
        "The run takes {} of the time of the baseline {}: {}, before {}",
        ratio(now, before),
        baseline.name,
        time(now),
        time(before)
    );
    if summary.job != baseline.images {
        text += &format!("; it has {} images, the baseline {}", summary.job, baseline.images);
    }
    if let Some(change) = statements.first().filter(|change| change.size() > 0) {
        let direction = if change.times[1] < change.times[0] { "less" } else { "more" };
        let size = time(change.size());
        text += &format!(
            "; {} ({}) has changed most, by {size} {direction} of all images",
            change.what, change.at
        );
    }
    text + "."
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
    fn a_page_without_numbers_is_no_baseline() {
        assert_eq!(Baseline::read("<!DOCTYPE html><p></p>", "a.html"), None);
        let other = element(&run(3, 1)).replace("\"version\":1", "\"version\":2");
        assert_eq!(Baseline::read(&other, "a.html"), None);
    }
}
