//! The report for the terminal: at most 80 columns.

use crate::summary::Summary;
use crate::units::{bytes, percent, time};
use std::fmt::{self, Display};

/// Rows of each table.
const ROWS: usize = 20;
/// Characters of a bar.
const BAR: f64 = 10.0;
/// Characters of a statement.
const PLACE: usize = 24;

/// The report of a job as text.
#[derive(Debug)]
pub struct Text<'a>(pub &'a Summary);

impl Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Text(summary) = self;
        let seconds = time(summary.elapsed());
        writeln!(f, "xmprun: report: {} images, {seconds}", summary.job)?;
        operations(summary, f)?;
        images(summary, f)?;
        traffic(summary, f)?;
        memory(summary, f)?;
        limits(summary, f)
    }
}

fn operations(summary: &Summary, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    writeln!(
        f,
        "\n{:<17} {:<PLACE$} {:>8} {:>9} {:>9} {:>8}",
        "operation", "at", "count", "time", "bytes", "waiting"
    )?;
    for row in summary.rows.iter().take(ROWS) {
        let size = if row.bytes == 0 { String::new() } else { bytes(row.bytes) };
        let waiting = if row.waiting == 0 {
            String::new()
        } else {
            format!("{:.0} %", percent(row.waiting, row.time))
        };
        writeln!(
            f,
            "{:<17} {:<PLACE$} {:>8} {:>9} {size:>9} {waiting:>8}",
            row.operation.name(),
            shortened(&summary.places[row.place]),
            row.count,
            time(row.time),
        )?;
    }
    more(f, summary.rows.len())
}

fn images(summary: &Summary, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    writeln!(
        f,
        "\n{:>5} {:>9} {:>9} {:>17} {:>11} {:>11}",
        "image", "elapsed", "computing", "waiting", "waited for", "memory"
    )?;
    for image in summary.images.iter().take(ROWS) {
        let share = percent(image.waiting, image.elapsed);
        let bar = "#".repeat((share / 100.0 * BAR).round() as usize);
        let memory = if image.memory == 0 { String::new() } else { bytes(image.memory << 10) };
        writeln!(
            f,
            "{:>5} {:>9} {:>9} {bar:>10} {share:>4.0} % {:>11} {memory:>11}",
            image.image,
            time(image.elapsed),
            time(image.computing()),
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
    more(f, summary.traffic.len())
}

fn memory(summary: &Summary, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if summary.allocations.is_empty() {
        return Ok(());
    }
    writeln!(
        f,
        "\n{:<PLACE$} {:>11} {:>17} {:>8}",
        "coarrays allocated at", "times", "most on an image", "image"
    )?;
    for allocation in summary.allocations.iter().take(ROWS) {
        writeln!(
            f,
            "{:<PLACE$} {:>11} {:>17} {:>8}",
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

/// The end of a statement's text, which has the line.
fn shortened(place: &str) -> String {
    let count = place.chars().count();
    if count <= PLACE {
        return place.to_string();
    }
    std::iter::once('~').chain(place.chars().skip(count - PLACE + 1)).collect()
}
