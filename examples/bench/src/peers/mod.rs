//! The contestants: what they are, and how to compile and start a program with each.

mod build;
mod caffeine;
mod find;
mod omni;
mod over_mpi;
mod sequential;

pub use build::{Binaries, Language, Program, Programs, build};
pub use caffeine::with_caffeine;
pub use find::{Absent, find, major_version, our_variants};
pub use omni::{
    behind_omni_on_hosts, behind_omni_over_mpi, omni_installation, open_mpi, translated, with_omni,
    with_omni_and_mpi, with_translators,
};
pub use over_mpi::{of_mpi, on_hosts, on_one_host, without_mpi};
pub use sequential::sequential;

use crate::machine;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use xmp_hosts::{Job, Mpirun, Network};

/// The role of a peer in the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// XMP-RT.
    Ours,
    /// XMP-RT with its images spread over several virtual hosts: shown, not judged.
    OursOnHosts,
    /// XMP-RT under its own launcher, where [`Kind::Ours`] is under that of an MPI.
    OursEmbedded,
    /// XMP-RT under the launcher of an MPI, where [`Kind::Ours`] is without one.
    OursOverMpi,
    /// XMP-RT with some of its techniques switched off: shown, not judged.
    Technique,
    /// OpenCoarrays on some MPI.
    OpenCoarrays,
    /// GCC's own shared-memory coarray library.
    CafShmem,
    /// Caffeine, another implementation of PRIF.
    Caffeine,
    /// The runtime of the Omni XcalableMP compiler.
    Omni,
    /// An MPI without coarrays; where messages are measured by themselves, its one-sided operations.
    RawMpi,
    /// An MPI without coarrays, by messages alone.
    RawMessages,
    /// The sequential program: what a plain compiler makes of the source that ours translates.
    Sequential,
    /// What the machine allows: `xmp-bench limits`.
    Limit,
}

impl Kind {
    /// Whether it is ours in some form.
    pub fn is_ours(self) -> bool {
        matches!(
            self,
            Kind::Ours
                | Kind::OursOnHosts
                | Kind::OursEmbedded
                | Kind::OursOverMpi
                | Kind::Technique
        )
    }

    /// Whether it compiles the programs that ours compiles.
    pub fn is_coarray(self) -> bool {
        !matches!(self, Self::RawMpi | Self::RawMessages | Self::Limit)
    }
}

/// A contestant that is installed.
#[derive(Clone, Debug)]
pub struct Peer {
    /// Short name, for `--peers`, files and the CSV.
    pub id: &'static str,
    /// Column head.
    pub title: &'static str,
    /// Its role in the comparison.
    pub kind: Kind,
    /// How its programs are compiled; `None` for the limits, which are this program.
    pub compiler: Option<Compiler>,
    /// The Fortran compiler of a peer whose programs are in C otherwise.
    pub fortran: Option<PathBuf>,
    /// How its programs are started.
    pub launcher: Launcher,
}

/// A compiler with what a peer's programs need besides the common flags.
#[derive(Clone, Debug)]
pub struct Compiler {
    /// The compiler or wrapper.
    pub program: PathBuf,
    /// Options before the sources.
    pub before: &'static [&'static str],
    /// Options after the sources: libraries.
    pub after: &'static [&'static str],
    /// The variable of its environment that names the compiler behind a wrapper.
    pub behind: Option<(&'static str, PathBuf)>,
}

impl Compiler {
    /// A compiler that needs nothing besides.
    pub fn plain(program: PathBuf) -> Self {
        Self { program, before: &[], after: &[], behind: None }
    }
}

/// A way to start a number of images.
#[derive(Clone, Debug)]
pub enum Launcher {
    /// Our launcher.
    Xmprun {
        /// The program.
        launcher: PathBuf,
        /// Virtual hosts.
        hosts: u32,
        /// Settings of the environment, beyond those of the caller.
        settings: Vec<(&'static str, String)>,
    },
    /// Our launcher, on hosts of their own.
    XmprunOn {
        /// The program.
        launcher: PathBuf,
        /// The hosts, all of which are used.
        network: Arc<Network>,
    },
    /// Open MPI's.
    OpenMpi(PathBuf),
    /// MPICH's.
    Mpich(PathBuf),
    /// That of an MPI, on hosts of their own or on this machine.
    Mpi {
        /// The launcher.
        mpirun: Mpirun,
        /// The hosts, all of which are used; none for this machine.
        network: Option<Arc<Network>>,
        /// Options of the launcher.
        options: Vec<OsString>,
        /// Environment of the program.
        environment: Vec<(OsString, OsString)>,
    },
    /// The program starts its images itself; the variable holds their number.
    Environment(&'static str),
    /// The program itself, which is sequential.
    Alone,
    /// This program, with its subcommand `limits`.
    Limits(PathBuf),
}

impl Launcher {
    /// Whether it can start this many images: each host needs one.
    pub fn can_start(&self, images: u32) -> bool {
        match self {
            Self::Xmprun { hosts, .. } => images >= *hosts,
            Self::Mpi { network: Some(network), .. } | Self::XmprunOn { network, .. } => {
                images as usize >= network.hosts().len()
            }
            Self::Alone => images == 1,
            _ => true,
        }
    }

    /// The image that image 1 shall talk to, where it is not the next one: the first of the second host.
    pub fn partner(&self, images: u32) -> Option<u32> {
        match self {
            Self::Mpi { network: Some(network), .. } | Self::XmprunOn { network, .. } => {
                Some(split(images, network.hosts().len())[0] + 1)
            }
            _ => None,
        }
    }

    /// The command that runs `program` with this many images; arguments of the program follow.
    ///
    /// Each peer gets its best reasonable settings: Open MPI yields when idle if (and only if) there
    /// are more images than cores. MPICH has nothing of the kind that works (its
    /// `MPIR_CVAR_POLLS_BEFORE_YIELD` changes nothing in Debian's build).
    pub fn command(&self, images: u32, program: &Path) -> Command {
        let count = images.to_string();
        match self {
            Self::Xmprun { launcher, hosts, settings } => {
                let mut command = Command::new(launcher);
                command.args(["-n", &count]);
                if *hosts > 1 {
                    command.args(["--virtual-hosts", &hosts.to_string()]);
                }
                command.envs(settings.iter().map(|(name, value)| (name, value))).arg(program);
                command
            }
            Self::XmprunOn { launcher, network } => {
                let hosts = network.hosts();
                let slots = hosts.iter().zip(split(images, hosts.len()));
                let slots = slots.map(|(host, slots)| format!("{}:{slots}", host.name()));
                let slots: Vec<String> = slots.collect();
                let mut command = hosts[0].command(launcher);
                command.env("XMP_SSH", network.agent());
                command.args(["--hosts", &slots.join(",")]).arg(program);
                command
            }
            Self::Mpich(launcher) => {
                let mut command = Command::new(launcher);
                command.args(["-n", &count]).arg(program);
                command
            }
            Self::OpenMpi(launcher) => {
                let mut command = Command::new(launcher);
                command.arg("--oversubscribe");
                if is_root() {
                    command.arg("--allow-run-as-root");
                }
                if images as usize > machine::cores() {
                    command.args(["--mca", "mpi_yield_when_idle", "1"]);
                }
                command.args(["-n", &count]).arg(program);
                command
            }
            Self::Mpi { mpirun, network, options, environment } => {
                let job = Job {
                    network: network.as_deref(),
                    processes: network
                        .as_ref()
                        .map_or_else(|| vec![images], |net| split(images, net.hosts().len())),
                    options: options.clone(),
                    environment: environment.clone(),
                };
                let mut command = mpirun.command(&job);
                command.arg(program);
                command
            }
            Self::Environment(variable) => {
                let mut command = Command::new(program);
                command.env(variable, &count);
                command
            }
            Self::Alone => Command::new(program),
            Self::Limits(this_program) => {
                let mut command = Command::new(this_program);
                command.args(["limits", "--images", &count]);
                command
            }
        }
    }
}

/// Images for each host: as equal as it goes, the first have more.
fn split(images: u32, hosts: usize) -> Vec<u32> {
    let hosts = hosts as u32;
    (0..hosts).map(|host| images / hosts + u32::from(host < images % hosts)).collect()
}

/// Open MPI refuses to start for root unless told twice that it may.
fn is_root() -> bool {
    // SAFETY: geteuid only returns a number and cannot fail.
    unsafe { libc::geteuid() == 0 }
}
