//! One measured number, as text.

use std::fmt;
use std::str::FromStr;

/// How long an algorithm takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Name of the table.
    pub table: String,
    /// Number of participants.
    pub participants: usize,
    /// Whether images shared cores.
    pub crowded: bool,
    /// Bytes that the algorithm is chosen by.
    pub bytes: usize,
    /// Name of the algorithm.
    pub algorithm: String,
    /// Microseconds.
    pub time: f64,
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Row { table, participants, crowded, bytes, algorithm, time } = self;
        let cores = if *crowded { "crowded" } else { "free" };
        write!(f, "{table} {participants} {cores} {bytes} {algorithm} {time:.3}")
    }
}

impl FromStr for Row {
    type Err = String;

    fn from_str(line: &str) -> Result<Row, String> {
        let wrong = || format!("not a measured line: {line:?}");
        let words: Vec<&str> = line.split_whitespace().collect();
        let &[table, participants, cores, bytes, algorithm, time] = &words[..] else {
            return Err(wrong());
        };
        Ok(Row {
            table: table.into(),
            participants: participants.parse().map_err(|_| wrong())?,
            crowded: cores == "crowded",
            bytes: bytes.parse().map_err(|_| wrong())?,
            algorithm: algorithm.into(),
            time: time.parse().map_err(|_| wrong())?,
        })
    }
}
