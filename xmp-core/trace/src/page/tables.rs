//! The tables of the page.

use super::html::{Cell, Table};
use crate::baseline::{Change, Comparison};
use crate::summary::{Row, Summary};
use crate::units::{bytes, percent, ratio, time};

/// The operations of statements. Shares are of the time of all images after the start.
pub fn operations(summary: &Summary) -> Table {
    rows(summary, summary.statements())
}

/// The start and the end of the program, in the same columns.
pub fn start_and_end(summary: &Summary) -> Table {
    rows(summary, summary.start_and_end())
}

fn rows<'a>(summary: &Summary, rows: impl Iterator<Item = &'a Row>) -> Table {
    let whole = summary.totals().after_start();
    let cells = |row: &Row| {
        let share = percent(row.time, whole);
        let waiting = percent(row.waiting, row.time);
        vec![
            Cell::Text(row.operation.name().into()),
            Cell::Text(summary.statement_of(row).into()),
            Cell::Source(summary.source_of(row).unwrap_or_default().into()),
            Cell::Number(row.count, row.count.to_string()),
            Cell::Share(row.time, time(row.time), share),
            Cell::Number(row.longest, time(row.longest)),
            Cell::Number(row.bytes, bytes(row.bytes)),
            Cell::Share(row.waiting, format!("{} ({waiting:.0} %)", time(row.waiting)), waiting),
            match row.culprit() {
                Some((image, waited)) => {
                    let share = percent(waited, row.waiting);
                    Cell::Number(image.into(), format!("{image} ({share:.0} %)"))
                }
                None => Cell::Number(0, String::new()),
            },
        ]
    };
    Table {
        head: vec![
            "operation",
            "at",
            "source",
            "count",
            "time",
            "longest",
            "bytes",
            "waiting",
            "for image",
        ],
        minor: &[5, 6],
        rows: rows.map(cells).collect(),
    }
}

/// The parts of the images' time, which are those of the bars.
pub fn images(summary: &Summary) -> Table {
    let rows = summary.images.iter().map(|image| {
        let share = percent(image.waiting, image.after_start());
        vec![
            Cell::Number(image.image.into(), image.image.to_string()),
            Cell::Number(image.elapsed, time(image.elapsed)),
            Cell::Number(image.starting, time(image.starting)),
            Cell::Number(image.computing(), time(image.computing())),
            Cell::Number(image.communicating(), time(image.communicating())),
            Cell::Share(image.waiting, format!("{} ({share:.0} %)", time(image.waiting)), share),
            Cell::Number(image.waited_for, time(image.waited_for)),
            Cell::Number(image.memory, bytes(image.memory << 10)),
        ]
    });
    Table {
        head: vec![
            "image",
            "elapsed",
            "start",
            "computing",
            "communicating",
            "waiting (after the start)",
            "waited for",
            "memory",
        ],
        minor: &[1, 2, 7],
        rows: rows.collect(),
    }
}

/// What the statements allocate.
pub fn allocations(summary: &Summary) -> Table {
    let rows = summary.allocations.iter().map(|allocation| {
        vec![
            Cell::Text(summary.places[allocation.place].clone()),
            Cell::Source(summary.source(allocation.place).unwrap_or_default().into()),
            Cell::Number(allocation.count, allocation.count.to_string()),
            Cell::Number(allocation.peak, bytes(allocation.peak)),
            Cell::Number(allocation.image.into(), allocation.image.to_string()),
        ]
    });
    Table {
        head: vec!["allocated at", "source", "times", "most on an image", "image"],
        minor: &[],
        rows: rows.collect(),
    }
}

/// Two runs: the times of the whole runs, and those of the statements.
pub fn comparison(comparison: &Comparison) -> [Table; 2] {
    let times = |change: &Change| {
        let [before, now] = change.times;
        [
            Cell::Number(before, time(before)),
            Cell::Number(now, time(now)),
            // Sorted by the quotient in millionths.
            Cell::Number((now as f64 / before.max(1) as f64 * 1e6) as u64, ratio(now, before)),
        ]
    };
    let whole = comparison
        .whole
        .iter()
        .map(|change| [Cell::Text(change.what.clone())].into_iter().chain(times(change)).collect());
    let statements = comparison.statements.iter().map(|change| {
        let what = [Cell::Text(change.what.clone()), Cell::Text(change.at.clone())];
        what.into_iter().chain(times(change)).collect()
    });
    [
        Table {
            head: vec!["time", "baseline", "this run", "ratio"],
            minor: &[],
            rows: whole.collect(),
        },
        Table {
            head: vec!["operation", "at", "baseline", "this run", "ratio"],
            minor: &[],
            rows: statements.collect(),
        },
    ]
}
