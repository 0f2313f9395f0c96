//! Programs that the Omni XcalableMP compiler has translated, linked with our library and with its own runtime. Both sides
//! run what the same compiler has made of the same source.

mod rows;
mod start;

use crate::contest::{Contest, progress};
use crate::csv;
use crate::error::Error;
use crate::interleave::{self, How, Pace};
use crate::options::RunOptions;
use crate::peers::{self, Language, Program, Programs};
use crate::report::Report;
use crate::rows::{Row, choose};
use crate::samples::Samples;
use rows::{COARRAY, GLOBAL, HOSTS, START};
use std::fs;
use std::time::Duration;

/// Numbers of images when none are asked for.
const IMAGES: &[u32] = &[2, 4];

/// A program of its own for a part of the suite.
const fn part(program: &'static [Program]) -> Programs {
    Programs { coarray: program, mpi: &[], messages: &[] }
}

const EMPTY: Programs = part(&[Program {
    name: "xmp_empty",
    sources: &["examples/bench/programs/xmp_empty.c"],
    language: Language::C,
    options: &["-O2"],
}]);

const GLOBAL_VIEW: Programs = part(&[Program {
    name: "xmp_bench",
    sources: &["examples/bench/programs/xmp_bench.c", "examples/bench/programs/xmp_timing.c"],
    language: Language::C,
    options: &["-O2"],
}]);

const COARRAYS: Programs = part(&[Program {
    name: "xmp_coarray",
    sources: &["examples/bench/programs/xmp_coarray.f90"],
    language: Language::Fortran,
    options: &["-O2"],
}]);

/// The parts: a heading, the rows, the program, and the virtual hosts that ours runs on.
const PARTS: &[(&str, &[Row], &Programs, u32)] = &[
    ("An empty program", START, &EMPTY, 1),
    ("Global view (XMP/C)", GLOBAL, &GLOBAL_VIEW, 1),
    ("Coarray Fortran", COARRAY, &COARRAYS, 1),
    ("Ours on 2 virtual hosts", HOSTS, &COARRAYS, 2),
];

/// Runs the suite and writes and prints its results. False if ours is absent or failed somewhere; a missed target is a
/// result, not a failure. Without the compiler there is nothing to measure, which is said.
pub fn run(options: &RunOptions) -> Result<bool, Error> {
    let everything: Vec<Row> =
        PARTS.iter().flat_map(|(_, rows, ..)| rows.iter().copied()).collect();
    let chosen = choose(&everything, &options.rows, options.quick)?;
    if let Err(missing) = peers::omni_installation() {
        eprintln!("*** SKIPPED: {missing} ***");
        return Ok(true);
    }
    let images = options.images(IMAGES);
    let out = options.out_dir();
    fs::create_dir_all(&out).map_err(Error::write(&out))?;
    let pace = Pace {
        repetitions: options.repetitions(),
        batch_milliseconds: options.batch_milliseconds(),
        silence: Duration::from_secs(options.timeout),
    };
    let mut parts = Vec::new();
    for (heading, rows, programs, hosts) in PARTS {
        let is_chosen = |row: &&Row| chosen.iter().any(|other| other.key() == row.key());
        let rows: Vec<Row> = rows.iter().filter(is_chosen).copied().collect();
        let all = peers::with_omni(options, *hosts);
        if !rows.is_empty() {
            parts.push((heading, rows, Contest::new(all, programs, options, &out.join("build"))?));
        }
    }
    let absent = parts.first().map_or(&[][..], |(.., contest)| &contest.absent);
    let mut report = Report::new("Suite of translated programs", options, absent);
    let mut samples = Samples::default();
    for (heading, rows, contest) in &parts {
        measure(contest, rows, &images, &pace, &mut samples);
        report.heading(heading);
        for &count in &images {
            report.rows(rows, count, &samples, &contest.peers());
        }
    }
    report.troubles(&samples);
    let clean = report.finish(&out)?;
    csv::write(&samples, &out)?;
    println!("CSV: {}", out.display());
    parts.iter().take(1).for_each(|(.., contest)| contest.warn_if_ours_is_absent());
    Ok(clean)
}

/// Measures the rows of a part.
fn measure(contest: &Contest, rows: &[Row], images: &[u32], pace: &Pace, samples: &mut Samples) {
    if rows[0].group == START[0].group {
        return start::measure(contest, rows, images, pace, samples);
    }
    let legs = |&count: &u32| contest.legs(rows, count, |_| How::Bench, |_| true);
    let legs: Vec<_> = images.iter().flat_map(legs).collect();
    let bar = progress(interleave::steps(&legs, pace));
    interleave::run_all(&contest.contestants, &legs, pace, &bar, samples);
    bar.finish_and_clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_has_rows_of_its_own_program() {
        for (heading, rows, programs, hosts) in PARTS {
            assert_eq!(programs.coarray.len(), 1, "{heading}");
            assert!(*hosts == 1 || rows.iter().all(|row| row.group == "pingpong"), "{heading}");
            assert!(rows.iter().all(|row| (row.group == "start") == (rows[0].group == "start")));
        }
    }
}
