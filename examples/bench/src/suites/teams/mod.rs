//! Teams, and collectives in teams: the figures 4 to 8 of Ge, Eachempati, Khaldi, Chapman: An Evaluation of
//! Anticipated Extensions for Fortran Coarrays, PGAS 2015 (UHCAF), on this machine.

pub mod cg;
mod rows;
mod variants;

use crate::contest::{Contest, progress};
use crate::error::Error;
use crate::interleave::{self, How, Pace, Patience};
use crate::options::{RunOptions, SimulateOptions, TeamsOptions};
use crate::output::Output;
use crate::peers::{self, Absent, Kind, Language, Peer, Program, Programs};
use crate::report::Report;
use crate::rows::{Row, choose};
use crate::samples::Samples;
use crate::simulate::{self, validation};
use crate::values;
use rows::ROWS;
use std::time::Duration;
use xmp_simulate::Costs;

/// Numbers of images when none are asked for.
const IMAGES: &[u32] = &[2, 4, 8, 16];

const PROGRAMS: Programs = Programs {
    coarray: &[
        Program {
            name: "caf_teams",
            sources: &[
                "examples/bench/programs/row_timing.f90",
                "examples/bench/programs/caf_timing.f90",
                "examples/bench/programs/caf_team_sync.f90",
                "examples/bench/programs/caf_team_collective.f90",
                "examples/bench/programs/caf_teams.f90",
            ],
            language: Language::Fortran,
            options: &["-O2"],
        },
        cg::F2008,
        cg::TEAMS,
    ],
    mpi: &[
        Program {
            name: "mpi_teams",
            sources: &[
                "examples/bench/programs/mpi_timing.c",
                "examples/bench/programs/mpi_teams.c",
            ],
            language: Language::C,
            options: &["-O2"],
        },
        cg::MPI,
    ],
    messages: &[],
};

/// The tables of the report: a heading, the groups of its rows, and whether the ladder of techniques is shown.
const TABLES: &[(&str, &[&str], bool)] = &[
    ("Figures 4 and 5: synchronisation", &["sync2", "sync4", "sync8", "sync16"], false),
    ("Cost of a team", &["form", "change"], false),
    ("Figure 6: techniques between hosts", &["collective"], true),
    ("Figure 7: collectives in a team", &["collective", "broadcast"], false),
    ("Figure 8: CG", &[cg::GROUP], false),
];

/// Runs the suite and writes and prints its results. False if ours is absent or failed somewhere; a missed
/// target is a result, not a failure.
pub fn run(options: &TeamsOptions) -> Result<bool, Error> {
    let (hosts, options) = (&options.hosts, &options.run);
    let rows = choose(ROWS, &options.rows, options.quick)?;
    let images = options.images(IMAGES);
    let output = Output::new(options.out_dir())?;
    let build = output.directory().join("build");
    let mut all = peers::find(options);
    variants::add(&mut all, hosts);
    all.push(Err(gasnet()));
    let contest = Contest::new(all, &PROGRAMS, options, &build)?;

    let pace = Pace { patience: Some(patience(options)), ..Pace::of(options) };
    let how =
        |group: &str| if group == cg::GROUP { How::Programs(cg::program) } else { How::Bench };
    let legs = |&count: &u32| contest.legs(&rows, count, how, |_| true);
    let legs: Vec<_> = images.iter().flat_map(legs).collect();
    let peers = contest.peers();
    let mut report = Report::new("Suite of teams", options, &contest.absent);
    let mut samples = Samples::default();
    let bar = progress(interleave::steps(&legs, &pace));
    interleave::run_all(&contest.contestants, &legs, &pace, &bar, &mut samples);
    bar.finish_and_clear();

    tabulate(&mut report, &rows, &images, &samples, &peers);
    let costs = validate(&mut report, &contest, &pace, &images, hosts, &samples);
    let summary = report.finish(&samples, &output)?;
    values::write(&samples, &output)?;
    // Parts of a selection are looked at for speed.
    if !options.quick && options.rows.is_empty() {
        simulate::collectives(&costs, &SimulateOptions::of_uhcaf(), &output)?;
    }
    println!("All tables: {}", output.directory().display());
    contest.warn_if_ours_is_absent();
    println!("{}", summary.ahead);
    Ok(summary.clean)
}

/// Peers that are far behind take most of the time, if they are let: MPICH needs 8 ms a call where images share cores.
fn patience(options: &RunOptions) -> Patience {
    let silence = if options.quick { options.timeout.min(5) } else { options.timeout };
    Patience { silence: Duration::from_secs(silence), least: Duration::from_secs(3), times: 20 }
}

fn tabulate(report: &mut Report, rows: &[Row], images: &[u32], samples: &Samples, peers: &[Peer]) {
    for &(heading, groups, techniques) in TABLES {
        let of_table = |row: &&Row| groups.contains(&row.group);
        let mut rows: Vec<Row> = rows.iter().filter(of_table).copied().collect();
        // Each target is judged once, in the table of all peers.
        if techniques {
            rows.iter_mut().for_each(|row| row.targets = &[]);
        }
        let shown = |peer: &&Peer| (peer.kind == Kind::Technique) == techniques;
        let shown: Vec<Peer> = peers.iter().filter(shown).cloned().collect();
        let measured = |row: &Row| {
            let tried = |count, peer: &Peer| samples.get(count, &row.key(), peer.id).is_some();
            images.iter().any(|&count| shown.iter().any(|peer| tried(count, peer)))
        };
        if !rows.iter().any(measured) {
            continue;
        }
        report.heading(heading);
        for &count in images {
            let rows: Vec<Row> = rows.iter().filter(|row| row.fits(count)).copied().collect();
            report.rows(&rows, count, samples, &shown);
        }
    }
}

/// Measures the simulator's constants, where ours is there, and adds what it says of the rows measured.
fn validate(
    report: &mut Report,
    contest: &Contest,
    pace: &Pace,
    images: &[u32],
    hosts: &[u32],
    samples: &Samples,
) -> Costs {
    let ours = contest.contestants.iter().find(|c| c.peer.kind == Kind::Ours);
    let Some(ours) = ours.filter(|_| validation::is_possible(samples)) else {
        return Costs::default();
    };
    let costs = simulate::measured(&ours.peer, pace.silence).unwrap_or_else(|reason| {
        report.note(&format!("The simulator has default constants: {reason}"));
        Costs::default()
    });
    let on_hosts = |&hosts: &u32| {
        let id = variants::on_hosts(hosts);
        let peer = contest.contestants.iter().find(|c| c.peer.id == id)?;
        Some((hosts, peer.peer.id))
    };
    let peers: Vec<_> =
        std::iter::once((1, ours.peer.id)).chain(hosts.iter().filter_map(on_hosts)).collect();
    if let Some(text) = validation::report(samples, &costs, images, &peers) {
        report.heading("The simulator on this machine");
        report.text(&text);
    }
    costs
}

/// The one peer of the literature that cannot be had as a package.
fn gasnet() -> Absent {
    Absent {
        id: "gasnet",
        title: "GASNet-EX",
        kind: Kind::RawMpi,
        missing: "Debian has no package of it, and no program for it is written here".to_owned(),
    }
}
