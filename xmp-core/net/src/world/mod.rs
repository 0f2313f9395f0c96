//! The processes that a launcher has started together: an MPI joins them, or the launcher's process manager does. Read `README.md`
//! of `manager` first.

mod home;
mod meeting;
mod star;

pub use crate::manager::Protocol;
pub use meeting::Meeting;

use crate::error::{Error, Result};
use crate::manager;
use crate::plugin::detect::{self, MpiRequirement};
use crate::plugin::{self, Candidates, Launcher, Plugin, Scope, has_no_manager};
use crate::rank::Rank;
use crate::server::{Fabric, Peers};
use crate::settings::{Limits, Settings, TransportChoice};
use crate::sockets::{self, Secret};
use std::cell::LazyCell;
use std::sync::Arc;
use std::time::Duration;

/// The time that processes wait for one another at least: hosts may be busy, or the program may come from a slow disk.
const PATIENCE: Duration = Duration::from_secs(60);

/// The connection of the processes of a job. Clones share the state.
#[derive(Clone, Debug)]
pub enum World {
    /// MPI.
    Mpi(Plugin),
    /// The process manager, and connections of their own.
    Manager(Arc<Meeting>),
}

/// Joins the processes that this one was started with; `None` if it was started alone, or is to be. Collective over the job. Call
/// it once, from the main thread, before there are others.
///
/// # Errors
/// When MPI or the process manager refuses, or the settings contradict it. [`Error::JobEnding`] when a process has
/// reported the reason.
pub fn join(settings: &Settings) -> Result<Option<World>> {
    let Some(wanted) = detect::wanted(settings)? else { return Ok(None) };
    // To look for plug-ins and their MPIs takes long, and images that need none are many.
    let candidates = LazyCell::new(|| Candidates::new(settings));
    let serve = || candidates.serve(&wanted);
    let Some((protocol, why)) = way_without_mpi(&wanted, serve, settings)? else {
        return Ok(plugin::connect_by(&candidates, settings)?.map(World::Mpi));
    };
    let patience = settings.host_timeout.max(PATIENCE);
    let check = |processes| detect::check_images(settings, processes);
    let meeting = Meeting::join(protocol, patience, settings.net_interface.as_deref(), check)?;
    if meeting.rank() == Rank::new(0) {
        let launcher = wanted.launcher.map_or("a launcher", |launcher| launcher.name);
        let protocol = protocol.name();
        tracing::info!(
            "{launcher}: images meet by its process manager ({protocol}), and messages between hosts go by sockets, without MPI: \
             {why}"
        );
    }
    Ok(Some(World::Manager(Arc::new(meeting))))
}

/// The way in which the processes meet without MPI, and why it is taken; `None` if MPI joins them. `serve`: whether a plug-in does.
fn way_without_mpi(
    wanted: &MpiRequirement,
    serve: impl FnOnce() -> bool,
    settings: &Settings,
) -> Result<Option<(Protocol, &'static str)>> {
    let is_ours = wanted.launcher.is_some_and(|launcher| launcher.name == Launcher::XMPRUN);
    match (manager::protocol(), wanted.without_mpi) {
        (Some(protocol), true) if is_ours => Ok(Some((protocol, "xmprun starts no MPI"))),
        (Some(protocol), true) => Ok(Some((protocol, "XMP_TRANSPORT=sockets"))),
        (None, true) => Err(Error::Invalid(format!(
            "setting XMP_TRANSPORT: sockets is asked for, but {} has started no process manager that processes can meet by (PMI-1 or \
             PMIx). Start with mpiexec.hydra of MPICH or of Intel MPI, with mpirun of Open MPI, with flux run, or with srun and \
             --mpi=pmi2 or --mpi=pmix",
            wanted.launcher.map_or("the launcher", |launcher| launcher.name)
        ))),
        (None, false)
            if settings.transport == TransportChoice::Auto
                && wanted.launcher.is_some_and(|its| has_no_manager(&its, |name| std::env::var(name).ok())) =>
        {
            Err(Error::Invalid(
                "srun has started several processes, and given them no process manager by which they find one another: add \
                 --mpi=pmix for Open MPI, --mpi=pmi2 for MPICH or for no MPI at all (srun --mpi=list shows what there is), or \
                 start the program with xmprun"
                    .into(),
            ))
        }
        (Some(protocol), false)
            if settings.transport == TransportChoice::Auto && !serve() =>
        {
            Ok(Some((protocol, "there is no plug-in for an MPI of this launcher that finds its library")))
        }
        _ => Ok(None),
    }
}

impl World {
    /// MPI, if it joins them.
    pub fn plugin(&self) -> Option<&Plugin> {
        match self {
            World::Mpi(plugin) => Some(plugin),
            World::Manager(_) => None,
        }
    }

    /// Whether the launcher ends all processes when one of them ends early, or asks for that.
    pub fn is_ended_by_launcher(&self) -> bool {
        matches!(self, World::Mpi(_))
    }

    /// Checks that the launcher and the settings agree.
    ///
    /// # Errors
    /// When they do not.
    pub fn check(&self, settings: &Settings) -> Result<()> {
        match self {
            World::Mpi(plugin) => plugin.check(settings),
            // It was checked when they met.
            World::Manager(_) => Ok(()),
        }
    }

    /// The image that this process is.
    pub fn rank(&self) -> Rank {
        match self {
            World::Mpi(plugin) => plugin.rank(),
            World::Manager(meeting) => meeting.rank(),
        }
    }

    /// Whether this image is the first of its machine.
    pub fn leads(&self) -> bool {
        match self {
            World::Mpi(plugin) => plugin.leads(),
            World::Manager(meeting) => meeting.leaders()[meeting.rank().index()] == meeting.rank(),
        }
    }

    /// Number of machines.
    pub fn hosts(&self) -> u32 {
        match self {
            World::Mpi(plugin) => plugin.hosts(),
            World::Manager(meeting) => hosts_before(meeting, meeting.leaders().len()),
        }
    }

    /// Number of this machine, from 0, in order of their leaders.
    pub fn host(&self) -> u32 {
        match self {
            World::Mpi(plugin) => plugin.host(),
            World::Manager(meeting) => {
                hosts_before(meeting, meeting.leaders()[meeting.rank().index()].index())
            }
        }
    }

    /// The name of this machine.
    pub fn host_name(&self) -> String {
        match self {
            World::Mpi(plugin) => plugin.host_name(),
            World::Manager(_) => meeting::host_name(),
        }
    }

    /// The leader of each image's machine, by rank. Collective over the job.
    ///
    /// # Errors
    /// When MPI fails.
    pub fn leaders(&self) -> Result<Vec<Rank>> {
        match self {
            World::Mpi(plugin) => plugin.leaders(),
            World::Manager(meeting) => Ok(meeting.leaders().into()),
        }
    }

    /// The bytes of all images, in order of rank. All pass equally many. Collective over the job, before [`World::settle`].
    ///
    /// # Errors
    /// When MPI or a connection fails.
    pub fn allgather(&self, mine: &[u8]) -> Result<Vec<u8>> {
        match self {
            World::Mpi(plugin) => plugin.allgather(Scope::ALL, mine),
            World::Manager(meeting) => meeting.allgather(mine),
        }
    }

    /// The bytes of all images of this machine, in order of rank. Otherwise as [`World::allgather`].
    ///
    /// # Errors
    /// When MPI or a connection fails.
    pub fn allgather_local(&self, mine: &[u8]) -> Result<Vec<u8>> {
        match self {
            World::Mpi(plugin) => plugin.allgather(Scope::HOST, mine),
            World::Manager(meeting) => {
                let all = meeting.allgather(mine)?;
                let leaders = meeting.leaders();
                let mine_leads = leaders[meeting.rank().index()];
                let each = all.chunks_exact(mine.len().max(1)).zip(leaders);
                Ok(each
                    .filter(|&(_, &its)| its == mine_leads)
                    .flat_map(|(one, _)| one)
                    .copied()
                    .collect())
            }
        }
    }

    /// The bytes of the leaders of all machines. Collective over these, after [`World::settle`].
    ///
    /// # Errors
    /// When MPI or a connection fails.
    pub fn allgather_leaders(&self, mine: &[u8]) -> Result<Vec<u8>> {
        match self {
            World::Mpi(plugin) => plugin.allgather(Scope::LEADERS, mine),
            World::Manager(meeting) => meeting.allgather(mine),
        }
    }

    /// The secret of the host with this number, by which processes of the job know each other, if all can compute it.
    pub fn secret_of_host(&self, host: u32) -> Option<Secret> {
        match self {
            World::Mpi(_) => None,
            World::Manager(meeting) => Some(meeting.secret_of_host(host)),
        }
    }

    /// Distributes the bytes of the image `root` to all. Collective over the job, before [`World::settle`].
    ///
    /// # Errors
    /// When MPI or a connection fails.
    pub fn broadcast(&self, root: Rank, bytes: &mut [u8]) -> Result<()> {
        match self {
            World::Mpi(plugin) => plugin.broadcast(Scope::ALL, root.get(), bytes),
            World::Manager(meeting) => {
                let all = meeting.allgather(bytes)?;
                bytes.copy_from_slice(&all[root.index() * bytes.len()..][..bytes.len()]);
                Ok(())
            }
        }
    }

    /// The exchange of all images is over: from now on only leaders exchange.
    pub fn settle(&self) {
        if let World::Manager(meeting) = self {
            meeting.settle();
        }
    }

    /// Ends this process with this status, and all others of the job if MPI joins them.
    pub fn abort(&self, status: i32) -> ! {
        match self {
            World::Mpi(plugin) => plugin.abort(status),
            World::Manager(meeting) => meeting.abort(status),
        }
    }

    /// Leaves the world: collective over the job.
    ///
    /// # Errors
    /// When MPI fails.
    pub fn finish(&self) -> Result<()> {
        match self {
            World::Mpi(plugin) => plugin.finish(),
            World::Manager(meeting) => {
                meeting.finish();
                Ok(())
            }
        }
    }
}

impl Meeting {
    /// The fabric between the hosts of these images: sockets carry all messages. Where a connection cannot be made, all images get the
    /// same text, which says why. Collective over the job. Connections end when a host has not answered for `timeout`.
    ///
    /// # Errors
    /// When the exchange fails.
    pub fn fabric(
        &self,
        peers: &Peers,
        limits: &Limits,
        (timeout, interfaces): (Duration, Option<&str>),
    ) -> Result<std::result::Result<Box<dyn Fabric>, String>> {
        sockets::alone(self, peers, limits, (timeout, interfaces))
    }
}

/// The number of leaders among the first processes.
fn hosts_before(meeting: &Meeting, processes: usize) -> u32 {
    let each = meeting.leaders().iter().zip(0..).take(processes);
    each.filter(|&(&leader, rank)| leader == Rank::new(rank)).count() as u32
}
