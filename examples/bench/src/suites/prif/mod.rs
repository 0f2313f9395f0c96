//! Programs that say `use prif`: our library, by any compiler, and Caffeine on GASNet-EX, where that is installed.

mod rows;

use crate::contest::{Contest, progress};
use crate::error::Error;
use crate::interleave::{self, How, Pace};
use crate::options::RunOptions;
use crate::output::Output;
use crate::peers::{self, Language, Program, Programs};
use crate::report::Report;
use crate::rows::{Row, choose};
use crate::samples::Samples;
use crate::suites::start;
use crate::values;
use rows::{EMPTY, PROCEDURES};

/// Numbers of images when none are asked for.
const IMAGES: &[u32] = &[2];

/// A program of its own for a part of the suite.
const fn part(program: &'static [Program]) -> Programs {
    Programs { coarray: program, mpi: &[], messages: &[] }
}

const PRIF_EMPTY: Programs = part(&[Program {
    name: "prif_empty",
    sources: &["examples/bench/programs/prif_empty.f90"],
    language: Language::Fortran,
    options: &["-O2"],
}]);

const PRIF_BENCH: Programs = part(&[Program {
    name: "prif_bench",
    sources: &[
        "examples/bench/programs/row_timing.f90",
        "examples/bench/programs/prif_timing.f90",
        "examples/bench/programs/prif_bench.f90",
    ],
    language: Language::Fortran,
    options: &["-O2"],
}]);

/// Runs the suite and writes and prints its results. False if ours is absent or failed somewhere; a missed target is a
/// result, not a failure.
pub fn run(options: &RunOptions) -> Result<bool, Error> {
    let everything: Vec<Row> = EMPTY.iter().chain(PROCEDURES).copied().collect();
    let chosen = choose(&everything, &options.rows, options.quick)?;
    let (empty, procedures): (Vec<Row>, Vec<Row>) =
        chosen.into_iter().partition(|row| row.group == EMPTY[0].group);
    let images = options.images(IMAGES);
    let output = Output::new(options.out_dir())?;
    let build = output.directory().join("build");
    let pace = Pace::of(options);
    let contest = |programs| Contest::new(peers::with_caffeine(options), programs, options, &build);
    let (of_empty, of_procedures) = (contest(&PRIF_EMPTY)?, contest(&PRIF_BENCH)?);
    let mut samples = Samples::default();
    if !empty.is_empty() {
        start::measure(&of_empty, &empty, &images, &pace, &mut samples);
    }
    let legs = |&count: &u32| of_procedures.legs(&procedures, count, |_| How::Bench, |_| true);
    let legs: Vec<_> = images.iter().flat_map(legs).collect();
    let bar = progress(interleave::steps(&legs, &pace));
    interleave::run_all(&of_procedures.contestants, &legs, &pace, &bar, &mut samples);
    bar.finish_and_clear();

    let mut report = Report::new("Suite of PRIF", options, &of_procedures.absent);
    for (heading, rows, contest) in
        [("An empty program", &empty, &of_empty), ("Procedures", &procedures, &of_procedures)]
    {
        if !rows.is_empty() {
            report.heading(heading);
            for &count in &images {
                report.rows(rows, count, &samples, &contest.peers());
            }
        }
    }
    let summary = report.finish(&samples, &output)?;
    values::write(&samples, &output)?;
    println!("All tables: {}", output.directory().display());
    of_procedures.warn_if_ours_is_absent();
    println!("{}", summary.ahead);
    Ok(summary.clean)
}
