//! The number of races of a job, in words: the image that comes to its end last reports it. Of a job that an error ends its launcher does,
//! or where images end by themselves or by another launcher, an image of the table's host.

use crate::job::Job;
use crate::races::{WholeTable, take_summary_left};
use crate::report::report;
use crate::settings::{RaceAction, Settings};
use std::fmt::Write as _;

/// Whether races are looked for and counted. A job that ends at its first race has one.
pub(crate) fn are_counted(settings: &Settings) -> bool {
    settings.check.races && settings.races == RaceAction::All
}

/// Reports the number of races of a job that ends in error, unless that was done. Whether it is reported now.
pub(crate) fn report_left(job: &Job) -> bool {
    let text = take_summary_left(job).as_ref().and_then(text);
    text.is_some_and(|text| {
        report(format_args!("{text}"));
        true
    })
}

/// The text about a table; `None` where no race was found.
pub(crate) fn text(table: &WholeTable) -> Option<String> {
    let pairs = table.races.iter().filter(|(_, text)| !text.is_empty());
    let all = by_pair(pairs.map(|(count, text)| (*count, text.lines().next().unwrap_or_default())));
    let has_none = all.is_empty() && table.left_out == 0;
    (!has_none).then(|| of_pairs(&all, table.left_out, table.ignored))
}

/// Races by their statements, in the order in which they were found. Two statements that race in two ways, such as a read with a write
/// and a write with a write, are added up.
fn by_pair<'a>(races: impl Iterator<Item = (u64, &'a str)>) -> Vec<(u64, &'a str)> {
    let mut all: Vec<(u64, &str)> = Vec::new();
    for (count, pair) in races {
        match all.iter_mut().find(|(_, known)| *known == pair) {
            Some((sum, _)) => *sum += count,
            None => all.push((count, pair)),
        }
    }
    all
}

/// A race whose report an error has interrupted is not counted yet.
fn times(count: u64) -> String {
    if count <= 1 { "once".into() } else { format!("{count} times") }
}

/// How many races there are, and between which statements.
fn of_pairs(all: &[(u64, &str)], left_out: u64, ignored: u64) -> String {
    let races = |number: u64| format!("{number} race{}", if number == 1 { "" } else { "s" });
    let mut text = races(all.len() as u64);
    if ignored > 0 {
        // Writing to a string cannot fail.
        let times = times(ignored);
        let _ = write!(text, "; others, which XMP_RACES_IGNORE names, were found {times}");
    }
    for (count, pair) in all {
        let _ = write!(text, "\n  {pair}: {}", times(*count));
    }
    if left_out > 0 {
        let _ = write!(text, "\n  and others, which are not counted");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_ways_in_which_the_same_statements_race_are_one_row() {
        let races =
            [(3, "a.f90:7 and a.f90:8"), (1, "b.f90:1 and b.f90:1"), (2, "a.f90:7 and a.f90:8")];
        assert_eq!(
            by_pair(races.into_iter()),
            [(5, "a.f90:7 and a.f90:8"), (1, "b.f90:1 and b.f90:1")]
        );
    }

    #[test]
    fn races_are_counted() {
        let all = [(1, "a.f90:7 and a.f90:8"), (12, "b.f90:1 and a.f90:3")];
        assert_eq!(of_pairs(&all[..1], 0, 0), "1 race\n  a.f90:7 and a.f90:8: once");
        assert_eq!(
            of_pairs(&all, 3, 2),
            "2 races; others, which XMP_RACES_IGNORE names, were found 2 times\n  a.f90:7 and a.f90:8: once\n  b.f90:1 and a.f90:3: 12 times\n  \
             and others, which are not counted"
        );
    }
}
