//! `./x bench`: ours against every installed peer, the same source, interleaved in one run.
//!
//! A *suite* is a set of rows with its own programs (`suites/`); the rest of the crate finds and
//! builds the peers, runs them in turn, and writes tables and CSV files.
//! `limits` is the measure of what the machine itself allows, written without our runtime.

mod compare;
mod contest;
mod error;
mod figures;
mod instructions;
mod interleave;
mod launch;
mod limits;
mod machine;
mod memory;
mod options;
mod output;
mod peers;
mod process_tree;
mod protocol;
mod report;
mod rows;
mod samples;
mod simulate;
mod stats;
mod stranger;
mod suites;
mod table;
mod targets;
mod values;

use clap::Parser;
use options::{Cli, Suite};
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let outcome = match cli.suite {
        None => suites::coarray::run(&cli.run),
        Some(Suite::Coarray(run)) => suites::coarray::run(&run),
        Some(Suite::Teams(teams)) => suites::teams::run(&teams),
        Some(Suite::Cluster(cluster)) => suites::cluster::run(&cluster),
        Some(Suite::Programs(programs)) => suites::pairs::run(&programs),
        Some(Suite::Cold(cold)) => suites::pairs::run_cold(&cold),
        Some(Suite::Xmp(run)) => suites::xmp::run(&run),
        Some(Suite::Prif(run)) => suites::prif::run(&run),
        Some(Suite::Simulate(options)) => simulate::run(&options).map(|()| true),
        Some(Suite::Compare(options)) => compare::run(&options).map(|()| true),
        Some(Suite::Figures(options)) => figures::run(&options).map(|()| true),
        Some(Suite::Limits(limits)) => limits::run(&limits).map(|()| true),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("xmp-bench: {error}");
            ExitCode::from(2)
        }
    }
}
