//! A run under way: its output as it comes, signals for it, its end.

use crate::leaks::{self, OwnDirectories, SharedMemoryNames};
use crate::outcome::Outcome;
use crate::processes::{self, Pid};
use crate::shared_memory::OwnSharedMemory;
use std::io::{Read, Write};
use std::process::{Child, Command, ExitStatus};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The environment variable that all processes of a run inherit, so that they can be found.
pub const MARK: &str = "TEST_RUN_MARK";

/// How often a run is looked at.
const TICK: Duration = Duration::from_millis(1);

/// What of a run is looked for after its end.
#[derive(Debug, Default)]
pub(crate) struct Traces {
    /// What was in `/dev/shm` before it, if it has none of its own on this machine.
    pub names: Option<SharedMemoryNames>,
    /// Directories that are its own.
    pub directories: OwnDirectories,
    /// How long processes and files may outlive the process that was started.
    pub patience: Duration,
    /// Its own `/dev/shm`, if it has one.
    pub _shared_memory: Option<OwnSharedMemory>,
    /// The directory for its temporary files, if it was made for it.
    pub _temporary: Option<TempDir>,
}

/// A run that has been started. Dropping it ends it.
#[derive(Debug)]
pub struct Running {
    what: String,
    child: Child,
    mark: String,
    started: Instant,
    limit: Duration,
    traces: Traces,
    stdout: Stream,
    stderr: Stream,
}

/// One of the two outputs, collected by a thread.
#[derive(Debug)]
struct Stream {
    text: Arc<Mutex<Vec<u8>>>,
    collector: Option<JoinHandle<()>>,
}

impl Running {
    pub(crate) fn start(
        mut command: Command,
        mark: String,
        input: Vec<u8>,
        limit: Duration,
        traces: Traces,
    ) -> Running {
        let what = format!("{command:?}");
        let started = Instant::now();
        let mut child =
            command.spawn().unwrap_or_else(|error| panic!("cannot start {what}: {error}"));
        let mut stdin = child.stdin.take().expect("stdin is a pipe");
        // A thread, because the program may not read it, or only after it has written much. An error means
        // that it ended without reading everything, which is its affair.
        thread::spawn(move || stdin.write_all(&input));
        let stdout = Stream::collect(child.stdout.take().expect("stdout is a pipe"));
        let stderr = Stream::collect(child.stderr.take().expect("stderr is a pipe"));
        Running { what, child, mark, started, limit, traces, stdout, stderr }
    }

    /// The process that was started: the launcher, or the program.
    pub fn pid(&self) -> Pid {
        self.child.id() as Pid
    }

    /// Sends a signal to the process that was started.
    pub fn signal(&self, signal: i32) {
        processes::signal(self.pid(), signal);
    }

    /// All processes of the job.
    pub fn processes(&self) -> Vec<Pid> {
        processes::with_environment(MARK, &self.mark)
    }

    /// Waits for `count` lines of standard output that start with `prefix`, and returns the rest of each.
    ///
    /// # Panics
    /// When they do not come in time.
    pub fn lines_after(&mut self, prefix: &str, count: usize) -> Vec<String> {
        loop {
            let text = self.stdout.so_far();
            // A line counts when it is complete.
            let found: Vec<String> = text
                .split_inclusive('\n')
                .filter(|line| line.ends_with('\n'))
                .filter_map(|line| line.strip_prefix(prefix))
                .map(|rest| rest.trim_end().to_string())
                .collect();
            if found.len() >= count {
                return found;
            }
            let ended = self.child.try_wait().expect("the child is ours").is_some();
            if ended || self.started.elapsed() > self.limit {
                self.end_all();
                panic!(
                    "{}: {count} lines \"{prefix}...\" did not come:\n{}",
                    self.what,
                    self.output()
                );
            }
            thread::sleep(TICK);
        }
    }

    /// Standard error so far.
    pub fn stderr(&self) -> String {
        self.stderr.so_far()
    }

    /// Waits until standard error has this text.
    ///
    /// # Panics
    /// When it does not come within `limit`.
    #[track_caller]
    pub fn wait_for_stderr(&self, text: &str, limit: Duration) {
        let start = Instant::now();
        while !self.stderr().contains(text) {
            assert!(start.elapsed() < limit, "{text:?} did not come: {}", self.stderr());
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// The blocks of shared memory that processes of this job map.
    pub fn shared_memory(&self) -> Vec<leaks::SharedMemory> {
        leaks::mapped_by(&self.processes())
    }

    /// Waits for the end; then nothing of the job may be left.
    ///
    /// # Panics
    /// When it does not end in time, or leaves something after.
    pub fn finish(mut self) -> Outcome {
        let status = self.wait();
        let took = self.started.elapsed();
        let survivors = self.survivors();
        if !survivors.is_empty() {
            let list = processes::describe(&survivors);
            self.end_all();
            panic!(
                "{}: ended ({status}), but these processes live:\n{list}{}",
                self.what,
                self.output()
            );
        }
        if let Some(names) = &self.traces.names {
            names.assert_no_more(&self.what);
        }
        self.traces.directories.assert_empty(&self.what, self.traces.patience);
        Outcome {
            what: self.what.clone(),
            status,
            took,
            stdout: self.stdout.whole(),
            stderr: self.stderr.whole(),
        }
    }

    /// Waits for the end of the process that was started, without looking at what it leaves.
    ///
    /// # Panics
    /// When it does not end in time.
    pub fn wait(&mut self) -> ExitStatus {
        loop {
            if let Some(status) = self.child.try_wait().expect("the child is ours") {
                return status;
            }
            if self.started.elapsed() > self.limit {
                let list = processes::describe(&self.processes());
                // A launcher writes what its images do; other programs end.
                processes::signal(self.pid(), libc::SIGUSR1);
                thread::sleep(Duration::from_secs(3));
                self.end_all();
                panic!(
                    "{}: did not end within {} s; its processes:\n{list}{}",
                    self.what,
                    self.limit.as_secs(),
                    self.output()
                );
            }
            thread::sleep(TICK);
        }
    }

    /// The processes that are left when all had the time to end that they may take.
    fn survivors(&self) -> Vec<Pid> {
        let deadline = Instant::now() + self.traces.patience;
        loop {
            let living = self.processes();
            if living.is_empty() || Instant::now() >= deadline {
                return living;
            }
            thread::sleep(TICK);
        }
    }

    /// Kills every process of the job and waits for the one that was started.
    fn end_all(&mut self) {
        processes::signal(-self.pid(), libc::SIGKILL);
        for pid in self.processes() {
            processes::signal(pid, libc::SIGKILL);
        }
        let _ = self.child.wait();
    }

    fn output(&self) -> String {
        format!("stdout:\n{}\nstderr:\n{}", self.stdout.so_far(), self.stderr.so_far())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // After the end there is nothing to do, and the group's number may belong to another group.
        if matches!(self.child.try_wait(), Ok(None)) {
            self.end_all();
        }
    }
}

impl Stream {
    fn collect(mut pipe: impl Read + Send + 'static) -> Stream {
        let text = Arc::new(Mutex::new(Vec::new()));
        let sink = text.clone();
        let collector = thread::spawn(move || {
            let mut chunk = [0; 4096];
            while let Ok(length @ 1..) = pipe.read(&mut chunk) {
                sink.lock().expect("no holder panics").extend_from_slice(&chunk[..length]);
            }
        });
        Stream { text, collector: Some(collector) }
    }

    fn so_far(&self) -> String {
        String::from_utf8_lossy(&self.text.lock().expect("no holder panics")).into_owned()
    }

    /// Everything: call it when no process is left that could hold the pipe.
    fn whole(&mut self) -> String {
        if let Some(collector) = self.collector.take() {
            collector.join().expect("the collector does not panic");
        }
        self.so_far()
    }
}
