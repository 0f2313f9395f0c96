//! The files with the races of a job: for editors, and for the timeline and the report.

use super::{recorded, sarif};
use crate::failure;
use crate::image::Image;
use crate::races::{Races, WholeTable};
use crate::report::report;

/// The job is perhaps ending in error, and files are written already: writes them once more, with what was found since.
pub(super) fn write_at_end(image: &Image, races: Races<'_>) {
    if failure::ending(image.job()).is_none() {
        return;
    }
    // The image that writes last has seen what the others have found before they wrote.
    let mut written = None;
    while let Some(table) = races.whole_table_here().filter(|it| written != Some(number(it))) {
        write_files(image, &table);
        written = Some(number(&table));
    }
}

/// The number of races that have texts.
fn number(table: &WholeTable) -> usize {
    table.races.iter().filter(|(_, text)| !text.is_empty()).count()
}

/// Writes the file for editors, if it is wanted, and hands the races to the library that records.
pub(super) fn write_files(image: &Image, table: &WholeTable) {
    let all = &table.races;
    // Texts that are too long have the first line only.
    let described = |line: usize| {
        all.iter().filter_map(move |(count, text)| Some((*count, text.lines().nth(line)?)))
    };
    recorded::keep(described(2));
    let Some(path) = &image.settings().races_sarif else { return };
    if let Err(error) = sarif::write(path, &sarif::file(described(1))) {
        report(format_args!("XMP_RACES_SARIF: {} cannot be written: {error}", path.display()));
    }
}
