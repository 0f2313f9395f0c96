//! The report as one page for a browser, which needs no other file and no network.

mod chart;
mod html;

use crate::summary::Summary;
use crate::units::{bytes, percent, time};
use html::{Cell, Table, escaped};
use std::fmt::{self, Display};

/// What the page looks like, and the script that sorts tables.
const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("sort.js");

/// The report of a job as a page.
#[derive(Debug)]
pub struct Page<'a> {
    /// The numbers.
    pub summary: &'a Summary,
    /// The program, for the title.
    pub program: &'a str,
}

impl Display for Page<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Page { summary, program } = self;
        let title = escaped(program);
        write!(
            f,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}: report</title>\n\
             <style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n<p>{} images, {}</p>\n",
            summary.job,
            time(summary.elapsed())
        )?;
        for (name, value) in &summary.properties {
            writeln!(f, "<p>{}: {}</p>", escaped(name), escaped(value))?;
        }
        writeln!(f, "<h2>Images</h2>\n{}\n{}", chart::Images(summary), images(summary))?;
        if let Some((image, excess)) = summary.imbalance() {
            let excess = 100.0 * excess;
            writeln!(
                f,
                "<p>Imbalance: image {image} computes {excess:.0} % longer than the mean.</p>"
            )?;
        }
        writeln!(f, "<h2>Operations</h2>\n{}", operations(summary))?;
        if !summary.waiting.is_empty() {
            let cells = summary.waiting.iter().map(|(&pair, &waited)| chart::Square {
                pair,
                value: waited,
                text: time(waited),
            });
            let map = chart::HeatMap { images: summary.job, cells: cells.collect() };
            writeln!(f, "<h2>Waiting: row for column</h2>\n{map}")?;
        }
        if !summary.traffic.is_empty() {
            let cells = summary.traffic.iter().map(|(&pair, traffic)| chart::Square {
                pair,
                value: traffic.bytes(),
                text: format!(
                    "{} puts of {}, {} gets of {}",
                    traffic.puts,
                    bytes(traffic.put_bytes),
                    traffic.gets,
                    bytes(traffic.get_bytes)
                ),
            });
            let map = chart::HeatMap { images: summary.job, cells: cells.collect() };
            writeln!(f, "<h2>Traffic: row with column</h2>\n{map}")?;
        }
        if !summary.allocations.is_empty() {
            writeln!(f, "<h2>Coarrays</h2>\n{}", allocations(summary))?;
        }
        for limit in summary.limits() {
            writeln!(f, "<p>{}</p>", escaped(&limit))?;
        }
        writeln!(f, "<script>\n{SCRIPT}</script>\n</body>\n</html>")
    }
}

fn operations(summary: &Summary) -> Table {
    let rows = summary.rows.iter().map(|row| {
        vec![
            Cell::text(row.operation.name()),
            Cell::text(&summary.places[row.place]),
            Cell::number(row.count, row.count.to_string()),
            Cell::number(row.time, time(row.time)),
            Cell::number(row.longest, time(row.longest)),
            Cell::number(row.bytes, bytes(row.bytes)),
            Cell::number(row.waiting, time(row.waiting)),
            match row.culprit() {
                Some((image, waited)) => {
                    let share = percent(waited, row.waiting);
                    Cell::number(image.into(), format!("{image} ({share:.0} %)"))
                }
                None => Cell::number(0, String::new()),
            },
        ]
    });
    Table {
        head: &["operation", "at", "count", "time", "longest", "bytes", "waiting", "for image"],
        rows: rows.collect(),
    }
}

fn images(summary: &Summary) -> Table {
    let rows = summary.images.iter().map(|image| {
        let share = percent(image.waiting, image.elapsed);
        vec![
            Cell::number(image.image.into(), image.image.to_string()),
            Cell::number(image.elapsed, time(image.elapsed)),
            Cell::number(image.computing(), time(image.computing())),
            Cell::number(image.operations, time(image.operations)),
            Cell::number(image.waiting, format!("{} ({share:.0} %)", time(image.waiting))),
            Cell::number(image.waited_for, time(image.waited_for)),
            Cell::number(image.memory, bytes(image.memory << 10)),
        ]
    });
    Table {
        head: &["image", "elapsed", "computing", "operations", "waiting", "waited for", "memory"],
        rows: rows.collect(),
    }
}

fn allocations(summary: &Summary) -> Table {
    let rows = summary.allocations.iter().map(|allocation| {
        vec![
            Cell::text(&summary.places[allocation.place]),
            Cell::number(allocation.count, allocation.count.to_string()),
            Cell::number(allocation.peak, bytes(allocation.peak)),
            Cell::number(allocation.image.into(), allocation.image.to_string()),
        ]
    });
    Table { head: &["allocated at", "times", "most on an image", "image"], rows: rows.collect() }
}
