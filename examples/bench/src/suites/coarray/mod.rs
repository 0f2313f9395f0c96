//! Coarray Fortran on one host: ours, OpenCoarrays on two MPIs, GCC's caf_shmem, raw MPI, the limit.

mod extras;
mod rows;

use crate::contest::{Contest, progress};
use crate::error::Error;
use crate::interleave::{self, How, Leg, Pace};
use crate::options::RunOptions;
use crate::output::Output;
use crate::peers::{self, Kind, Language, Program, Programs};
use crate::report::Report;
use crate::rows::{Row, choose};
use crate::samples::Samples;
use crate::suites::programs::{CAF_BENCH, MPI_BENCH};
use crate::targets::Against;
use crate::values;
use rows::ROWS;

/// Numbers of images when none are asked for.
const IMAGES: &[u32] = &[2, 4];

/// The programs, compiled from the same sources with the same flags for every coarray peer.
const PROGRAMS: Programs = Programs {
    coarray: &[
        CAF_BENCH,
        Program {
            name: "caf_empty",
            sources: &["examples/bench/programs/caf_empty.f90"],
            language: Language::Fortran,
            options: &["-O2"],
        },
        Program {
            name: "caf_word",
            sources: &["examples/bench/programs/caf_word.f90"],
            language: Language::Fortran,
            options: &["-O2"],
        },
    ],
    mpi: &[MPI_BENCH],
    messages: &[],
};

/// Runs the suite and writes and prints its results. False if ours is absent or failed somewhere;
/// a missed target is a result, not a failure.
pub fn run(options: &RunOptions) -> Result<bool, Error> {
    let rows = choose(ROWS, &options.rows, options.quick)?;
    let images = options.images(IMAGES);
    let output = Output::new(options.out_dir())?;
    let build = output.directory().join("build");
    let contest = Contest::new(peers::find(options), &PROGRAMS, options, &build)?;

    let pace = Pace::of(options);
    let legs = plan(&rows, &images, &contest);
    let peers = contest.peers();
    let mut report = Report::new("Coarray suite", options, &contest.absent);
    let mut samples = Samples::default();
    let bar = progress(interleave::steps(&legs, &pace));
    interleave::run_all(&contest.contestants, &legs, &pace, &bar, &mut samples);
    bar.finish_and_clear();

    report.heading("Times");
    for &images in &images {
        report.rows(&rows, images, &samples, &peers);
    }
    for images in limit_only_images(&rows, &images) {
        report.rows(&for_images(&rows, images), images, &samples, &peers);
    }
    // Parts of a selection are looked at for speed; the rest is of the whole.
    if options.rows.is_empty() {
        extras::measure(&contest.contestants, &images, options, output.directory(), &mut report);
    }
    let summary = report.finish(&samples, &output)?;

    values::write(&samples, &output)?;
    println!("All tables: {}", output.directory().display());
    contest.warn_if_ours_is_absent();
    println!("{}", summary.ahead);
    Ok(summary.clean)
}

/// The legs: every number of images asked for with all contestants, then the numbers of images that
/// only a target against the limit speaks of, with ours and the limit.
fn plan(rows: &[Row], images: &[u32], contest: &Contest) -> Vec<Leg> {
    let bench = |_: &str| How::Bench;
    let mut legs = Vec::new();
    for &count in images {
        legs.extend(contest.legs(rows, count, bench, |_| true));
    }
    for count in limit_only_images(rows, images) {
        let only = |kind| matches!(kind, Kind::Ours | Kind::Limit);
        legs.extend(contest.legs(&for_images(rows, count), count, bench, only));
    }
    legs
}

/// Numbers of images that only targets against the limit name, and the command line does not.
fn limit_only_images(rows: &[Row], images: &[u32]) -> Vec<u32> {
    let targets = || rows.iter().flat_map(|row| row.targets);
    let only_limit = |count: &u32| {
        let mut named = targets().filter(|target| target.images == Some(*count));
        named.all(|target| target.against == Against::Limit)
    };
    let mut counts: Vec<u32> = targets()
        .filter_map(|target| target.images)
        .filter(|count| !images.contains(count))
        .filter(only_limit)
        .collect();
    counts.sort_unstable();
    counts.dedup();
    counts
}

/// The rows with a target for exactly this many images.
fn for_images(rows: &[Row], images: u32) -> Vec<Row> {
    let named = |row: &&Row| row.targets.iter().any(|target| target.images == Some(images));
    rows.iter().filter(named).copied().collect()
}
