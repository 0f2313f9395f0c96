//! The end of a job in which races were looked for: how many there are, the file for editors, the exit status.

use super::files::{write_at_end, write_files};
use super::program::{PROGRAM, leave};
use super::{patience, reporting};
use crate::failure;
use crate::image::Image;
use crate::process::{Exit, is_running};
use crate::races::{Races, WholeTable};
use crate::report::report;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};

/// This image is about to end the job in error, perhaps because of a wrong value that comes from a race. It enters what it holds back,
/// and leaves the others time to come to their next image control statement, where they do the same.
pub fn before_error_stop(image: &Image) {
    if let Some(races) = image.races() {
        races.flush();
        patience::leave_time(image);
        if let Ok(table) = races.whole_table() {
            write_files(image, &table);
        }
    }
}

/// The end of the program on this image: enters what is held back. The last image says how many races there are.
pub fn end() {
    let Some((image, exit)) = PROGRAM.get().and_then(|program| (program.member)()) else { return };
    if let Some(races) = image.races().filter(|_| is_running(image)) {
        races.flush();
        reporting::until_complete();
        write_at_end(image, races);
        leave_job(image, exit, races);
    }
}

/// This process is about to end by a signal, in error termination of the job: enters what is held back, and completes reports. It is
/// executed by a thread that the library has for that.
pub(super) fn last_words() {
    if let Some(races) = PROGRAM.get().and_then(|program| (program.member)()?.0.races()) {
        races.enter_held_back();
    }
    reporting::until_complete();
}

/// This image has come to its end. The last one sums up.
fn leave_job(image: &Image, exit: &Exit, races: Races<'_>) {
    static HAS_ENDED: AtomicBool = AtomicBool::new(false);
    let job = image.job();
    // Relaxed: one thread ends the process.
    if failure::ending(job).is_some() || HAS_ENDED.swap(true, Ordering::Relaxed) {
        return;
    }
    let failures = u64::from(job.page().status.failures.load(Ordering::Relaxed));
    // Where the host of the table cannot be reached the job ends.
    let Ok(ended) = races.end() else { return };
    if ended + failures == job.images() as u64
        && let Ok(table) = races.whole_table()
    {
        leave();
        sum_up(image, exit, &table);
    }
}

/// This image, the first one that ends in error, writes files with what was found so far.
pub fn before_error_end(image: &Image) {
    // In an error no message is sent.
    if let Some(table) = image.races().and_then(|races| races.whole_table_here()) {
        write_files(image, &table);
    }
}

fn sum_up(image: &Image, exit: &Exit, table: &WholeTable) {
    let settings = image.settings();
    let pairs = table.races.iter().filter(|(_, text)| !text.is_empty());
    let all = by_pair(pairs.map(|(count, text)| (*count, text.lines().next().unwrap_or_default())));
    write_files(image, table);
    if all.is_empty() && table.left_out == 0 {
        return;
    }
    report(format_args!("{}", text(&all, table.left_out, table.ignored)));
    if settings.races_status != 0 {
        let code = settings.races_status.into();
        failure::start_ending(image.job(), image.rank(), code);
        exit.end();
    }
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

fn times(count: u64) -> String {
    if count == 1 { "once".into() } else { format!("{count} times") }
}

/// How many races there are, and between which statements.
fn text(all: &[(u64, &str)], left_out: u64, ignored: u64) -> String {
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
        assert_eq!(text(&all[..1], 0, 0), "1 race\n  a.f90:7 and a.f90:8: once");
        assert_eq!(
            text(&all, 3, 2),
            "2 races; others, which XMP_RACES_IGNORE names, were found 2 times\n  a.f90:7 and a.f90:8: once\n  b.f90:1 and a.f90:3: 12 times\n  \
             and others, which are not counted"
        );
    }
}
