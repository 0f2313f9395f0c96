//! The figures as CSV: every value, and the summaries.
//!
//! `part_median` and `p95` are the median and the 95th percentile of the parts that a repetition was measured in, and in
//! `summary.csv` the medians of those over the repetitions.
//! No field needs quoting: names hold letters, digits and underscores only.

use crate::error::Error;
use crate::output::Output;
use crate::protocol::Parts;
use crate::samples::{Samples, Value};
use std::fmt::Write;

/// Writes `values.csv` (one line a repetition) and `summary.csv` (one line a row and peer).
pub fn write(samples: &Samples, output: &Output) -> Result<(), Error> {
    let mut values = String::from("row,size,images,peer,repetition,microseconds,part_median,p95\n");
    let mut summary =
        String::from("row,size,images,peer,median,min,max,repetitions,part_median,p95,trouble\n");
    for (place, cell) in samples.iter() {
        let row = &place.row;
        let start = format!("{},{},{},{}", row.name, row.size, place.images, place.peer);
        for Value { repetition, microseconds, parts } in &cell.values {
            let parts = fields(*parts);
            let _ = writeln!(values, "{start},{repetition},{microseconds:e},{parts}");
        }
        let figures = cell.summary().map_or_else(
            || ",,,0".to_owned(),
            |s| format!("{:e},{:e},{:e},{}", s.median, s.min, s.max, s.count),
        );
        let parts = fields(cell.parts());
        let trouble = cell.trouble.as_ref().map_or("", |trouble| trouble.word());
        let _ = writeln!(summary, "{start},{figures},{parts},{trouble}");
    }
    output.data("values.csv", &values)?;
    output.data("summary.csv", &summary)
}

/// The fields `part_median` and `p95`, empty where the program told no parts.
fn fields(parts: Option<Parts>) -> String {
    parts.map_or_else(
        || ",".to_owned(),
        |Parts { median, percentile_95 }| format!("{median:e},{percentile_95:e}"),
    )
}
