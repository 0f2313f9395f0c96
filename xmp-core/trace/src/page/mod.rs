//! The report as one page for a browser, which needs no other file and no network.

mod chart;
mod heat;
mod html;
mod races;
mod tables;

use crate::baseline::{Baseline, Comparison, element};
use crate::summary::Summary;
use crate::units::{bytes, time};
use crate::verdict::{self, verdict};
use heat::{HeatMap, Square};
use html::escaped;
use races::Races;
use std::fmt::{self, Display};
use xmp_map::counted::counted;

/// What the page looks like, and the script that sorts tables.
const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("sort.js");

/// What the words of the page mean that are not those of a language.
const WORDS: &str = "<h2>Words</h2>\n<dl class=\"words\">\n\
    <dt>start</dt><dd>until all images of the job have met; shares of time are of the time after it</dd>\n\
    <dt>allocate (all)</dt><dd>ALLOCATE of a coarray, or the declaration of one: all images of the team meet in it</dd>\n\
    <dt>waiting</dt><dd>the part of an operation in which another image had not come yet, or held what is needed</dd>\n\
    <dt>for image</dt><dd>the image that was waited for longest, and its share of this waiting</dd>\n\
    <dt>pointers to</dt><dd>how images reach memory that pointer components of coarrays lead to (XMP_REACH)</dd>\n</dl>";

/// The report of a job as a page.
#[derive(Debug)]
pub struct Page<'a> {
    /// The numbers.
    pub summary: &'a Summary,
    /// The program, for the title.
    pub program: &'a str,
    /// The run that it is compared with.
    pub baseline: Option<&'a Baseline>,
}

impl Display for Page<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Page { summary, program, baseline } = self;
        let title = escaped(program);
        write!(
            f,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}: report</title>\n\
             <style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
        )?;
        let comparison = baseline.map(|baseline| Comparison::of(summary, baseline));
        writeln!(f, "<div class=\"verdict\">")?;
        let compared = comparison.iter().map(|comparison| comparison.sentence.clone());
        for sentence in compared.chain(verdict::races(summary)).chain(verdict(summary)) {
            writeln!(f, "<p>{}</p>", escaped(&sentence))?;
        }
        writeln!(f, "</div>")?;
        for limit in summary.limits() {
            writeln!(f, "<p class=\"limit\">{}</p>", escaped(&limit))?;
        }
        properties(summary, f)?;
        if !summary.races.is_empty() {
            writeln!(f, "<h2>Races</h2>\n{}", Races(&summary.races))?;
        }
        if let Some(comparison) = &comparison {
            let [whole, statements] = tables::comparison(comparison);
            writeln!(f, "<h2>Comparison with the baseline</h2>\n{whole}\n{statements}")?;
        }
        writeln!(f, "<h2>Images</h2>\n{}\n{}", chart::Images(summary), tables::images(summary))?;
        if let Some((image, excess)) = summary.imbalance() {
            let excess = 100.0 * excess;
            writeln!(
                f,
                "<p>Imbalance: image {image} computes {excess:.0} % longer than the mean.</p>"
            )?;
        }
        if !summary.phases.is_empty() {
            writeln!(f, "<h2>All images over time</h2>\n{}", chart::Phases(summary))?;
        }
        writeln!(f, "<h2>Operations</h2>\n{}", tables::operations(summary))?;
        writeln!(f, "<h2>Start and end</h2>\n{}", tables::start_and_end(summary))?;
        maps(summary, f)?;
        if !summary.allocations.is_empty() {
            writeln!(f, "<h2>Coarrays</h2>\n{}", tables::allocations(summary))?;
        }
        writeln!(f, "{WORDS}")?;
        writeln!(f, "{}\n<script>\n{SCRIPT}</script>\n</body>\n</html>", element(summary))
    }
}

fn properties(summary: &Summary, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    writeln!(f, "<dl>")?;
    let own = [("images", summary.job.to_string()), ("elapsed", time(summary.elapsed()))];
    for (name, value) in own.iter().chain(&summary.properties) {
        writeln!(f, "<dt>{}</dt><dd>{}</dd>", escaped(name), escaped(value))?;
    }
    writeln!(f, "</dl>")
}

fn maps(summary: &Summary, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    writeln!(f, "<div class=\"maps\">")?;
    if !summary.waiting.is_empty() {
        let cells = summary.waiting.iter().map(|(&pair, &waited)| Square {
            pair,
            value: waited,
            text: format!("waits {}", time(waited)),
        });
        let axes = ["this image waits", "for this image"];
        let map = HeatMap { images: summary.job, axes, cells: cells.collect(), unit: time };
        writeln!(f, "<section><h2>Waiting, in time</h2>\n{map}</section>")?;
    }
    if !summary.traffic.is_empty() {
        let cells = summary.traffic.iter().map(|(&pair, traffic)| Square {
            pair,
            value: traffic.bytes(),
            text: format!(
                "{} of {}, {} of {}",
                counted(traffic.puts, "put"),
                bytes(traffic.put_bytes),
                counted(traffic.gets, "get"),
                bytes(traffic.get_bytes)
            ),
        });
        let axes = ["this image puts and gets", "memory of this image"];
        let map = HeatMap { images: summary.job, axes, cells: cells.collect(), unit: bytes };
        writeln!(f, "<section><h2>Traffic, in bytes</h2>\n{map}</section>")?;
    }
    writeln!(f, "</div>")
}
