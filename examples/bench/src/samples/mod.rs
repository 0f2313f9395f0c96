//! The measured values, by images, row and peer.

#[cfg(test)]
mod tests;

use crate::protocol::{Parts, RowKey, Time};
use crate::stats::{Summary, summarise};
use std::collections::BTreeMap;
use std::fmt;

/// Relative difference of what two sides have computed up to which they agree.
const CHECK_TOLERANCE: f64 = 1e-9;

/// The values that two sides have computed in a row, where they do not agree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// The value of the side itself.
    pub own: f64,
    /// The other side.
    pub peer: &'static str,
    /// Its value.
    pub value: f64,
}

/// Why a peer has no figure for a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Trouble {
    /// It did not finish within the time allowed.
    TimedOut,
    /// It ended, or could not be started; with what it said.
    Failed(String),
    /// It finished, but the result was not the right one.
    Wrong,
    /// It computed something else than another side did.
    Differs(Difference),
    /// It measured memory that nothing had written: the kernel's page of zeros, which always lies in a cache.
    Unwritten,
}

impl Trouble {
    /// One word for the table.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::TimedOut => "TIMEOUT",
            Self::Failed(_) => "FAILED",
            Self::Wrong | Self::Differs(_) => "WRONG",
            Self::Unwritten => "UNWRITTEN",
        }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TimedOut => f.write_str("did not finish in the time allowed"),
            Self::Failed(reason) => write!(f, "failed: {reason}"),
            Self::Wrong => f.write_str("gave a wrong result"),
            Self::Differs(Difference { own, peer, value }) => {
                write!(f, "computed {own:e}, and {peer} {value:e}")
            }
            Self::Unwritten => f.write_str("measured an operand that nothing had written"),
        }
    }
}

/// The place of a value: images, row and peer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Number of images.
    pub images: u32,
    /// The row.
    pub row: RowKey,
    /// Short name of the peer.
    pub peer: &'static str,
}

/// The measurement of one repetition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Value {
    /// Which one.
    pub repetition: u32,
    /// Time of an operation.
    pub microseconds: f64,
    /// The spread of the parts that it was measured in, where the program tells it.
    pub parts: Option<Parts>,
}

impl Value {
    /// Without parts.
    pub fn new(repetition: u32, microseconds: f64) -> Self {
        Self::of(repetition, Time::new(microseconds))
    }

    /// The same of a time that has parts.
    pub fn of(repetition: u32, time: Time) -> Self {
        let Time { microseconds, parts } = time;
        Self { repetition, microseconds, parts }
    }
}

/// The results of a peer in a row.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    /// What the repetitions measured.
    pub values: Vec<Value>,
    /// Set once; the row is not tried again with this peer.
    pub trouble: Option<Trouble>,
}

impl Cell {
    /// The values' summary; `None` where there is trouble or nothing.
    pub fn summary(&self) -> Option<Summary> {
        let values: Vec<f64> = self.values.iter().map(|value| value.microseconds).collect();
        summarise(&values).filter(|_| self.trouble.is_none())
    }

    /// The medians, over the repetitions, of the median and of the 95th percentile of the parts that each was measured in.
    pub fn parts(&self) -> Option<Parts> {
        let of = |figure: fn(Parts) -> f64| {
            let known = self.values.iter().filter_map(|value| value.parts);
            let known: Vec<f64> = known.map(figure).collect();
            summarise(&known).filter(|_| self.trouble.is_none()).map(|summary| summary.median)
        };
        let (median, percentile_95) = (of(|p| p.median)?, of(|p| p.percentile_95)?);
        Some(Parts { median, percentile_95 })
    }
}

/// A value that a side has computed in a row.
#[derive(Clone, Copy, Debug)]
struct Check {
    peer: &'static str,
    value: f64,
}

/// All values of a run of the driver.
#[derive(Debug, Default)]
pub struct Samples {
    cells: BTreeMap<Place, Cell>,
    /// The values that the first side has computed, by images and row.
    checks: BTreeMap<(u32, RowKey), Check>,
    unclean: BTreeMap<(u32, &'static str), Trouble>,
    cut_short: Option<u32>,
}

impl Samples {
    /// Adds a value.
    pub fn add(&mut self, place: Place, value: Value) {
        self.cells.entry(place).or_default().values.push(value);
    }

    /// Notes trouble; the first one stays.
    pub fn trouble(&mut self, place: Place, trouble: Trouble) {
        self.cells.entry(place).or_default().trouble.get_or_insert(trouble);
    }

    /// Compares what a side has computed with what the first one has. Where they differ, one of the two is wrong, and neither
    /// has a figure. A side that has found its own result wrong says nothing about the others.
    pub fn check(&mut self, place: &Place, value: f64) {
        if self.cells.get(place).is_some_and(|cell| cell.trouble.is_some()) {
            return;
        }
        let row = (place.images, place.row.clone());
        let first = *self.checks.entry(row).or_insert(Check { peer: place.peer, value });
        // Sums are added in different orders.
        let greatest = first.value.abs().max(value.abs());
        let is_same = (first.value - value).abs() <= CHECK_TOLERANCE * greatest;
        if is_same {
            return;
        }
        let (own, peer) = (first.value, place.peer);
        let other = Place { peer: first.peer, ..place.clone() };
        self.trouble(other, Trouble::Differs(Difference { own, peer, value }));
        let difference = Difference { own: value, peer: first.peer, value: first.value };
        self.trouble(place.clone(), Trouble::Differs(difference));
    }

    /// Notes that a peer's program measured its rows, but did not end as it should.
    pub fn unclean(&mut self, images: u32, peer: &'static str, trouble: Trouble) {
        self.unclean.entry((images, peer)).or_insert(trouble);
    }

    /// Programs that did not end as they should: images, peer and the first trouble.
    pub fn unclean_ends(&self) -> impl Iterator<Item = (u32, &'static str, &Trouble)> {
        self.unclean.iter().map(|(&(images, peer), trouble)| (images, peer, trouble))
    }

    /// Notes that there was no time for more than this many repetitions and a part of the next.
    pub fn cut_short(&mut self, repetitions: u32) {
        let fewest = self.cut_short.map_or(repetitions, |before| before.min(repetitions));
        self.cut_short = Some(fewest);
    }

    /// Whole repetitions, if there was no time for all.
    pub fn repetitions_when_cut_short(&self) -> Option<u32> {
        self.cut_short
    }

    /// The results of a peer in a row, if it was tried.
    pub fn get(&self, images: u32, row: &RowKey, peer: &'static str) -> Option<&Cell> {
        self.cells.get(&Place { images, row: row.clone(), peer })
    }

    /// Median and spread, if there is a figure.
    pub fn summary(&self, images: u32, row: &RowKey, peer: &'static str) -> Option<Summary> {
        self.get(images, row, peer)?.summary()
    }

    /// The least value of a row, over all contestants.
    pub fn shortest(&self, images: u32, row: &RowKey) -> Option<f64> {
        let of_row = self.iter().filter(|(place, _)| place.images == images && place.row == *row);
        of_row.flat_map(|(_, cell)| &cell.values).map(|value| value.microseconds).reduce(f64::min)
    }

    /// Everything, ordered by images, row and peer.
    pub fn iter(&self) -> impl Iterator<Item = (&Place, &Cell)> {
        self.cells.iter()
    }

    /// All rows without a figure that were tried, and why.
    pub fn troubles(&self) -> impl Iterator<Item = (&Place, &Trouble)> {
        self.iter().filter_map(|(place, cell)| Some((place, cell.trouble.as_ref()?)))
    }
}
