//! The medians that the page is made of: rows in CSV, in microseconds.

use crate::compare::read as read_run;
use crate::error::Error;
use crate::table::short;
use csv::{Reader, StringRecord, Writer};
use std::path::Path;

/// The number of images of the figures.
const IMAGES: u32 = 2;
/// The columns of the file.
const COLUMNS: [&str; 6] = ["title", "row", "bytes", "ours", "opencoarrays", "mpi"];

/// A row of the bench.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// What it measures.
    pub title: String,
    /// Its name in the bench.
    pub row: String,
    /// Its size; 0 if it has none.
    pub size: u64,
    /// Medians with XMP-RT, with the better OpenCoarrays and with the better MPI, in microseconds.
    pub times: [Option<f64>; 3],
}

impl Line {
    /// The time with XMP-RT divided by that of another side.
    pub fn ratio(&self, side: usize) -> Option<f64> {
        Some(self.times[0]? / self.times[side]?)
    }

    /// The ratio to the faster of the others.
    pub fn ratio_to_best(&self) -> Option<f64> {
        let ratios = [self.ratio(1), self.ratio(2)].into_iter().flatten();
        ratios.reduce(f64::max)
    }
}

/// Reads a file of medians.
pub fn read(path: &Path) -> Result<Vec<Line>, Error> {
    let failed = |reason: String| Error::NotResults { path: path.to_owned(), reason };
    let mut reader = Reader::from_path(path).map_err(|error| failed(error.to_string()))?;
    let line = |record: Result<StringRecord, csv::Error>| {
        let record = record.map_err(|error| failed(error.to_string()))?;
        let text = |column: usize| record.get(column).unwrap_or_default();
        let size = text(2).parse().map_err(|_| failed(format!("no size: {}", text(2))))?;
        Ok(Line {
            title: text(0).into(),
            row: text(1).into(),
            size,
            times: [3, 4, 5].map(|column| text(column).parse().ok()),
        })
    };
    reader.records().map(line).collect()
}

/// The same rows with the medians of a run. Each must have one of ours there.
pub fn of_run(run: &Path, lines: Vec<Line>) -> Result<Vec<Line>, Error> {
    let results = read_run(run)?;
    let new = |line: Line| {
        let least = |side: &str| {
            let fits = results.iter().filter(|(key, _)| {
                key.images == IMAGES
                    && key.row == line.row
                    && key.size == line.size
                    && key.side.starts_with(side)
            });
            fits.map(|(_, figure)| figure.median).reduce(f64::min)
        };
        let times = ["ours", "oc-", "mpi-"].map(least);
        match times[0] {
            Some(_) => Ok(Line { times, ..line }),
            None => Err(Error::NotResults {
                path: run.to_owned(),
                reason: format!("no figure of ours for {}:{} with 2 images", line.row, line.size),
            }),
        }
    };
    lines.into_iter().map(new).collect()
}

/// The file of these rows.
pub fn text(lines: &[Line]) -> String {
    let mut writer = Writer::from_writer(Vec::new());
    let mut write = |fields: [String; 6]| {
        // Memory takes all that is written.
        writer.write_record(fields).expect("fields are written to memory");
    };
    write(COLUMNS.map(String::from));
    for line in lines {
        let time = |side: usize| line.times[side].map_or_else(String::new, short);
        let (title, row) = (line.title.clone(), line.row.clone());
        write([title, row, line.size.to_string(), time(0), time(1), time(2)]);
    }
    String::from_utf8(writer.into_inner().expect("memory is flushed")).expect("it was text")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn medians_of_a_run_replace_those_of_a_file() {
        let directory = tempfile::tempdir().unwrap();
        let [file, run] = ["medians.csv", "summary.csv"].map(|name| directory.path().join(name));
        fs::write(&file, "title,row,bytes,ours,opencoarrays,mpi\n\"put, a\",put,64,1.0,2.0,\n")
            .unwrap();
        let lines = read(&file).unwrap();
        assert_eq!(lines[0].times, [Some(1.0), Some(2.0), None]);
        assert_eq!((lines[0].ratio(1), lines[0].ratio_to_best()), (Some(0.5), Some(0.5)));
        let head = "row,size,images,peer,median,min,max,repetitions,part_median,p95,trouble,round_trip_ns\n";
        let row = |side: &str, median: f64| format!("put,64,2,{side},{median},1,9,3,1,1,,\n");
        let rows = [row("ours", 0.5), row("mpi-mpich", 4.0), row("mpi-openmpi", 2.0)].concat();
        fs::write(&run, format!("{head}{rows}")).unwrap();
        let lines = of_run(&run, lines).unwrap();
        assert_eq!(lines[0].times, [Some(0.5), None, Some(2.0)]);
        assert_eq!(
            text(&lines),
            "title,row,bytes,ours,opencoarrays,mpi\n\"put, a\",put,64,0.500,,2.00\n"
        );
        fs::write(&run, head).unwrap();
        assert!(
            of_run(&run, lines).unwrap_err().to_string().contains("no figure of ours for put:64")
        );
    }
}
