//! Starts the process of an image.

use super::execute::{self, Child, Program};
use super::invitation::{Invitation, OutputPipe};
use super::open_files::OpenFiles;
use super::request::{JOB_VARIABLE, Launch, Output, Refusal, candidates};
use super::signals::InheritedSignals;
use super::write_order::WriteOrder;
use crate::error::{Error, limit_of_processes, system_message};
use crate::rank::Rank;
use rustix::fs::{Mode, OFlags, open};
use rustix::process::{
    Pid, Resource, Signal, getpid, getppid, set_parent_process_death_signal, setpgid, setrlimit,
};
use rustix::thread::{CpuSet, sched_setaffinity};
use std::ffi::{CStr, CString};
use std::fs::{self, File};
use std::io::{self, PipeReader, PipeWriter, Read};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, IntoRawFd, OwnedFd};
use std::path::Path;

/// Makes sure that the descriptors 0, 1 and 2 are in use, as `std` does before `main`. A program that launches itself
/// is here earlier, and the shared memory must not become a process's standard output.
pub(crate) fn occupy_standard_descriptors() -> Result<(), Error> {
    loop {
        let file = open(c"/dev/null", OFlags::RDWR, Mode::empty())
            .map_err(|error| Error::os("cannot open /dev/null", error.into()))?;
        if file.as_raw_fd() > libc::STDERR_FILENO {
            return Ok(());
        }
        // It stays open as a standard descriptor.
        let _ = file.into_raw_fd();
    }
}

/// A running image. Killed and waited for when dropped before its end was seen.
#[derive(Debug)]
pub(super) struct Process {
    /// The process.
    pub(super) child: Child,
    /// The pipes of output that is forwarded: of standard output, and of standard error.
    pub(super) output: Option<PipeReader>,
    pub(super) errors: Option<PipeReader>,
    /// Whether it leads a process group of its own.
    own_group: bool,
}

impl Process {
    /// Its process id.
    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal to it and to the processes in its process group. Only for a process that has not been waited for:
    /// its id cannot have been reused.
    pub(super) fn signal(&self, number: libc::c_int) {
        let pid = self.child.id() as libc::pid_t;
        // SAFETY: plain system call. It fails only when the process has just ended.
        unsafe { libc::kill(if self.own_group { -pid } else { pid }, number) };
    }

    /// Sends a signal that requests the end. It waits in a stopped process until that continues.
    pub(super) fn request_end(&self, number: libc::c_int) {
        self.signal(number);
        self.signal(libc::SIGCONT);
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.child.end();
    }
}

/// The data that the images of a job have in common.
pub(super) struct Spawner<'a> {
    pub(super) launch: &'a Launch,
    /// The region, close-on-exec in this process and inherited by images.
    pub(super) region: BorrowedFd<'a>,
    /// The signal state of new images.
    pub(super) given: InheritedSignals,
    /// Their limit of open files.
    pub(super) open_files: &'a OpenFiles,
    /// Whether each leads a process group of its own.
    pub(super) own_groups: bool,
    /// The path of their standard output to the launcher's.
    pub(super) output: Output,
    /// The queue of their writes.
    pub(super) order: Option<&'a WriteOrder>,
    /// The environment variables that the images have in common.
    pub(super) environment: Vec<CString>,
    /// The standard input of images that have none.
    pub(super) null: OwnedFd,
}

/// The environment of images, but for [`JOB_VARIABLE`]. A program that an image starts is no image and does not launch itself
/// either.
pub(super) fn environment() -> Vec<CString> {
    let variables = std::env::vars_os();
    let passed = variables.filter(|(name, _)| name != JOB_VARIABLE && name != "XMP_NUM_IMAGES");
    let texts = passed.map(|(mut text, value)| {
        text.push("=");
        text.push(value);
        text
    });
    // None has a zero byte.
    texts.filter_map(|text| execute::text(&text).ok()).collect()
}

/// The standard input of images that have none.
pub(crate) fn null() -> Result<OwnedFd, Error> {
    open(c"/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())
        .map_err(|error| Error::os("cannot open /dev/null", error.into()))
}

impl Spawner<'_> {
    /// Starts an image.
    pub(super) fn spawn(&self, rank: Rank) -> Result<Process, Refusal> {
        let is_forwarded = self.launch.prefix_output || self.launch.forwards_errors();
        let (output, its_output) = pipe(self.output != Output::Direct)?.unzip();
        let (errors, its_errors) = pipe(is_forwarded)?.unzip();
        // Before the image can write.
        if let Some(order) = self.order {
            [&output, &errors]
                .into_iter()
                .flatten()
                .for_each(|pipe| order.watch(pipe.as_fd(), true));
        }
        let child = self.start(rank, its_output.as_ref(), its_errors.as_ref());
        let child = child.map_err(|error| self.refusal(rank, &error))?;
        tracing::debug!(image = rank.image(), process = child.id(), "started");
        Ok(Process { child, output, errors, own_group: self.own_groups })
    }

    /// Starts the process of an image, which inherits the ends of its pipes.
    fn start(
        &self,
        rank: Rank,
        output: Option<&PipeWriter>,
        errors: Option<&PipeWriter>,
    ) -> io::Result<Child> {
        let launch = self.launch;
        let (file, arguments) = launch.command(rank);
        let mut files = candidates(Path::new(file)).into_iter();
        if rank.get() == 0 && files.find(|file| file.is_file()).is_some_and(|it| is_foreign(&it)) {
            return Err(io::Error::from_raw_os_error(libc::ENOEXEC));
        }
        let arguments = arguments.into_iter().map(execute::text).collect::<io::Result<_>>()?;
        let program = Program { file: execute::text(file)?, arguments };
        let launcher = getpid();
        let region = self.region.as_raw_fd();
        let writer = output.map(AsRawFd::as_raw_fd);
        // The pipe that the image makes its standard output.
        let later = match (self.output, writer) {
            (Output::PipeForFile(file), Some(pipe)) => {
                Some(OutputPipe { pipe, launcher: launcher.as_raw_pid(), file })
            }
            _ => None,
        };
        let invitation = Invitation { region, rank, output: later };
        let invitation = execute::text(format!("{JOB_VARIABLE}={invitation}").as_ref())?;
        let environment = self.environment.iter().chain([&invitation]);
        let environment: Vec<&CStr> = environment.map(CString::as_c_str).collect();
        let inherited = [Some(region), later.map(|later| later.pipe)];
        let standard = [
            (rank.get() != 0).then(|| self.null.as_raw_fd()),
            writer.filter(|_| later.is_none()),
            errors.map(AsRawFd::as_raw_fd),
        ];
        let cpus = launch.placements.get(rank.index()).map(|placement| cpu_set(&placement.cpus));
        let mut prepare = || {
            die_with(launcher)?;
            if self.own_groups {
                setpgid(None, None)?;
            }
            if let Some(cpus) = &cpus {
                sched_setaffinity(None, cpus)?;
            }
            for (number, descriptor) in (0..).zip(standard) {
                if let Some(descriptor) = descriptor
                    // SAFETY: plain system call.
                    && unsafe { libc::dup2(descriptor, number) } < 0
                {
                    return Err(io::Error::last_os_error());
                }
            }
            for inherited in inherited.into_iter().flatten() {
                // SAFETY: plain system call.
                if unsafe { libc::fcntl(inherited, libc::F_SETFD, 0) } < 0 {
                    return Err(io::Error::last_os_error());
                }
            }
            setrlimit(Resource::Nofile, self.open_files.limit())?;
            self.given.restore()
        };
        // SAFETY: the closure makes system calls only and neither allocates nor takes locks.
        unsafe { Child::start(&program, &environment, &mut prepare) }
    }

    fn refusal(&self, rank: Rank, error: &io::Error) -> Refusal {
        let (status, text) = failure_to_start(Path::new(self.launch.command(rank).0), rank, error);
        Refusal { status, text }
    }
}

/// The exit status of a job whose image cannot be started, and why.
pub(crate) fn failure_to_start(program: &Path, rank: Rank, error: &io::Error) -> (i32, String) {
    let status = match error.kind() {
        io::ErrorKind::NotFound => 127,
        // The system returns this, too, when a directory of PATH may not be searched.
        io::ErrorKind::PermissionDenied if !may_be_there(program) => 127,
        io::ErrorKind::PermissionDenied => 126,
        _ if error.raw_os_error() == Some(libc::ENOEXEC) => 126,
        _ => 1,
    };
    let hint = match status {
        127 if program.components().count() > 1 && program.exists() => {
            " (the file exists; the interpreter or loader that it names does not)".to_string()
        }
        127 if program.components().count() == 1 && program.exists() => {
            format!(" in PATH (the current directory's is ./{})", program.display())
        }
        127 if error.kind() == io::ErrorKind::PermissionDenied => {
            " (it is in no directory of PATH that may be searched)".to_string()
        }
        _ if error.raw_os_error() == Some(libc::ENOEXEC) => {
            " (it is for another kind of processor)".to_string()
        }
        _ if error.raw_os_error() == Some(libc::EMFILE) => {
            " (`ulimit -n` limits the number of open files)".to_string()
        }
        _ => limit_of_processes(error).to_string(),
    };
    let error = system_message(error);
    let text = format!("cannot start {program:?} as {rank}: {error}{hint}");
    (status, text)
}

/// Whether a file is a program for another kind of processor. The function that executes a program would take it for a
/// script, whose interpreter reports its bytes. A system that has a handler for such files is not judged.
pub(crate) fn is_foreign(file: &Path) -> bool {
    let mut head = [0; 20];
    let read = File::open(file).and_then(|mut file| file.read_exact(&mut head));
    let machine = u16::from_le_bytes([head[18], head[19]]);
    let is_native = head[5] == 1 && MACHINES.contains(&machine);
    read.is_ok() && head.starts_with(b"\x7fELF") && !is_native && !has_other_interpreters()
}

/// Numbers of the processors whose programs this one executes, in heads of ELF files.
const MACHINES: &[u16] = if cfg!(target_arch = "x86_64") {
    &[libc::EM_X86_64, libc::EM_386]
} else {
    &[libc::EM_AARCH64, libc::EM_ARM]
};

/// Whether the system has a handler for files of other kinds: an emulator, for instance.
fn has_other_interpreters() -> bool {
    let entries = fs::read_dir("/proc/sys/fs/binfmt_misc").into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name()).any(|name| name != "register" && name != "status")
}

/// A pipe for the output of an image, if it is to have one.
fn pipe(is_wanted: bool) -> Result<Option<(PipeReader, PipeWriter)>, Error> {
    let pipe = is_wanted.then(io::pipe).transpose();
    pipe.map_err(|error| Error::os("cannot create a pipe", error))
}

/// Tells whether there is a file that a program of this name could be. One with a path that may not be searched is taken for there.
fn may_be_there(program: &Path) -> bool {
    program.components().count() > 1 || candidates(program).iter().any(|file| file.exists())
}

/// Has this new process killed when the launcher dies, and fails when that has happened already. Async-signal-safe.
fn die_with(launcher: Pid) -> io::Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    if getppid() != Some(launcher) {
        return Err(io::Error::from_raw_os_error(libc::ESRCH));
    }
    Ok(())
}

/// The set of these processors. Numbers beyond the limit of the set (1024) are left out.
pub(crate) fn cpu_set(cpus: &[usize]) -> CpuSet {
    let mut set = CpuSet::new();
    cpus.iter().filter(|&&cpu| cpu < CpuSet::MAX_CPU).for_each(|&cpu| set.set(cpu));
    set
}
