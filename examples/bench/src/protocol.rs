//! The text between the driver and a benchmark program: which rows, and what came out.
//!
//! The programs print `begin,ROW,SIZE`, `ROW,SIZE,MICROSECONDS`, `wrong,ROW,SIZE`, `unwritten,ROW,SIZE` and `end`
//! (`programs/caf_timing.f90` explains them). Those that time a row in parts print `ROW,SIZE,mean,PART,PART,...` in place of
//! the time, or `median`: which of the two is the figure. Those in two forms also print what they have computed,
//! `check,ROW,SIZE,VALUE` (`programs/pairs/pair_timing.f90`). Other lines are not for the driver.

use crate::stats::{percentile, summarise};
use std::fmt;

/// A row by name and size, unique within a suite.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowKey {
    /// Name of the operation.
    pub name: String,
    /// Size of the operand in bytes, or another number that the row is repeated for; 0 where there is none.
    pub size: u64,
}

impl RowKey {
    /// The key of `name` with this size.
    pub fn new(name: &str, size: u64) -> Self {
        Self { name: name.to_owned(), size }
    }
}

impl fmt::Display for RowKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.name, self.size)
    }
}

/// The parts that a program timed a row in, microseconds an operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parts {
    /// Their median.
    pub median: f64,
    /// Their 95th percentile.
    pub percentile_95: f64,
}

impl Parts {
    /// Of these times; `None` if there are none.
    fn of(times: &[f64]) -> Option<Self> {
        let median = summarise(times)?.median;
        Some(Self { median, percentile_95: percentile(times, 95)? })
    }
}

/// The time that a program measured, microseconds an operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Time {
    /// The figure of the row.
    pub microseconds: f64,
    /// The spread of the parts that it was measured in, if the program tells it.
    pub parts: Option<Parts>,
}

impl Time {
    /// A time without parts.
    pub fn new(microseconds: f64) -> Self {
        Self { microseconds, parts: None }
    }
}

/// One line of a program's output.
#[derive(Debug, PartialEq)]
pub enum Line {
    /// The row is about to be measured.
    Begin(RowKey),
    /// The row took so long.
    Measured(RowKey, Time),
    /// The value that the program has computed in the row; it depends on the number of images only.
    Check(RowKey, f64),
    /// The row's operation gave a wrong result.
    Wrong(RowKey),
    /// An operand of the row has memory that nothing wrote before it was measured.
    Unwritten(RowKey),
    /// All rows asked for were measured.
    End,
}

impl Line {
    /// Reads a line; `None` if it is no line of the protocol.
    pub fn parse(text: &str) -> Option<Self> {
        let fields: Vec<&str> = text.trim().split(',').map(str::trim).collect();
        match fields[..] {
            ["end"] => Some(Self::End),
            ["begin", name, size] => Some(Self::Begin(RowKey::new(name, size.parse().ok()?))),
            ["wrong", name, size] => Some(Self::Wrong(RowKey::new(name, size.parse().ok()?))),
            ["unwritten", name, size] => {
                Some(Self::Unwritten(RowKey::new(name, size.parse().ok()?)))
            }
            ["check", name, size, value] => {
                Some(Self::Check(RowKey::new(name, size.parse().ok()?), value.parse().ok()?))
            }
            [name, size, time] => {
                let key = RowKey::new(name, size.parse().ok()?);
                Some(Self::Measured(key, Time::new(microseconds(time)?)))
            }
            [name, size, figure @ ("mean" | "median"), ref parts @ ..] => {
                let key = RowKey::new(name, size.parse().ok()?);
                let times: Option<Vec<f64>> = parts.iter().copied().map(microseconds).collect();
                let times = times?;
                let parts = Parts::of(&times)?;
                let microseconds = match figure {
                    "mean" => times.iter().sum::<f64>() / times.len() as f64,
                    _ => parts.median,
                };
                Some(Self::Measured(key, Time { microseconds, parts: Some(parts) }))
            }
            _ => None,
        }
    }
}

/// A time of a line; `None` if it is none.
fn microseconds(text: &str) -> Option<f64> {
    text.parse().ok().filter(|time: &f64| time.is_finite() && *time >= 0.0)
}

/// The rows asked of a program, `all` or a list of `ROW` and `ROW:SIZE`.
pub struct Selection(Vec<String>);

impl Selection {
    /// Reads the program argument.
    pub fn parse(text: &str) -> Self {
        Self(text.split(',').map(str::to_owned).collect())
    }

    /// Whether the row was asked for.
    pub fn contains(&self, name: &str, size: u64) -> bool {
        let with_size = format!("{name}:{size}");
        self.0.iter().any(|item| item == "all" || item == name || *item == with_size)
    }
}

/// The program argument that asks for `rows`.
pub fn selection_argument<'a>(rows: impl IntoIterator<Item = &'a RowKey>) -> String {
    rows.into_iter().map(RowKey::to_string).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_kind_of_line() {
        let key = RowKey::new("put", 64);
        assert_eq!(Line::parse("begin,put,64"), Some(Line::Begin(key.clone())));
        assert_eq!(
            Line::parse("put,64, 1.5E-01"),
            Some(Line::Measured(key.clone(), Time::new(0.15)))
        );
        let parts = Some(Parts { median: 0.5, percentile_95: 4.0 });
        for (figure, microseconds) in [("mean", 1.5), ("median", 0.5)] {
            let time = Time { microseconds, parts };
            let line = format!("put,64,{figure},0.5, 4.0,0.0,0.5,2.5");
            assert_eq!(Line::parse(&line), Some(Line::Measured(key.clone(), time)));
        }
        assert_eq!(Line::parse("check,put,64, 3.0E+002"), Some(Line::Check(key.clone(), 300.0)));
        assert_eq!(Line::parse(" wrong,put,64 "), Some(Line::Wrong(key.clone())));
        assert_eq!(Line::parse("unwritten,put,64"), Some(Line::Unwritten(key)));
        assert_eq!(Line::parse("end"), Some(Line::End));
    }

    #[test]
    fn ignores_lines_of_other_programs() {
        for text in [
            "",
            "[host:1] UCX WARN a,b",
            "put,64",
            "put,64,NaN",
            "put,64,-1",
            "put,x,1.0",
            "put,64,mean",
            "put,64,1.0,0.5,2.0",
            "put,64,median,0.5,-2",
            "check,put,64,x",
        ] {
            assert_eq!(Line::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_selection_names_rows_with_or_without_size() {
        let selection = Selection::parse("put:64,sync_all");
        assert!(selection.contains("put", 64));
        assert!(!selection.contains("put", 8));
        assert!(!selection.contains("put", 640));
        assert!(selection.contains("sync_all", 0));
        assert!(Selection::parse("all").contains("anything", 3));
    }
}
