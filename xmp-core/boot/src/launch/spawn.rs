//! Starts the process of an image.

use super::invitation::{Invitation, OutputPipe};
use super::open_files::OpenFiles;
use super::request::{JOB_VARIABLE, Launch, Output, Refusal, candidates};
use super::signals::Given;
use super::write_order::WriteOrder;
use crate::error::{Error, limit_of_processes, system_message};
use crate::rank::Rank;
use rustix::fs::{Mode, OFlags, open};
use rustix::process::{
    Pid, Resource, Signal, getpid, getppid, set_parent_process_death_signal, setrlimit,
};
use rustix::thread::{CpuSet, sched_setaffinity};
use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, IntoRawFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Makes sure that the descriptors 0, 1 and 2 are in use, as `std` does before `main`. A program that launches itself
/// is here earlier, and the shared memory must not become a process's standard output.
pub(super) fn occupy_standard_descriptors() -> Result<(), Error> {
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
    /// The process; it has the pipes of output that is forwarded.
    pub(super) child: Child,
    /// The pipe that it makes its standard output.
    pub(super) output: Option<PipeReader>,
    /// Whether it leads a process group of its own.
    own_group: bool,
}

impl Process {
    /// Its process id.
    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal to it and to what it has started in its process group. Only for a process that has not been
    /// waited for: its id cannot have been reused.
    pub(super) fn signal(&self, number: libc::c_int) {
        let pid = self.child.id() as libc::pid_t;
        // SAFETY: plain system call. It fails only when the process has just ended.
        unsafe { libc::kill(if self.own_group { -pid } else { pid }, number) };
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Both do nothing when the end was seen; otherwise they cannot fail for a child of this process.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What the images of a job have in common.
pub(super) struct Spawner<'a> {
    pub(super) launch: &'a Launch,
    /// The region, close-on-exec in this process and inherited by images.
    pub(super) region: BorrowedFd<'a>,
    /// The signal state of new images.
    pub(super) given: Given,
    /// Their limit of open files.
    pub(super) open_files: &'a OpenFiles,
    /// Whether each leads a process group of its own.
    pub(super) own_groups: bool,
    /// How their standard output gets to the launcher's.
    pub(super) output: Output,
    /// The queue of what they write.
    pub(super) order: Option<&'a WriteOrder>,
}

impl Spawner<'_> {
    /// Starts an image.
    pub(super) fn spawn(&self, rank: Rank) -> Result<Process, Refusal> {
        let (output, writer) = self.output_pipe()?.unzip();
        let command = self.command(rank, writer.as_ref()).spawn();
        let child = command.map_err(|error| self.refusal(rank, &error))?;
        if let Some(order) = self.order {
            let forwarded = [
                child.stdout.as_ref().map(AsFd::as_fd),
                child.stderr.as_ref().map(AsFd::as_fd),
                output.as_ref().map(AsFd::as_fd),
            ];
            forwarded.into_iter().flatten().for_each(|pipe| order.watch(pipe));
        }
        tracing::debug!(image = rank.image(), process = child.id(), "started");
        Ok(Process { child, output, own_group: self.own_groups })
    }

    /// The pipe that an image makes its standard output, if it is to do so.
    fn output_pipe(&self) -> Result<Option<(PipeReader, PipeWriter)>, Error> {
        match self.output {
            Output::PipeForFile(_) => {
                io::pipe().map(Some).map_err(|error| Error::os("cannot create a pipe", error))
            }
            Output::Direct | Output::Pipe => Ok(None),
        }
    }

    /// The command that starts an image, which inherits the end of its pipe.
    fn command(&self, rank: Rank, writer: Option<&PipeWriter>) -> Command {
        let launch = self.launch;
        let output = |is_forwarded| if is_forwarded { Stdio::piped() } else { Stdio::inherit() };
        let region = self.region.as_raw_fd();
        let writer = writer.map(AsRawFd::as_raw_fd);
        let launcher = getpid();
        let output_pipe = match (self.output, writer) {
            (Output::PipeForFile(file), Some(pipe)) => {
                Some(OutputPipe { pipe, launcher: launcher.as_raw_pid(), file })
            }
            _ => None,
        };
        let invitation = Invitation { region, rank, output: output_pipe };
        let mut command = launch.command(rank);
        command
            .env(JOB_VARIABLE, invitation.to_string())
            // A program that an image starts is no image and does not launch itself either.
            .env_remove("XMP_NUM_IMAGES")
            .stdin(if rank.get() == 0 { Stdio::inherit() } else { Stdio::null() })
            .stdout(output(self.output == Output::Pipe))
            .stderr(output(launch.prefix_output || launch.forwards_errors()));
        if let Some(name) = &launch.name {
            command.arg0(name);
        }
        if self.own_groups {
            command.process_group(0);
        }
        let (given, open_files) = (self.given, self.open_files.limit());
        let cpus = launch.placements.get(rank.index()).map(|placement| cpu_set(&placement.cpus));
        // SAFETY: the closure makes system calls only and neither allocates nor takes locks.
        unsafe {
            command.pre_exec(move || {
                die_with(launcher)?;
                if let Some(cpus) = &cpus {
                    sched_setaffinity(None, cpus)?;
                }
                for inherited in [Some(region), writer].into_iter().flatten() {
                    if libc::fcntl(inherited, libc::F_SETFD, 0) < 0 {
                        return Err(io::Error::last_os_error());
                    }
                }
                setrlimit(Resource::Nofile, open_files)?;
                given.restore()
            });
        }
        command
    }

    fn refusal(&self, rank: Rank, error: &io::Error) -> Refusal {
        let command = self.launch.command(rank);
        let program = Path::new(command.get_program());
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
            _ if error.raw_os_error() == Some(libc::EMFILE) => {
                " (`ulimit -n` limits the number of open files)".to_string()
            }
            _ => limit_of_processes(error).to_string(),
        };
        let error = system_message(error);
        let text = format!("cannot start {program:?} as {rank}: {error}{hint}");
        Refusal { status, text }
    }
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

/// The set of these processors. Numbers beyond what the set can hold (1024) are left out.
pub(crate) fn cpu_set(cpus: &[usize]) -> CpuSet {
    let mut set = CpuSet::new();
    cpus.iter().filter(|&&cpu| cpu < CpuSet::MAX_CPU).for_each(|&cpu| set.set(cpu));
    set
}
