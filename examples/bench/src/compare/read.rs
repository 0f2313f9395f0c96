//! Reading the values of a run.

use crate::error::Error;
use crate::stats::{Summary, summarise};
use csv::{Reader, StringRecord};
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Which figure it is. Those of ours come first in the order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// Whether it is not one of ours: false comes first.
    is_other: bool,
    /// Short name of the side.
    pub side: String,
    /// Number of images.
    pub images: u32,
    /// Name of the row.
    pub row: String,
    /// Its size.
    pub size: u64,
    /// Whether it is one of ours.
    pub is_ours: bool,
}

/// All figures of a run.
pub type Results = BTreeMap<Key, Summary>;

/// Reads a directory's `summary.csv`, or such a file, or a `values.csv`.
pub fn read(path: &Path) -> Result<Results, Error> {
    let file = if path.is_dir() { path.join("summary.csv") } else { path.to_owned() };
    let input = File::open(&file).map_err(|source| Error::Read { path: file.clone(), source })?;
    let mut table = Columns { path: file, names: StringRecord::new() };
    let mut reader = Reader::from_reader(input);
    table.names = reader.headers().map_err(|error| table.error(error.to_string()))?.clone();
    let has_values = table.names.iter().any(|name| name == "microseconds");
    let mut results = Results::new();
    let mut values: BTreeMap<Key, Vec<f64>> = BTreeMap::new();
    for record in reader.records() {
        let record = record.map_err(|error| table.error(error.to_string()))?;
        let side = table.text(&record, "peer")?.to_owned();
        let is_ours = side.starts_with("ours");
        let key = Key {
            is_other: !is_ours,
            side,
            images: table.number(&record, "images")?,
            row: table.text(&record, "row")?.to_owned(),
            size: table.number(&record, "size")?,
            is_ours,
        };
        if has_values {
            values.entry(key).or_default().push(table.number(&record, "microseconds")?);
        } else if !table.text(&record, "median")?.is_empty() {
            // A row in trouble has no median.
            let summary = Summary {
                median: table.number(&record, "median")?,
                min: table.number(&record, "min")?,
                max: table.number(&record, "max")?,
                count: table.number(&record, "repetitions")?,
            };
            results.insert(key, summary);
        }
    }
    let figures = values.into_iter().filter_map(|(key, times)| Some((key, summarise(&times)?)));
    results.extend(figures);
    Ok(results)
}

/// The columns of a file.
struct Columns {
    path: PathBuf,
    names: StringRecord,
}

impl Columns {
    fn text<'a>(&self, record: &'a StringRecord, name: &str) -> Result<&'a str, Error> {
        let column = self.names.iter().position(|other| other == name);
        let field = column.and_then(|column| record.get(column));
        field.ok_or_else(|| self.error(format!("no column {name}")))
    }

    fn number<T: FromStr>(&self, record: &StringRecord, name: &str) -> Result<T, Error> {
        let text = self.text(record, name)?;
        let line = record.position().map_or(0, csv::Position::line);
        text.parse()
            .map_err(|_| self.error(format!("line {line}: {name}: \"{text}\" is no number")))
    }

    fn error(&self, reason: String) -> Error {
        Error::NotResults { path: self.path.clone(), reason }
    }
}
