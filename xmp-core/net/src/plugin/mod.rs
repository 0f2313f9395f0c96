//! MPI as a plug-in: the library never links it. Read `README.md` beside this file first.
//!
//! | subject | module |
//! |---|---|
//! | the MPI that a process was started for | [`detect`], and [`linked`] for the MPI of the program itself |
//! | launchers and their variables; processes that an image has started | `launchers`, [`ancestry`] |
//! | the installed plug-ins, the choice among them, and loading | `find`, `choose`, `load` |
//! | a safe form of the plug-in's table | [`Plugin`], `table` |
//! | messages for the communication server | `fabric` |
//! | whether one-sided operations pay | `one_sided` |

pub mod ancestry;
pub mod detect;
pub mod linked;

mod choose;
mod fabric;
mod find;
mod flavour;
mod floating_point;
mod launchers;
mod load;
mod one_sided;
mod output;
mod table;

pub use fabric::MpiFabric;
pub use find::Installed;
pub use flavour::Flavour;
pub(crate) use launchers::has_no_manager;
pub use launchers::{Launcher, XMPRUN};
pub use one_sided::OneSidedAccess;
pub(crate) use output::wait_until_read;
pub use xmp_plugin::{Communicator, Scope, Threads};

use crate::error::{Error, Result};
use crate::failure::departure;
use crate::rank::Rank;
use crate::server::Op;
use crate::settings::Settings;
use choose::{Choice, Surroundings};
use detect::MpiRequirement;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use table::Serialised;
use xmp_plugin::StartResult;

/// A process under MPI. Clones share the state; all threads may use them, for calls are made one at a time.
#[derive(Clone, Debug)]
pub struct Plugin {
    table: Arc<Serialised>,
    flavour: Flavour,
    started: StartResult,
    /// Whether the program had an MPI before the plug-in loaded one.
    program_has_mpi: bool,
}

/// Times that a thread that waits for MPI yields its core before it sleeps: `wait/README.md`.
const YIELDS: u32 = 16;
/// Longest sleep between two looks.
const NAP: Duration = Duration::from_micros(50);

/// Joins the MPI job that this process was started in; `None` if it was not (or XMP_TRANSPORT forbids it). Collective
/// over the job. Call it once, from the main thread.
///
/// # Errors
/// When the plug-in is missing, or not one for the MPI of the launcher. MPI is not initialised then.
pub fn connect(settings: &Settings) -> Result<Option<Plugin>> {
    connect_by(&Candidates::new(settings), settings)
}

/// As [`connect`], by one of these plug-ins.
pub(crate) fn connect_by(candidates: &Candidates, settings: &Settings) -> Result<Option<Plugin>> {
    let Some(wanted) = detect::wanted(settings)? else { return Ok(None) };
    ancestry::mark_image();
    let _saved = floating_point::SavedEnvironment::new();
    let Candidates { installed, directories, surroundings } = candidates;
    let program_has_mpi = surroundings.linked.is_some();
    let Choice { plugin: chosen, why } =
        choose::choose(&wanted, installed, directories, surroundings)?;
    let table = Serialised::new(load::load(chosen)?);
    // A program that has MPI itself may call it while the server does.
    let threads = match linked::flavour() {
        Some(_) => Threads::MULTIPLE,
        None => Threads::SERIALIZED,
    };
    let started = table.start(threads)?;
    if started.rank == 0 {
        let library = table.library();
        tracing::info!(file = %chosen.file.display(), library, why, "uses MPI by a plug-in");
    }
    let flavour = chosen.family(&table);
    Ok(Some(Plugin { table: Arc::new(table), flavour, program_has_mpi, started }))
}

/// The plug-ins that a process can choose from, and what decides between them, found before one of them has loaded an MPI.
pub(crate) struct Candidates {
    installed: Vec<Installed>,
    directories: Vec<PathBuf>,
    surroundings: Surroundings<'static>,
}

impl Candidates {
    /// The candidates of this process.
    pub fn new(settings: &Settings) -> Candidates {
        let (installed, directories) = installed(settings);
        let surroundings = Surroundings::of_this_process(&installed);
        Candidates { installed, directories, surroundings }
    }

    /// Whether one is for an MPI that is wanted and that is here, or is at fault itself, or the program has an MPI itself.
    pub fn serve(&self, wanted: &MpiRequirement) -> bool {
        let _saved = floating_point::SavedEnvironment::new();
        self.surroundings.linked.is_some()
            || choose::is_served(wanted, &self.installed, &self.surroundings)
    }
}

/// The directories where libraries of an installation are searched that are loaded at run time.
pub fn directories(settings: &Settings) -> Vec<PathBuf> {
    find::directories(settings.plugin_dir.as_deref())
}

/// The plug-ins that this process can choose from, and the directories that were searched.
pub fn installed(settings: &Settings) -> (Vec<Installed>, Vec<PathBuf>) {
    let directories = directories(settings);
    (find::installed(&directories), directories)
}

impl Installed {
    /// The family of its MPI library, when it is loaded: that for the standard ABI has it from the library.
    fn family(&self, table: &Serialised) -> Flavour {
        self.flavour.unwrap_or_else(|| Flavour::of_library(&table.library()))
    }

    /// The name and version that the MPI library of this plug-in reports. Loads both, for good.
    ///
    /// # Errors
    /// When the plug-in or its MPI library cannot be loaded, or when the plug-in is of another release.
    pub fn library(&self) -> Result<String> {
        Ok(Serialised::new(load::load(self)?).library())
    }
}

impl Plugin {
    /// Checks that MPI, the launcher and the settings agree.
    ///
    /// # Errors
    /// When the launcher has started another number of processes than MPI knows of, or than the settings request.
    pub fn check(&self, settings: &Settings) -> Result<()> {
        let processes = self.size();
        let launcher = detect::wanted(settings)?.and_then(|wanted| wanted.launcher);
        if let Some(Launcher { name, processes: Some(said), .. }) = launcher
            && said != processes
        {
            return Err(Error::Invalid(format!(
                "{name} has started {said} processes, but {} (by its plug-in for {}) knows of {processes}: the launcher \
                 is of another MPI, or has not been told of this one. Use the launcher of this MPI (srun: {}), or run \
                 ./x install with the MPI of the launcher",
                self.library(),
                self.flavour,
                self.flavour.option_of_srun(),
            )));
        }
        if let Some(Launcher { name, .. }) = launcher
            && let Some(rank) = detect::rank()
            && rank.get() >= processes
        {
            return Err(Error::Invalid(format!(
                "this is process {rank} of {name}, counted from 0, but {} (by its plug-in for {}) knows of {processes}: the \
                 launcher has not been told of this MPI. Use the launcher of this MPI (srun: {}), or run ./x install with \
                 the MPI of the launcher",
                self.library(),
                self.flavour,
                self.flavour.option_of_srun(),
                rank = rank.get(),
            )));
        }
        detect::check_images(settings, processes)
    }

    /// The image that this process is: its rank in MPI_COMM_WORLD.
    pub fn rank(&self) -> Rank {
        Rank::new(self.started.rank)
    }

    /// Number of images of the job.
    pub fn size(&self) -> u32 {
        self.started.size
    }

    /// The first image of this host.
    pub fn leader(&self) -> Rank {
        Rank::new(self.started.leader)
    }

    /// Whether this image is the first of its host.
    pub fn leads(&self) -> bool {
        self.rank() == self.leader()
    }

    /// Position of this image among those of its host, from 0.
    pub fn local_rank(&self) -> u32 {
        self.started.local_rank
    }

    /// Number of images of this host.
    pub fn local_size(&self) -> u32 {
        self.started.local_size
    }

    /// Number of this host, from 0, in order of their leaders.
    pub fn host(&self) -> u32 {
        self.started.host
    }

    /// Number of hosts.
    pub fn hosts(&self) -> u32 {
        self.started.hosts
    }

    /// The threads from which the program and the library may call MPI.
    pub fn threads(&self) -> Threads {
        self.started.threads
    }

    /// Whether the program had initialised MPI itself.
    pub fn by_program(&self) -> bool {
        self.started.by_program != 0
    }

    /// Whether the program itself has an MPI, whether or not it has initialised it.
    pub fn program_has_mpi(&self) -> bool {
        self.by_program() || self.program_has_mpi
    }

    /// The family of the MPI.
    pub fn flavour(&self) -> Flavour {
        self.flavour
    }

    /// The name and version that the MPI library reports.
    pub fn library(&self) -> String {
        self.table.library()
    }

    /// The name of this host.
    pub fn host_name(&self) -> String {
        self.table.host_name()
    }

    /// The leader of each image's host, by rank. Collective over the job.
    ///
    /// # Errors
    /// When MPI fails.
    pub fn leaders(&self) -> Result<Vec<Rank>> {
        let bytes = self.allgather(Scope::ALL, &self.started.leader.to_ne_bytes())?;
        let number = |bytes: &[u8]| u32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        Ok(bytes.chunks_exact(size_of::<u32>()).map(|bytes| Rank::new(number(bytes))).collect())
    }

    /// Checks that another thread than the main one may call MPI, as the communication server of a host does when there
    /// are several hosts.
    ///
    /// # Errors
    /// When the program has initialised MPI in a way that forbids it; the text names the way that it should use.
    pub fn require_threads(&self) -> Result<()> {
        let (least, name) = if self.by_program() {
            // The program's calls do not wait for ours.
            (Threads::MULTIPLE, "MPI_THREAD_MULTIPLE")
        } else {
            (Threads::SERIALIZED, "MPI_THREAD_SERIALIZED")
        };
        if self.threads() >= least {
            return Ok(());
        }
        let level = match self.threads() {
            Threads::SINGLE => "MPI_THREAD_SINGLE",
            Threads::FUNNELED => "MPI_THREAD_FUNNELED",
            _ => "MPI_THREAD_SERIALIZED",
        };
        Err(Error::Invalid(if self.by_program() {
            format!(
                "the program has initialised MPI with {level}, and its images are on several hosts: a thread of the \
                 library must call MPI, too. Initialise it with MPI_Init_thread and MPI_THREAD_MULTIPLE, or after the \
                 first use of coarrays (or have -lxmprt come before the MPI library, which does that by itself)"
            )
        } else {
            format!("{} gives {level}, and {name} is needed between hosts", self.library())
        }))
    }

    /// The bytes of all images of the scope, concatenated in order of rank. All pass equally many bytes.
    ///
    /// # Errors
    /// When MPI fails.
    pub fn allgather(&self, scope: Scope, mine: &[u8]) -> Result<Vec<u8>> {
        let count = match scope {
            Scope::HOST => self.local_size(),
            Scope::LEADERS => self.hosts(),
            _ => self.size(),
        };
        let mut all = vec![0; mine.len() * count as usize];
        // SAFETY: both live until the operation is done, and `all` has room for all images of the scope.
        let op = unsafe { self.table.allgather(scope, mine, &mut all) }?;
        self.complete(op)?;
        Ok(all)
    }

    /// Distributes the bytes of the image at the position `root` of the scope to all of it.
    ///
    /// # Errors
    /// When MPI fails.
    pub fn broadcast(&self, scope: Scope, root: u32, bytes: &mut [u8]) -> Result<()> {
        // SAFETY: the bytes live until the operation is done.
        let op = unsafe { self.table.broadcast(scope, root, bytes) }?;
        self.complete(op)
    }

    /// Waits until all images of the scope have called it.
    ///
    /// # Errors
    /// When MPI fails.
    pub fn barrier(&self, scope: Scope) -> Result<()> {
        self.complete(self.start_barrier(scope)?)
    }

    /// Starts a barrier of the scope, for a caller that does other work meanwhile.
    ///
    /// # Errors
    /// When MPI fails.
    pub fn start_barrier(&self, scope: Scope) -> Result<Op> {
        self.table.barrier(scope)
    }

    /// Whether an operation is done.
    ///
    /// # Errors
    /// When it has failed.
    pub fn test(&self, op: Op) -> Result<bool> {
        Ok(self.table.test(op)?.is_some())
    }

    /// Waits until an operation is done: looks, yields, sleeps.
    fn complete(&self, op: Op) -> Result<()> {
        let mut looks = 0;
        while !self.test(op)? {
            looks += 1;
            match looks {
                ..=YIELDS => std::thread::yield_now(),
                _ => std::thread::sleep(NAP),
            }
        }
        Ok(())
    }

    /// A communicator of these images, in this order, which lives until the end. Collective over them: they must all be
    /// about to call this, because it waits inside MPI. Calls for different lists that some images may make at the same
    /// time have different tags, of which the lowest 15 bits count.
    ///
    /// # Errors
    /// When MPI fails.
    pub fn communicator(&self, ranks: &[Rank], tag: u16) -> Result<Communicator> {
        let ranks: Vec<u32> = ranks.iter().map(|rank| rank.get()).collect();
        self.table.communicator(&ranks, tag & 0x7fff, self.threads() >= Threads::MULTIPLE)
    }

    /// MPI_COMM_WORLD, which contains all images. Not collective.
    ///
    /// # Errors
    /// When MPI fails.
    pub fn world(&self) -> Result<Communicator> {
        self.table.communicator(&[], 0, false)
    }

    /// Registers `hook` to be called when the program calls MPI_Finalize, before MPI does anything; for programs that
    /// have initialised MPI themselves. Once.
    ///
    /// # Errors
    /// When MPI fails.
    pub fn on_finalize(&self, hook: extern "C" fn()) -> Result<()> {
        self.table.on_finalize(hook)
    }

    /// Ends all processes of the job with this status. While another thread is stuck within MPI this process cannot
    /// call MPI_Abort, and just ends: launchers take that for a failure, and end the others, too.
    pub fn abort(&self, status: i32) -> ! {
        departure::announce();
        let patience = Instant::now() + Duration::from_secs(1);
        output::wait_until_read(patience);
        self.table.abort(status, patience);
        // SAFETY: does not return. MPI_Abort may, while others end this process.
        unsafe { libc::_exit(status) }
    }

    /// Ends the use of MPI: collective over the job, with no message in transit. Finalises MPI, unless the program has
    /// initialised it. No other method may be called afterwards.
    ///
    /// # Errors
    /// When MPI fails.
    pub fn finish(&self) -> Result<()> {
        let _saved = floating_point::SavedEnvironment::new();
        self.table.finish()
    }
}
