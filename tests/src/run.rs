//! How a program is to be run.

use crate::leaks::SharedMemoryNames;
use crate::outcome::Outcome;
use crate::running::{MARK, Running};
use crate::toolchain::toolchain;
use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// How long a run may take unless it says otherwise: far longer than any does, even on a busy machine.
const LIMIT: Duration = Duration::from_secs(60);

/// A run to be made: the program by itself, or under `xmprun`.
#[derive(Clone, Debug)]
pub struct Run {
    program: PathBuf,
    arguments: Vec<OsString>,
    launcher: Option<Vec<OsString>>,
    environment: Vec<(OsString, OsString)>,
    input: Vec<u8>,
    limit: Duration,
}

impl Run {
    /// The program by itself, without arguments, with empty standard input and no `XMP_*` in its environment.
    pub fn new(program: impl AsRef<Path>) -> Run {
        Run {
            program: program.as_ref().into(),
            arguments: Vec::new(),
            launcher: None,
            environment: Vec::new(),
            input: Vec::new(),
            limit: LIMIT,
        }
    }

    /// `xmprun` with these arguments, whatever they are.
    pub fn xmprun<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Run {
        Run::new(toolchain().xmprun()).args(arguments)
    }

    /// Under `xmprun -n <number>`.
    pub fn images(self, number: u32) -> Run {
        self.launcher_option("-n").launcher_option(number.to_string())
    }

    /// Under `xmprun --virtual-hosts <number>`.
    pub fn virtual_hosts(self, number: u32) -> Run {
        self.launcher_option("--virtual-hosts").launcher_option(number.to_string())
    }

    /// Under `xmprun`, with this option (or the value of the one before).
    pub fn launcher_option(mut self, option: impl Into<OsString>) -> Run {
        self.launcher.get_or_insert_default().push(option.into());
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

    /// Starts it and waits for its end; then nothing of it may be left.
    ///
    /// # Panics
    /// When it cannot be started, does not end in time, or leaves something behind.
    pub fn finish(&self) -> Outcome {
        self.start().finish()
    }

    /// Starts it.
    ///
    /// # Panics
    /// When it cannot be started.
    pub fn start(&self) -> Running {
        let mut command = match &self.launcher {
            None => Command::new(&self.program),
            Some(options) => {
                let mut command = Command::new(toolchain().xmprun());
                command.args(options).arg(&self.program);
                command
            }
        };
        command.args(&self.arguments);
        // Nothing that whoever runs the tests has set for programs of their own.
        for (name, _) in std::env::vars_os() {
            if name.as_encoded_bytes().starts_with(b"XMP_") {
                command.env_remove(name);
            }
        }
        let mark = new_mark();
        command
            .env(MARK, &mark)
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // A group of its own, so that it can be ended without us.
            .process_group(0);
        let names = SharedMemoryNames::now();
        Running::start(command, mark, self.input.clone(), self.limit, names)
    }
}

/// A value for [`MARK`] that no other run has.
fn new_mark() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    // Relaxed: only the number matters.
    format!("{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}
