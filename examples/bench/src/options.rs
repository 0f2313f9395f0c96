//! The command line.

use crate::machine::checkout;
use clap::{Args, Parser, Subcommand};
use std::env;
use std::path::{Path, PathBuf};

/// Measures ours against every installed peer, interleaved, and judges the targets.
#[derive(Parser)]
#[command(name = "xmp-bench", version, args_conflicts_with_subcommands = true)]
pub struct Cli {
    /// What to measure; the coarray suite when not given.
    #[command(subcommand)]
    pub suite: Option<Suite>,
    /// Options of the default suite.
    #[command(flatten)]
    pub run: RunOptions,
}

/// The suites that can be measured.
#[derive(Subcommand)]
pub enum Suite {
    /// Coarray Fortran on one host (the default).
    Coarray(RunOptions),
    /// Teams and collectives in teams: the figures of UHCAF.
    Teams(TeamsOptions),
    /// Coarray Fortran on separate hosts (network namespaces; needs root): ours under both MPIs.
    Cluster(ClusterOptions),
    /// Whole programs in two forms, with coarrays and with MPI: ours and each MPI.
    Programs(ProgramsOptions),
    /// The first 1,000 operations of each size of a fresh job: ours and each MPI.
    Cold(ColdOptions),
    /// XcalableMP programs: our translator, and what the Omni compiler makes of them with ours and with its own runtime.
    Xmp(RunOptions),
    /// Programs that say `use prif`: ours, by any compiler, and Caffeine on GASNet-EX.
    Prif(RunOptions),
    /// The same figures for large machines, by the simulator.
    Simulate(SimulateOptions),
    /// Two runs, row by row: what has changed beyond the noise.
    Compare(CompareOptions),
    /// docs/PERFORMANCE.md and its pictures, from the medians in docs/perf.
    Figures(FiguresOptions),
    /// The physical limits of this machine alone, one line a row.
    Limits(LimitsOptions),
}

/// Options of a suite.
#[derive(Args)]
pub struct RunOptions {
    /// Repetitions of every row and peer.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub reps: u32,
    /// Numbers of images, each at least 2 [default: that of the suite: 2,4, of teams 2,4,8,16, of programs and cold 2 and the
    /// number of cores, 16 at most].
    #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(u32).range(2..=4096))]
    pub images: Vec<u32>,
    /// Only these rows: names, `name:size`, or groups, separated by commas.
    #[arg(long, value_delimiter = ',')]
    pub rows: Vec<String>,
    /// Only these peers, by their short names, separated by commas (`ours`, `oc-openmpi`, ...).
    #[arg(long, value_delimiter = ',')]
    pub peers: Vec<String>,
    /// Where tables and CSV files go [default: target/bench].
    #[arg(long)]
    pub out: Option<PathBuf>,
    /// Two repetitions, short batches, fewer sizes: a look, not a measurement.
    #[arg(long)]
    pub quick: bool,
    /// Seconds without a finished row after which a run is ended and the row given up.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub timeout: u64,
    /// Minutes after which no further row is begun; everything is run once before anything is repeated.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub minutes: Option<u64>,
    /// Least duration of a timed batch in milliseconds [default: 20, with --quick 5].
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub batch: Option<u32>,
    /// The compiler that our wrapper calls; with gfortran 16 and later GCC's caf_shmem is measured, too [default:
    /// XMP_FC of the environment, or gfortran].
    #[arg(long)]
    pub fc: Option<PathBuf>,
    /// Where ours is installed [default: target/prefix].
    #[arg(long)]
    pub prefix: Option<PathBuf>,
    /// Our compiler wrapper [default: PREFIX/bin/xmpfc].
    #[arg(long)]
    pub xmpfc: Option<PathBuf>,
    /// Our launcher [default: PREFIX/bin/xmprun].
    #[arg(long)]
    pub xmprun: Option<PathBuf>,
}

/// Options of the suite of programs.
#[derive(Args)]
pub struct ProgramsOptions {
    /// Those of every suite.
    #[command(flatten)]
    pub run: RunOptions,
    /// Number of hosts that the images are spread over: network namespaces, which need root.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=4))]
    pub hosts: u32,
}

/// Options of the suite of first operations.
#[derive(Args)]
pub struct ColdOptions {
    /// Those of every suite.
    #[command(flatten)]
    pub run: RunOptions,
    /// Keep the last core busy by a stranger meanwhile.
    #[arg(long)]
    pub stranger: bool,
}

/// Options of the suite of teams.
#[derive(Args)]
pub struct TeamsOptions {
    /// Those of every suite.
    #[command(flatten)]
    pub run: RunOptions,
    /// Numbers of virtual hosts that ours is measured on, besides one; peers always run on one.
    #[arg(long, value_delimiter = ',', default_value = "2,4",
          value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub hosts: Vec<u32>,
}

/// Options of the suite of separate hosts.
#[derive(Args)]
pub struct ClusterOptions {
    /// Those of every suite.
    #[command(flatten)]
    pub run: RunOptions,
    /// Number of hosts that the images are spread over.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(2..=4))]
    pub hosts: u32,
}

impl RunOptions {
    /// The numbers of images, by default these.
    pub fn images(&self, default: &[u32]) -> Vec<u32> {
        if self.images.is_empty() { default.to_vec() } else { self.images.clone() }
    }

    /// Repetitions, after `--quick`.
    pub fn repetitions(&self) -> u32 {
        if self.quick { self.reps.min(2) } else { self.reps }
    }

    /// Least duration of a batch in milliseconds.
    pub fn batch_milliseconds(&self) -> u32 {
        self.batch.unwrap_or(if self.quick { 5 } else { 20 })
    }

    /// The directory of the results.
    pub fn out_dir(&self) -> PathBuf {
        out_dir(self.out.as_ref())
    }

    /// Our compiler wrapper.
    pub fn our_compiler(&self) -> PathBuf {
        self.xmpfc.as_deref().map_or_else(|| self.our_prefix().join("bin/xmpfc"), absolute)
    }

    /// The compiler that was asked for, by the option or by the environment: a path, or a name on the search path.
    pub fn fortran(&self) -> Option<PathBuf> {
        let asked = self.fc.clone().or_else(|| env::var_os("XMP_FC").map(PathBuf::from))?;
        Some(if asked.components().count() > 1 { absolute(&asked) } else { asked })
    }

    /// Our launcher.
    pub fn our_launcher(&self) -> PathBuf {
        self.xmprun.as_deref().map_or_else(|| self.our_prefix().join("bin/xmprun"), absolute)
    }

    /// The prefix of our installation.
    pub fn our_prefix(&self) -> PathBuf {
        self.prefix.as_deref().map_or_else(|| checkout().join("target/prefix"), absolute)
    }
}

/// The parts of the simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Simulated {
    /// Collectives and requests.
    All,
    /// The figures of UHCAF.
    Collectives,
    /// Requests to communication servers: multinode cooperation.
    Requests,
}

/// Options of the simulator.
#[derive(Args)]
pub struct SimulateOptions {
    /// Numbers of images.
    #[arg(long, value_delimiter = ',', default_value = "1024,4096",
          value_parser = clap::value_parser!(u32).range(2..=65_536))]
    pub images: Vec<u32>,
    /// Images on a host, with a core each.
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub per_host: u32,
    /// A file with lines `name,microseconds` of the program `constants` [default: those of the library].
    #[arg(long)]
    pub constants: Option<PathBuf>,
    /// What is simulated.
    #[arg(long, value_enum, default_value_t = Simulated::All)]
    pub only: Simulated,
    /// What the numbers that look random in the simulation of requests come from.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Small jobs and few points: a look.
    #[arg(long)]
    pub quick: bool,
    /// Where tables and CSV files go [default: target/bench].
    #[arg(long)]
    pub out: Option<PathBuf>,
}

impl SimulateOptions {
    /// The figures of UHCAF: 1,024 and 4,096 images, 16 on a host.
    pub fn of_uhcaf() -> Self {
        Self {
            images: vec![1024, 4096],
            per_host: 16,
            constants: None,
            only: Simulated::Collectives,
            seed: 1,
            quick: false,
            out: None,
        }
    }

    /// The directory of the results.
    pub fn out_dir(&self) -> PathBuf {
        out_dir(self.out.as_ref())
    }
}

/// The directory that was asked for, or `target/bench`.
fn out_dir(asked: Option<&PathBuf>) -> PathBuf {
    asked.map_or_else(|| checkout().join("target/bench"), |path| absolute(path))
}

/// A path that the user gave, from the root on: compilers and programs start in other directories than this program.
fn absolute(path: &Path) -> PathBuf {
    // Only an empty path has no absolute form, and no file has that name.
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Options of `compare`.
#[derive(Args)]
pub struct CompareOptions {
    /// The results before: a directory that a run has written, its summary.csv, or its values.csv.
    pub before: PathBuf,
    /// The results after, of the same forms.
    pub after: PathBuf,
    /// Only these sides, by their short names, separated by commas [default: all].
    #[arg(long, value_delimiter = ',')]
    pub peers: Vec<String>,
}

/// Options of `figures`.
#[derive(Args)]
pub struct FiguresOptions {
    /// Put the medians of this run of the coarray suite into docs/perf first.
    #[arg(long, value_name = "DIR")]
    pub operations: Option<PathBuf>,
    /// The same of a run of the programs.
    #[arg(long, value_name = "DIR")]
    pub programs: Option<PathBuf>,
}

/// Options of `limits`; the form of the benchmark programs with a number of images.
#[derive(Args)]
pub struct LimitsOptions {
    /// Processes to start.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(2..=256))]
    pub images: u32,
    /// Rows: a comma-separated list of `ROW` or `ROW:BYTES`.
    #[arg(default_value = "all")]
    pub rows: String,
    /// Least duration of a timed batch in milliseconds.
    #[arg(default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub milliseconds: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_paths_of_the_command_line_may_be_relative() {
        let here = env::current_dir().unwrap();
        let of = |arguments: &str| Cli::parse_from(arguments.split(' ')).run;
        let run = of("xmp-bench --prefix some/prefix --out results --fc ./bin/gfortran");
        assert_eq!(run.our_prefix(), here.join("some/prefix"));
        assert_eq!(run.our_compiler(), here.join("some/prefix/bin/xmpfc"));
        assert_eq!(run.our_launcher(), here.join("some/prefix/bin/xmprun"));
        assert_eq!(run.out_dir(), here.join("results"));
        assert_eq!(run.fortran(), Some(here.join("bin/gfortran")));
        let run = of("xmp-bench --xmpfc xmpfc --xmprun ../bin/xmprun --fc gfortran-14");
        assert_eq!(run.our_compiler(), here.join("xmpfc"));
        assert_eq!(run.our_launcher(), here.join("../bin/xmprun"));
        // A name alone is one of the search path.
        assert_eq!(run.fortran(), Some("gfortran-14".into()));
    }
}
