//! The description of a run of a program.

use crate::leaks::{OwnDirectories, SharedMemoryNames};
use crate::limits::{Limits, Resource};
use crate::outcome::Outcome;
use crate::running::{MARK, Running, Traces};
use crate::shared_memory::OwnSharedMemory;
use crate::toolchain::toolchain;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use xmp_hosts::{Job, Mpirun, Network};

/// How long a run may take unless it says otherwise: far longer than any does, even on a busy machine.
const LIMIT: Duration = Duration::from_secs(300);

/// How long after the end of a launcher of MPI its helpers on other hosts may take to end, too.
const MPI_PATIENCE: Duration = Duration::from_secs(300);

/// Settings of jobs that say nothing else, so that nothing depends on how fast a busy machine is: a death ends the job
/// because an image notices it, and an image that is to end has the time to do so by itself. (Milliseconds.)
const NO_CLOCK: [(&str, &str); 2] = [("XMP_FAILURE_GRACE", "1000000"), ("XMP_KILL_GRACE", "20000")];

/// A run to be made: the program by itself, under `xmprun`, or under the launcher of an MPI.
#[derive(Clone, Debug)]
pub struct Run {
    program: PathBuf,
    arguments: Vec<OsString>,
    launcher: Launcher,
    environment: Vec<(OsString, OsString)>,
    input: Vec<u8>,
    limit: Duration,
    /// How long processes may live after the one that was started.
    patience: Duration,
    limits: Limits,
}

/// Who starts the images.
#[derive(Clone, Debug)]
enum Launcher {
    /// The program is one image, or starts itself as several.
    Itself,
    /// `xmprun` with these options.
    Xmprun(Vec<OsString>),
    /// `xmprun` on the first host of a network, for images on its hosts.
    XmprunOn { network: Arc<Network>, options: Vec<OsString> },
    /// `mpirun`.
    Mpi {
        mpirun: Mpirun,
        network: Option<Arc<Network>>,
        processes: Vec<u32>,
        options: Vec<OsString>,
    },
}

impl Run {
    /// The program by itself, without arguments, with empty standard input and no `XMP_*` in its environment.
    pub fn new(program: impl AsRef<Path>) -> Run {
        Run {
            program: program.as_ref().into(),
            arguments: Vec::new(),
            launcher: Launcher::Itself,
            environment: Vec::new(),
            input: Vec::new(),
            limit: LIMIT,
            patience: Duration::ZERO,
            limits: Limits::default(),
        }
    }

    /// `xmprun` with these arguments, whatever they are.
    pub fn xmprun<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Run {
        Run::new(toolchain().xmprun()).args(arguments)
    }

    /// Under `xmprun -n <number>`, or that many processes under the launcher of MPI that was chosen.
    pub fn images(mut self, number: u32) -> Run {
        if let Launcher::Mpi { processes, .. } = &mut self.launcher {
            *processes = vec![number];
            return self;
        }
        self.launcher_option("-n").launcher_option(number.to_string())
    }

    /// Under `xmprun --virtual-hosts <number>`, or with the setting that does the same.
    pub fn virtual_hosts(self, number: u32) -> Run {
        if let Launcher::Mpi { .. } = self.launcher {
            return self.env("XMP_VIRTUAL_HOSTS", number.to_string());
        }
        self.launcher_option("--virtual-hosts").launcher_option(number.to_string())
    }

    /// Under the launcher of an MPI, on this machine.
    pub fn mpirun(mut self, mpirun: &Mpirun) -> Run {
        self.launcher = Launcher::Mpi {
            mpirun: mpirun.clone(),
            network: None,
            processes: vec![1],
            options: Vec::new(),
        };
        self
    }

    /// Under the launcher of an MPI, with these numbers of images on the first hosts of a network.
    pub fn mpirun_on(mut self, mpirun: &Mpirun, network: &Arc<Network>, images: &[u32]) -> Run {
        self.launcher = Launcher::Mpi {
            mpirun: mpirun.clone(),
            network: Some(network.clone()),
            processes: images.into(),
            options: Vec::new(),
        };
        self
    }

    /// Under `xmprun --hosts`, with these numbers of images on the first hosts of a network.
    pub fn xmprun_on(mut self, network: &Arc<Network>, images: &[u32]) -> Run {
        let hosts = network.hosts().iter().zip(images);
        let hosts: Vec<String> =
            hosts.map(|(host, count)| format!("{}:{count}", host.name())).collect();
        let options = vec!["--hosts".into(), hosts.join(",").into()];
        self.launcher = Launcher::XmprunOn { network: network.clone(), options };
        self.env("XMP_SSH", network.agent())
    }

    /// With this option of the launcher (or the value of the one before), which is `xmprun` unless one was chosen.
    pub fn launcher_option(mut self, option: impl Into<OsString>) -> Run {
        match &mut self.launcher {
            Launcher::Itself => self.launcher = Launcher::Xmprun(vec![option.into()]),
            Launcher::Xmprun(options)
            | Launcher::XmprunOn { options, .. }
            | Launcher::Mpi { options, .. } => options.push(option.into()),
        }
        self
    }

    /// Arguments of the program.
    pub fn args<S: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = S>) -> Run {
        self.arguments.extend(arguments.into_iter().map(|argument| argument.as_ref().into()));
        self
    }

    /// An environment variable.
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Run {
        self.environment.push((name.into(), value.into()));
        self
    }

    /// Standard input.
    pub fn input(mut self, bytes: impl Into<Vec<u8>>) -> Run {
        self.input = bytes.into();
        self
    }

    /// The time after which the run is ended and the test has failed.
    pub fn limit(mut self, limit: Duration) -> Run {
        self.limit = limit;
        self
    }

    /// The program starts a launcher of MPI itself, whose processes may end after it.
    pub fn starting_mpi(mut self) -> Run {
        self.patience = MPI_PATIENCE;
        self
    }

    /// With this limit of a resource (`libc::RLIMIT_FSIZE`), soft and hard.
    pub fn limiting(mut self, resource: Resource, value: u64) -> Run {
        self.limits.resources.push((resource, value));
        self
    }

    /// On a system that refuses these calls (`libc::SYS_pidfd_open`) with an error (`libc::ENOSYS`), like an old kernel or the
    /// filter of a container.
    pub fn refusing(mut self, calls: &[libc::c_long], error: libc::c_int) -> Run {
        self.limits.refuse(calls, error);
        self
    }

    /// Starts it and waits for its end; then nothing of it may be left.
    ///
    /// # Panics
    /// When it cannot be started, does not end in time, or leaves something after.
    pub fn finish(&self) -> Outcome {
        self.start().finish()
    }

    /// Starts it.
    ///
    /// # Panics
    /// When it cannot be started.
    pub fn start(&self) -> Running {
        let mut environment: BTreeMap<OsString, OsString> =
            NO_CLOCK.iter().map(|(name, value)| (name.into(), value.into())).collect();
        environment.extend(self.environment.iter().cloned());
        let mut command = match &self.launcher {
            Launcher::Itself => Command::new(&self.program),
            Launcher::Xmprun(options) => {
                let mut command = Command::new(toolchain().xmprun());
                command.args(options).arg(&self.program);
                command
            }
            Launcher::XmprunOn { network, options } => {
                let mut command = network.hosts()[0].command(toolchain().xmprun());
                command.args(options).arg(&self.program);
                command
            }
            Launcher::Mpi { mpirun, network, processes, options } => {
                let mut command = mpirun.command(&Job {
                    network: network.as_deref(),
                    processes: processes.clone(),
                    options: options.clone(),
                    environment: environment.clone().into_iter().collect(),
                });
                command.arg(&self.program);
                command
            }
        };
        command.args(&self.arguments);
        // No setting of the user who runs the tests: it is for other programs.
        for (name, _) in std::env::vars_os() {
            if name.as_encoded_bytes().starts_with(b"XMP_") {
                command.env_remove(name);
            }
        }
        let mark = new_mark();
        // Before the limits, which may refuse what it takes.
        let traces = self.traces(&mut command);
        let limits = self.limits.clone();
        // SAFETY: only system calls are made.
        unsafe { command.pre_exec(move || default_signals().and_then(|()| limits.set())) };
        command
            .env(MARK, &mark)
            .envs(environment)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // A group of its own, so that it can be ended without us.
            .process_group(0);
        Running::start(command, mark, self.input.clone(), self.limit, traces)
    }

    /// What of the run will be looked for after its end.
    fn traces(&self, command: &mut Command) -> Traces {
        let patience = match &self.launcher {
            Launcher::Mpi { .. } => MPI_PATIENCE,
            _ => self.patience,
        };
        if let Launcher::Mpi { network: Some(network), .. } | Launcher::XmprunOn { network, .. } =
            &self.launcher
        {
            let hosts = network.hosts().iter();
            let directories =
                hosts.flat_map(|host| [host.temporary_files(), host.path("/dev/shm")]).collect();
            let directories = OwnDirectories::new(directories);
            return Traces { directories, patience, ..Traces::default() };
        }
        let mut directories = Vec::new();
        let shared_memory = OwnSharedMemory::of(command);
        directories.extend(shared_memory.as_ref().map(|it| it.path().to_owned()));
        let names = shared_memory.is_none().then(SharedMemoryNames::now);
        let mut temporary = None;
        if matches!(self.launcher, Launcher::Mpi { .. }) {
            let directory = tempfile::tempdir().expect("temporary files are possible");
            command.env("TMPDIR", directory.path());
            directories.push(temporary.insert(directory).path().to_owned());
        }
        let directories = OwnDirectories::new(directories);
        Traces {
            names,
            directories,
            patience,
            _shared_memory: shared_memory,
            _temporary: temporary,
        }
    }
}

/// Signals that the caller of the tests ignores (`nohup`, the background of a script) mean what they usually mean.
fn default_signals() -> io::Result<()> {
    for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGTSTP] {
        // SAFETY: no handler is installed.
        if unsafe { libc::signal(signal, libc::SIG_DFL) } == libc::SIG_ERR {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

/// A value for [`MARK`] that no other run has.
fn new_mark() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    // Relaxed: only the number matters.
    format!("{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}
