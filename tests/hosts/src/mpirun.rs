//! The launchers of Open MPI and MPICH.

use crate::finalize;
use crate::network::Network;
use crate::requirement::Requirement;
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Which MPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flavour {
    /// Open MPI.
    OpenMpi,
    /// MPICH.
    Mpich,
}

impl Flavour {
    /// Both.
    pub const ALL: [Flavour; 2] = [Flavour::OpenMpi, Flavour::Mpich];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Flavour::OpenMpi => "Open MPI",
            Flavour::Mpich => "MPICH",
        }
    }

    /// What Debian appends to the names of this MPI's commands, and `libxmprt_mpi_` has after it.
    pub fn suffix(self) -> &'static str {
        match self {
            Flavour::OpenMpi => "openmpi",
            Flavour::Mpich => "mpich",
        }
    }

    /// What tests with this MPI need.
    pub fn requirement(self) -> Requirement {
        match self {
            Flavour::OpenMpi => Requirement::OpenMpi,
            Flavour::Mpich => Requirement::Mpich,
        }
    }

    /// The plug-ins for this kind of MPI in a directory, in order of their names: `libxmprt_mpi_<suffix>_<soname>.so`.
    pub fn plugins_in(self, directory: &Path) -> Vec<PathBuf> {
        let start = format!("libxmprt_mpi_{}_", self.suffix());
        let is_plugin = |name: &OsStr| {
            name.to_str().is_some_and(|name| name.starts_with(&start) && name.ends_with(".so"))
        };
        let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
        let mut files: Vec<PathBuf> = entries
            .filter(|entry| is_plugin(&entry.file_name()))
            .map(|entry| entry.path())
            .collect();
        files.sort();
        files
    }
}

/// The launcher of an MPI.
#[derive(Clone, Debug)]
pub struct Mpirun {
    flavour: Flavour,
    program: PathBuf,
}

/// What is to be started.
#[derive(Clone, Debug)]
pub struct Job<'a> {
    /// Where: hosts of a network, or none for this machine.
    pub network: Option<&'a Network>,
    /// Processes, by host: one number for this machine.
    pub processes: Vec<u32>,
    /// Options of the launcher besides those that every job needs.
    pub options: Vec<OsString>,
    /// Environment of the program.
    pub environment: Vec<(OsString, OsString)>,
}

impl Mpirun {
    /// The launcher on the search path.
    pub fn find(flavour: Flavour) -> Option<Mpirun> {
        let name = format!("mpirun.{}", flavour.suffix());
        let path = env::var_os("PATH")?;
        let program = env::split_paths(&path).map(|dir| dir.join(&name)).find(|p| p.is_file())?;
        Some(Mpirun { flavour, program })
    }

    /// The file of the launcher.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Which MPI it is of.
    pub fn flavour(&self) -> Flavour {
        self.flavour
    }

    /// The component of Open MPI whose windows work between hosts over TCP and over existing memory; none with MPICH,
    /// which has no choice. Debian's Open MPI 4.1 does not take that component by itself. Open MPI 5 has another one.
    pub fn window_component(&self) -> Option<&'static str> {
        static COMPONENT: OnceLock<&'static str> = OnceLock::new();
        match self.flavour {
            Flavour::OpenMpi => Some(COMPONENT.get_or_init(|| {
                let major = major_version(&self.program);
                if major < 5 { "pt2pt" } else { "rdma" }
            })),
            Flavour::Mpich => None,
        }
    }

    /// Options for programs that make windows themselves: they choose [`Mpirun::window_component`].
    pub fn options_for_windows(&self) -> Vec<&'static str> {
        self.window_component().map_or_else(Vec::new, |component| vec!["--mca", "osc", component])
    }

    /// What programs that end MPI on several hosts need in their environment, if they do. It is compiled into
    /// `directory`, unless it is there.
    pub fn environment_for_finalize(
        &self,
        directory: &Path,
    ) -> Result<Option<(OsString, OsString)>, String> {
        match self.flavour {
            Flavour::OpenMpi => Ok(None),
            Flavour::Mpich => {
                let library = finalize::build(directory)?;
                Ok(Some(("LD_PRELOAD".into(), library.into())))
            }
        }
    }

    /// The command for a job; the program and its arguments follow.
    ///
    /// It may be run by root, and start more processes than there are cores. On a network the launcher runs on the
    /// first host and gets to the others by the network's agent.
    ///
    /// # Panics
    /// When the job has more numbers of processes than the network has hosts, or none.
    pub fn command(&self, job: &Job) -> Command {
        let mut command = match job.network {
            Some(network) => network.hosts()[0].command(&self.program),
            None => Command::new(&self.program),
        };
        let hosts = job.network.map_or(1, |network| network.hosts().len());
        assert!((1..=hosts).contains(&job.processes.len()), "{:?} on {hosts} hosts", job.processes);
        match self.flavour {
            Flavour::OpenMpi => self.open_mpi(&mut command, job),
            Flavour::Mpich => self.mpich(&mut command, job),
        }
        command.args(&job.options);
        command
    }

    fn open_mpi(&self, command: &mut Command, job: &Job) {
        // It refuses to start for root unless told twice.
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        command.args(["--oversubscribe", "--bind-to", "none"]);
        if job.network.is_none() {
            // Open MPI 5 writes a line to stderr where the interfaces of this host do not reach each other. Without TCP windows would
            // use libfabric, whose puts come late (`xmp-core/net/src/plugin/one_sided/libfabric.rs`).
            command.env("OMPI_MCA_btl", "^tcp,ofi");
        }
        if let Some(network) = job.network {
            command.args(["--mca", "plm", "rsh", "--mca", "plm_rsh_agent"]).arg(network.agent());
            for layer in ["oob_tcp_if_include", "btl_tcp_if_include"] {
                command.args(["--mca", layer, network.interface()]);
            }
            command.args(["--host", &hosts(network, &job.processes)]);
        }
        command.args(["-n", &job.processes.iter().sum::<u32>().to_string()]);
        for (name, value) in &job.environment {
            command.env(name, value).arg("-x").arg(name);
        }
    }

    fn mpich(&self, command: &mut Command, job: &Job) {
        if let Some(network) = job.network {
            command.args(["-launcher", "ssh", "-launcher-exec"]).arg(network.agent());
            command.args(["-iface", network.interface()]);
            command.args(["-hosts", &hosts(network, &job.processes)]);
            // Else UCX tries every device that it finds.
            command.args(["-genv", "UCX_NET_DEVICES", network.interface()]);
        }
        command.args(["-n", &job.processes.iter().sum::<u32>().to_string()]);
        for (name, value) in &job.environment {
            command.arg("-genv").arg(name).arg(value);
        }
    }
}

/// The first number in what `mpirun --version` says, e.g. 4 of "mpirun.openmpi (OpenRTE) 4.1.4".
///
/// # Panics
/// When the launcher cannot be run or names no version.
fn major_version(mpirun: &Path) -> u32 {
    let output = Command::new(mpirun).arg("--version").output();
    let output = output.unwrap_or_else(|error| panic!("cannot run {}: {error}", mpirun.display()));
    let text = String::from_utf8_lossy(&output.stdout);
    let words = text.split_whitespace();
    let mut majors = words.filter_map(|word| word.split_once('.')?.0.parse().ok());
    majors.next().unwrap_or_else(|| panic!("{} names no version: {text}", mpirun.display()))
}

/// `alpha:2,beta:3`, as both launchers read it.
fn hosts(network: &Network, processes: &[u32]) -> String {
    let pairs = network.hosts().iter().zip(processes);
    pairs.map(|(host, count)| format!("{}:{count}", host.name())).collect::<Vec<_>>().join(",")
}

impl<'a> Job<'a> {
    /// This many processes on this machine.
    pub fn here(processes: u32) -> Job<'a> {
        Job { network: None, processes: vec![processes], options: vec![], environment: vec![] }
    }

    /// These numbers of processes on the first hosts of a network.
    pub fn on(network: &'a Network, processes: &[u32]) -> Job<'a> {
        Job {
            network: Some(network),
            processes: processes.into(),
            options: vec![],
            environment: vec![],
        }
    }

    /// An option of the launcher.
    pub fn option(mut self, option: impl AsRef<OsStr>) -> Job<'a> {
        self.options.push(option.as_ref().into());
        self
    }

    /// An environment variable of the program.
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Job<'a> {
        self.environment.push((name.as_ref().into(), value.as_ref().into()));
        self
    }
}
