//! The figures as CSV: every value, and the summaries.
//!
//! No field needs quoting: names hold letters, digits and underscores only.

use crate::error::Error;
use crate::output::Output;
use crate::samples::Samples;
use std::fmt::Write;

/// Writes `values.csv` (one line a repetition) and `summary.csv` (one line a row and peer).
pub fn write(samples: &Samples, output: &mut Output) -> Result<(), Error> {
    let mut values = String::from("row,size,images,peer,repetition,microseconds\n");
    let mut summary = String::from("row,size,images,peer,median,min,max,repetitions,trouble\n");
    for (place, cell) in samples.iter() {
        let row = &place.row;
        let start = format!("{},{},{},{}", row.name, row.size, place.images, place.peer);
        for (repetition, microseconds) in &cell.values {
            let _ = writeln!(values, "{start},{repetition},{microseconds:e}");
        }
        let figures = cell.summary().map_or_else(
            || ",,,0".to_owned(),
            |s| format!("{:e},{:e},{:e},{}", s.median, s.min, s.max, s.count),
        );
        let trouble = cell.trouble.as_ref().map_or("", |trouble| trouble.word());
        let _ = writeln!(summary, "{start},{figures},{trouble}");
    }
    output.data("values.csv", &values)?;
    output.data("summary.csv", &summary)
}
