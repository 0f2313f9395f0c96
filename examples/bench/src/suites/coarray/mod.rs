//! Coarray Fortran on one host: ours, OpenCoarrays on two MPIs, GCC's caf_shmem, raw MPI, the limit.

mod extras;
mod rows;

use crate::csv;
use crate::error::Error;
use crate::interleave::{self, Contestant, Leg, Pace};
use crate::options::RunOptions;
use crate::peers::{self, Absent, Kind, Peer, Program, Programs};
use crate::plots::{self, Scale};
use crate::report::Report;
use crate::rows::{Row, choose};
use crate::samples::Samples;
use crate::targets::Against;
use indicatif::{ProgressBar, ProgressStyle};
use rows::ROWS;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// The programs, compiled from the same sources with the same flags for every coarray peer.
const PROGRAMS: Programs = Programs {
    coarray: Program {
        name: "caf_bench",
        sources: &[
            "caf_timing.f90",
            "caf_latency.f90",
            "caf_bandwidth.f90",
            "caf_sync.f90",
            "caf_mutual.f90",
            "caf_collective.f90",
            "caf_bench.f90",
        ],
    },
    mpi: Program {
        name: "mpi_bench",
        sources: &[
            "mpi_timing.c",
            "mpi_onesided.c",
            "mpi_messages.c",
            "mpi_collective.c",
            "mpi_bench.c",
        ],
    },
    empty: Program { name: "caf_empty", sources: &["caf_empty.f90"] },
    counted_puts: Program { name: "caf_put8", sources: &["caf_put8.f90"] },
};

/// Rows that are plotted over their size.
const PLOTS: &[(&str, Scale, &str)] = &[
    ("put", Scale::Time, "put-time"),
    ("put", Scale::Bandwidth, "put-bandwidth"),
    ("get", Scale::Time, "get-time"),
    ("get", Scale::Bandwidth, "get-bandwidth"),
    ("co_sum", Scale::Time, "co_sum-time"),
    ("co_broadcast", Scale::Time, "co_broadcast-time"),
];

/// Runs the suite and writes and prints its results. False if ours is absent or failed somewhere;
/// a missed target is a result, not a failure.
pub fn run(options: &RunOptions) -> Result<bool, Error> {
    let rows = choose(ROWS, &options.rows, options.quick)?;
    let (found, mut absent) = choose_peers(options)?;
    let out = options.out_dir();
    fs::create_dir_all(&out).map_err(Error::write(&out))?;
    for gone in &absent {
        warn_absent(gone);
    }
    let contestants = build(found, &out.join("build"), &mut absent);
    if !contestants.iter().any(|contestant| contestant.peer.kind != Kind::Limit) {
        return Err(Error::NothingInstalled);
    }

    let pace = Pace {
        repetitions: options.repetitions(),
        batch_milliseconds: options.batch_milliseconds(),
        silence: Duration::from_secs(options.timeout),
    };
    let legs = plan(&rows, &options.images, &contestants);
    let peers: Vec<Peer> = contestants.iter().map(|c| c.peer.clone()).collect();
    let mut report = Report::new(options, &absent);
    let mut samples = Samples::default();
    let bar = progress(interleave::steps(&legs, &pace));
    interleave::run_all(&contestants, &legs, &pace, &bar, &mut samples);
    bar.finish_and_clear();

    for &images in &options.images {
        report.rows(&rows, images, &samples, &peers);
    }
    for images in limit_only_images(&rows, &options.images) {
        report.rows(&for_images(&rows, images), images, &samples, &peers);
    }
    // Parts of a selection are looked at for speed; the rest is of the whole.
    if options.rows.is_empty() {
        extras::measure(&contestants, options, &out, &mut report);
    }
    report.troubles(&samples);
    let clean = report.finish(&out)?;

    csv::write(&samples, &out)?;
    for &images in &options.images {
        for &(row, scale, file) in PLOTS {
            let path = out.join(format!("{file}-{images}-images.svg"));
            plots::draw(row, scale, images, &samples, &peers, &path)?;
        }
    }
    println!("CSV and plots: {}", out.display());
    for gone in absent.iter().filter(|gone| gone.kind == Kind::Ours) {
        warn_absent(gone);
    }
    Ok(clean)
}

/// The peers asked for, installed and absent.
fn choose_peers(options: &RunOptions) -> Result<(Vec<Peer>, Vec<Absent>), Error> {
    let all = peers::find(options);
    let id = |peer: &Result<Peer, Absent>| peer.as_ref().map_or_else(|gone| gone.id, |p| p.id);
    if let Some(item) = options.peers.iter().find(|item| !all.iter().any(|peer| id(peer) == *item))
    {
        let known = all.iter().map(id).collect::<Vec<_>>().join(", ");
        return Err(Error::UnknownPeer { item: item.clone(), known });
    }
    let (mut found, mut absent) = (Vec::new(), Vec::new());
    for peer in all {
        if !options.peers.is_empty() && !options.peers.iter().any(|item| item == id(&peer)) {
            continue;
        }
        match peer {
            Ok(peer) => found.push(peer),
            Err(gone) => absent.push(gone),
        }
    }
    Ok((found, absent))
}

/// Tells at once what will be missing; loudly if it is ours.
fn warn_absent(gone: &Absent) {
    if gone.kind == Kind::Ours {
        eprintln!("*** OURS IS NOT MEASURED: {} ***", gone.missing);
    } else {
        eprintln!("{} is not measured: {}", gone.title, gone.missing);
    }
}

/// Compiles for every peer; one that does not compile joins the absent.
fn build(found: Vec<Peer>, directory: &Path, absent: &mut Vec<Absent>) -> Vec<Contestant> {
    let bar = progress(found.len() as u64);
    let mut contestants = Vec::new();
    for peer in found {
        bar.set_message(format!("compiling for {}", peer.title));
        match peers::build(&peer, &PROGRAMS, &directory.join(peer.id)) {
            Ok(binaries) => contestants.push(Contestant { peer, binaries }),
            Err(missing) => {
                let Peer { id, title, kind, .. } = peer;
                let gone = Absent { id, title, kind, missing };
                bar.suspend(|| warn_absent(&gone));
                absent.push(gone);
            }
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    contestants
}

/// The legs: every number of images asked for with all contestants, then the numbers of images that
/// only a target against the limit speaks of, with ours and the limit.
fn plan(rows: &[Row], images: &[u32], contestants: &[Contestant]) -> Vec<Leg> {
    let mut legs = Vec::new();
    for &count in images {
        legs.extend(legs_of(rows, count, contestants, |_| true));
    }
    for count in limit_only_images(rows, images) {
        let only = |kind| matches!(kind, Kind::Ours | Kind::Limit);
        legs.extend(legs_of(&for_images(rows, count), count, contestants, only));
    }
    legs
}

fn legs_of(
    rows: &[Row],
    images: u32,
    contestants: &[Contestant],
    takes_part: impl Fn(Kind) -> bool,
) -> Vec<Leg> {
    rows.chunk_by(|a, b| a.group == b.group)
        .map(|group| {
            let rows_of = |kind: Kind| {
                let rows = group.iter().filter(|row| row.exists_in(kind) && takes_part(kind));
                rows.map(Row::key).collect()
            };
            let rows = contestants.iter().map(|contestant| rows_of(contestant.peer.kind));
            Leg { images, group: group[0].group, rows: rows.collect() }
        })
        .collect()
}

/// Numbers of images that nobody asked for and that only targets against the limit name.
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

/// The rows with a target for exactly so many images.
fn for_images(rows: &[Row], images: u32) -> Vec<Row> {
    let named = |row: &&Row| row.targets.iter().any(|target| target.images == Some(images));
    rows.iter().filter(named).copied().collect()
}

fn progress(steps: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} {msg}")
        .expect("the template is well formed");
    let bar = ProgressBar::new(steps).with_style(style);
    bar.enable_steady_tick(Duration::from_millis(500));
    bar
}
