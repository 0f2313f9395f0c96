//! Coarray Fortran on separate hosts: ours without an MPI and over Open MPI and MPICH, OpenCoarrays over the same, and both
//! MPIs by themselves, one-sided and by messages. The hosts are network namespaces of this machine.

mod applications;
mod rows;

use crate::contest::{Contest, progress};
use crate::error::Error;
use crate::interleave::{self, How, Pace};
use crate::options::{ClusterOptions, RunOptions};
use crate::output::Output;
use crate::peers::{self, Kind, Language, Peer, Program, Programs};
use crate::report::Report;
use crate::rows::{Row, choose};
use crate::samples::Samples;
use crate::suites::programs::{CAF_BENCH, MPI_BENCH};
use crate::suites::teams::cg;
use crate::values;
use rows::{ONE_HOST, ROWS, WITHOUT_MPI};
use std::path::Path;
use std::sync::Arc;
use xmp_hosts::{Flavour, Network};

/// Numbers of images when none are asked for: on two hosts a core each, 2 x 2 and 2 x 4.
const IMAGES: &[u32] = &[2, 4, 8];
/// Numbers of images of the runs on one host.
const IMAGES_ON_ONE_HOST: &[u32] = &[2, 4];

const PROGRAMS: Programs = Programs {
    coarray: &[CAF_BENCH, cg::F2008, applications::HIMENO],
    mpi: &[MPI_BENCH],
    messages: &[
        Program {
            name: "mpi_twosided",
            sources: &[
                "examples/bench/programs/mpi_timing.c",
                "examples/bench/programs/mpi_twosided.c",
                "examples/bench/programs/mpi_messages.c",
                "examples/bench/programs/mpi_collective.c",
            ],
            language: Language::C,
            options: &["-O2"],
        },
        cg::MPI,
    ],
};

/// Runs the suite and writes and prints its results. False if ours is absent or failed somewhere; a missed target is
/// a result, not a failure.
pub fn run(options: &ClusterOptions) -> Result<bool, Error> {
    let (hosts, options) = (options.hosts, &options.run);
    let rows = choose(ROWS, &options.rows, options.quick)?;
    let images = options.images(IMAGES);
    let output = Output::new(options.out_dir())?;
    let build = output.directory().join("build");
    let network = Arc::new(Network::new(hosts as usize).map_err(Error::NoHosts)?);
    let mut all = vec![peers::without_mpi(options, &network)];
    all.extend(peers::on_hosts(options, &network, &build));
    let contest = Contest::new(all, &PROGRAMS, options, &build)?;

    let pace = Pace::of(options);
    let legs = |&count: &u32| contest.legs(&rows, count, how, |_| true);
    let legs: Vec<_> = images.iter().flat_map(legs).collect();
    let peers = contest.peers();
    let mut report = Report::new("Suite of separate hosts", options, &contest.absent);
    let mut samples = Samples::default();
    let bar = progress(interleave::steps(&legs, &pace));
    interleave::run_all(&contest.contestants, &legs, &pace, &bar, &mut samples);
    bar.finish_and_clear();

    let congestion = congestion_control(&network);
    for flavour in Flavour::ALL {
        let name = flavour.name();
        let peers: Vec<Peer> =
            peers.iter().filter(|peer| peers::of_mpi(peer, flavour)).cloned().collect();
        report.heading(&format!("{hosts} hosts, {name}, TCP with {congestion}"));
        for &count in &images {
            report.rows(&rows, count, &samples, &peers);
        }
    }
    report.heading(&format!("{hosts} hosts, without an MPI and with"));
    let rows: Vec<Row> = rows.iter().map(|row| row.targets(WITHOUT_MPI)).collect();
    let sides: Vec<Peer> =
        peers.iter().filter(|peer| peer.kind == Kind::Ours).map(beside).collect();
    for &count in &images {
        report.rows(&rows, count, &samples, &sides);
    }
    // Parts of a selection are looked at for speed; the rest is of the whole.
    if options.rows.is_empty() && options.peers.is_empty() {
        one_host(options, &pace, &build, &mut samples, &mut report)?;
    }
    let summary = report.finish(&samples, &output)?;
    values::write(&samples, &output)?;
    println!("All tables: {}", output.directory().display());
    contest.warn_if_ours_is_absent();
    println!("{}", summary.ahead);
    Ok(summary.clean)
}

/// How the hosts control congestion, which decides how long long messages take. It need not be as in the namespace of this
/// process: the kernel gives a new one what the first of the machine has.
fn congestion_control(network: &Network) -> String {
    let mut command = network.hosts()[0].command("cat");
    let output = command.arg("/proc/sys/net/ipv4/tcp_congestion_control").output();
    match output {
        Ok(output) if output.status.success() => {
            String::from_utf8_lossy(&output.stdout).trim().to_owned()
        }
        _ => "unknown congestion control".to_owned(),
    }
}

/// A side of ours as one that is without an MPI is compared with.
fn beside(peer: &Peer) -> Peer {
    let is_over_mpi = Flavour::ALL.into_iter().any(|flavour| peers::of_mpi(peer, flavour));
    let kind = if is_over_mpi { Kind::OursOverMpi } else { Kind::Ours };
    Peer { kind, ..peer.clone() }
}

/// What it costs on one host that MPI is loaded and could serve.
fn one_host(
    options: &RunOptions,
    pace: &Pace,
    build: &Path,
    samples: &mut Samples,
    report: &mut Report,
) -> Result<(), Error> {
    let contest = Contest::new(peers::on_one_host(options), &PROGRAMS, options, build)?;
    let rows = choose(ONE_HOST, &[], options.quick)?;
    let legs = |&count: &u32| contest.legs(&rows, count, how, |_| true);
    let legs: Vec<_> = IMAGES_ON_ONE_HOST.iter().flat_map(legs).collect();
    let bar = progress(interleave::steps(&legs, pace));
    interleave::run_all(&contest.contestants, &legs, pace, &bar, samples);
    bar.finish_and_clear();
    for flavour in Flavour::ALL {
        let name = flavour.name();
        let shown = |peer: &Peer| peer.kind == Kind::OursEmbedded || peers::of_mpi(peer, flavour);
        let peers: Vec<Peer> = contest.peers().into_iter().filter(shown).collect();
        report.heading(&format!("One host, with {name} loaded and without"));
        for &count in IMAGES_ON_ONE_HOST {
            report.rows(&rows, count, samples, &peers);
        }
    }
    Ok(())
}

/// Applications are programs of their own.
fn how(group: &str) -> How {
    match group {
        cg::GROUP => How::Programs(cg::program),
        applications::GROUP => How::Programs(applications::program),
        _ => How::Bench,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use xmp_hosts::Requirement;

    #[test]
    fn the_control_of_congestion_is_that_of_the_hosts() {
        if let Err(reason) = Network::possible(2) {
            return xmp_hosts::skipped(Requirement::Network, reason);
        }
        let network = Network::new(2).unwrap();
        let known =
            fs::read_to_string("/proc/sys/net/ipv4/tcp_allowed_congestion_control").unwrap();
        for name in known.split_whitespace() {
            let line = format!("echo {name} > /proc/sys/net/ipv4/tcp_congestion_control");
            let mut shell = network.hosts()[0].command("sh");
            assert!(shell.args(["-c", &line]).status().unwrap().success(), "{name}");
            assert_eq!(congestion_control(&network), name);
        }
    }
}
