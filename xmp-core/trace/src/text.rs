//! The report for the terminal: at most 80 columns.

use crate::baseline::{Baseline, Comparison};
use crate::summary::{Row, Summary, Traffic};
use crate::units::{bytes, percent, ratio, time};
use crate::verdict::{self, verdict};
use std::fmt::{self, Display};

/// Rows of each table.
const ROWS: usize = 20;
/// Characters of a bar.
const BAR: f64 = 5.0;
/// Characters of a statement.
const PLACE: usize = 20;
/// Most images of a map, which has a column for each.
const COLUMNS: u32 = 64;
/// What a map has for traffic of up to a quarter of the greatest, of up to half of it, and so on.
const SHADES: [char; 4] = ['.', 'o', 'O', '@'];

/// Columns of the report.
const WIDTH: usize = 80;

/// The report of a job as text.
#[derive(Debug)]
pub struct Text<'a> {
    /// The numbers.
    pub summary: &'a Summary,
    /// The run that it is compared with.
    pub baseline: Option<&'a Baseline>,
}

impl Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Text { summary, baseline } = self;
        let seconds = time(summary.elapsed());
        let noun = if summary.job == 1 { "image" } else { "images" };
        writeln!(f, "xmprun: report: {} {noun}, {seconds}", summary.job)?;
        let comparison = baseline.map(|baseline| Comparison::of(summary, baseline));
        let compared = comparison.iter().map(|comparison| comparison.sentence.clone());
        for sentence in compared.chain(verdict::races(summary)).chain(verdict(summary)) {
            wrapped(&sentence, f)?;
        }
        for (name, value) in &summary.properties {
            writeln!(f, "{name}: {value}")?;
        }
        if let Some(comparison) = &comparison {
            changes(comparison, f)?;
        }
        races(summary, f)?;
        operations("operation", summary, summary.statements(), f)?;
        operations("start and end", summary, summary.start_and_end(), f)?;
        images(summary, f)?;
        traffic(summary, f)?;
        memory(summary, f)?;
        limits(summary, f)
    }
}

/// A sentence in lines. A word that is longer than a line, such as a path, has a line of its own.
fn wrapped(sentence: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut column = 0;
    for word in sentence.split(' ') {
        let length = word.chars().count();
        match column {
            0 => column = length,
            _ if column + 1 + length > WIDTH => {
                writeln!(f)?;
                column = length;
            }
            _ => {
                write!(f, " ")?;
                column += 1 + length;
            }
        }
        write!(f, "{word}")?;
    }
    writeln!(f)
}

/// The races, each with what it is between and what would order it.
fn races(summary: &Summary, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for race in summary.races.iter().take(ROWS) {
        let [one, other] = race
            .sides
            .each_ref()
            .map(|side| format!("{}: image {} {}", side.place, side.image, side.access));
        writeln!(f)?;
        wrapped(&format!("race, found {}: {one}; {other}: {}", race.times(), race.cure), f)?;
    }
    more(f, summary.races.len())
}

/// The times of two runs.
fn changes(comparison: &Comparison, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    writeln!(
        f,
        "\n{:<17} {:<PLACE$} {:>12} {:>12} {:>8}",
        "comparison", "at", "baseline", "this run", "ratio"
    )?;
    let statements = comparison.statements.iter().take(ROWS);
    for change in comparison.whole.iter().chain(statements) {
        let [before, now] = change.times;
        writeln!(
            f,
            "{:<17} {:<PLACE$} {:>12} {:>12} {:>8}",
            change.what,
            shortened(&change.at),
            time(before),
            time(now),
            ratio(now, before)
        )?;
    }
    more(f, comparison.statements.len())
}

fn operations<'a>(
    head: &str,
    summary: &Summary,
    rows: impl Iterator<Item = &'a Row>,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    writeln!(
        f,
        "\n{head:<17} {:<PLACE$} {:>7} {:>7} {:>8} {:>10} {:>5}",
        "at", "count", "time", "bytes", "waiting", "image"
    )?;
    let rows: Vec<&Row> = rows.collect();
    for row in rows.iter().take(ROWS) {
        let size = if row.bytes == 0 { String::new() } else { bytes(row.bytes) };
        let share = percent(row.waiting, row.time);
        let waiting = match row.waiting {
            0 => String::new(),
            _ => format!("{} {share:>3.0}%", bar(share)),
        };
        let culprit = row.culprit().map_or_else(String::new, |(image, _)| image.to_string());
        let line = format!(
            "{:<17} {:<PLACE$} {:>7} {:>7} {size:>8} {waiting:>10} {culprit:>5}",
            row.operation.name(),
            shortened(summary.statement_of(row)),
            row.count,
            time(row.time),
        );
        writeln!(f, "{}", line.trim_end())?;
    }
    more(f, rows.len())
}

fn images(summary: &Summary, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    writeln!(
        f,
        "\n{:>5} {:>8} {:>8} {:>9} {:>13} {:>12} {:>10} {:>8}",
        "image",
        "elapsed",
        "start",
        "computing",
        "communicating",
        "waiting",
        "waited for",
        "memory"
    )?;
    for image in summary.images.iter().take(ROWS) {
        let share = percent(image.waiting, image.after_start());
        let bar = bar(share);
        let memory = if image.memory == 0 { String::new() } else { bytes(image.memory << 10) };
        writeln!(
            f,
            "{:>5} {:>8} {:>8} {:>9} {:>13} {bar:>5} {share:>4.0} % {:>10} {memory:>8}",
            image.image,
            time(image.elapsed),
            time(image.starting),
            time(image.computing()),
            time(image.communicating()),
            time(image.waited_for),
        )?;
    }
    more(f, summary.images.len())?;
    if let Some((image, excess)) = summary.imbalance() {
        writeln!(
            f,
            "imbalance: image {image} computes {:.0} % longer than the mean",
            100.0 * excess
        )?;
    }
    let mut waiting: Vec<_> = summary.waiting.iter().collect();
    waiting.sort_by_key(|&(_, &time)| std::cmp::Reverse(time));
    for (&(image, culprit), &waited) in waiting.into_iter().take(3) {
        writeln!(f, "image {image} has waited {} for image {culprit}", time(waited))?;
    }
    Ok(())
}

fn traffic(summary: &Summary, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if summary.traffic.is_empty() {
        return Ok(());
    }
    writeln!(
        f,
        "\n{:>5} {:>7} {:>9} {:>9} {:>9} {:>9}",
        "image", "partner", "puts", "bytes", "gets", "bytes"
    )?;
    let mut pairs: Vec<_> = summary.traffic.iter().collect();
    pairs.sort_by_key(|&(pair, traffic)| (std::cmp::Reverse(traffic.bytes()), pair));
    for ((image, partner), traffic) in pairs.into_iter().take(ROWS) {
        writeln!(
            f,
            "{image:>5} {partner:>7} {:>9} {:>9} {:>9} {:>9}",
            traffic.puts,
            bytes(traffic.put_bytes),
            traffic.gets,
            bytes(traffic.get_bytes),
        )?;
    }
    more(f, summary.traffic.len())?;
    map(summary, f)
}

/// Traffic between the images: a row for each image that executes, a column for each partner.
fn map(summary: &Summary, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let images = 1..=summary.job;
    if summary.job < 2 || summary.job > COLUMNS {
        return Ok(());
    }
    let most = summary.traffic.values().map(Traffic::bytes).max().unwrap_or(0).max(1);
    writeln!(f, "\nbytes by image (rows) and partner (columns); @ is the most, {}", bytes(most))?;
    for image in images.clone() {
        let shade = |partner| match summary.traffic.get(&(image, partner)).map(Traffic::bytes) {
            None | Some(0) => ' ',
            Some(bytes) => {
                let shade = (SHADES.len() as u128 * u128::from(bytes)).div_ceil(u128::from(most));
                SHADES[shade as usize - 1]
            }
        };
        let row: String = images.clone().map(shade).collect();
        writeln!(f, "{image:>5} |{row}|")?;
    }
    Ok(())
}

/// A bar for a share in percent.
fn bar(share: f64) -> String {
    "#".repeat((share / 100.0 * BAR).round() as usize)
}

fn memory(summary: &Summary, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if summary.allocations.is_empty() {
        return Ok(());
    }
    writeln!(
        f,
        "\n{:<24} {:>11} {:>17} {:>8}",
        "coarrays allocated at", "times", "most on an image", "image"
    )?;
    for allocation in summary.allocations.iter().take(ROWS) {
        writeln!(
            f,
            "{:<24} {:>11} {:>17} {:>8}",
            shortened(&summary.places[allocation.place]),
            allocation.count,
            bytes(allocation.peak),
            allocation.image,
        )?;
    }
    more(f, summary.allocations.len())
}

fn limits(summary: &Summary, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    summary.limits().iter().try_for_each(|limit| writeln!(f, "{limit}"))
}

fn more(f: &mut fmt::Formatter<'_>, rows: usize) -> fmt::Result {
    if rows > ROWS { writeln!(f, "... and {} more", rows - ROWS) } else { Ok(()) }
}

/// The end of a statement's text, which has the line, or the address where the line is not known.
fn shortened(place: &str) -> String {
    let place = place.split_once("; ").map_or(place, |(address, _)| address);
    let count = place.chars().count();
    if count <= PLACE {
        return place.to_string();
    }
    std::iter::once('~').chain(place.chars().skip(count - PLACE + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::Operation;
    use crate::summary::{ImageRow, Row};

    #[test]
    fn statements_without_lines_are_told_apart_by_their_addresses() {
        let place =
            |address| shortened(&format!("main (prog+{address}; compile with -g to see the line)"));
        assert_eq!([place("0x11d4"), place("0x11f8")], ["main (prog+0x11d4", "main (prog+0x11f8"]);
    }

    #[test]
    fn no_line_is_longer_than_80_columns_and_bars_show_shares() {
        let waited_for = [(2, 1_000_000), (640, 90_000_000)].into();
        let row = Row {
            operation: Operation::Between,
            place: 0,
            count: 1_234_567,
            time: 123_456_789,
            longest: 1,
            bytes: 1023 << 20,
            waiting: 91_000_000,
            waited_for,
        };
        let image = |image| ImageRow { image, elapsed: 1_000_000_000, ..ImageRow::default() };
        let traffic = |put_bytes| Traffic { puts: 1, put_bytes, ..Traffic::default() };
        let summary = Summary {
            job: 3,
            rows: vec![row],
            images: (1..=3).map(image).collect(),
            traffic: [((1, 2), traffic(100)), ((2, 3), traffic(26)), ((3, 1), traffic(25))].into(),
            places: vec!["a_rather_long_name_of_a_file.f90:1234".into()],
            ..Summary::default()
        };
        let text = Text { summary: &summary, baseline: None }.to_string();
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        assert!(text.contains("#### ") && text.contains(" 74%   640\n"), "{text}");
        for row in ["    1 | @ |", "    2 |  o|", "    3 |.  |"] {
            assert!(text.contains(row), "{text}");
        }
    }
}
