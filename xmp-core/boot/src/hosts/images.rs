//! The images that a proxy has started on its host: their processes, their output, their ends.

use super::children::{in_background, lock};
use super::frame::{Job, Up};
use super::reach::{IGNORED, unblock_signals};
use super::store::{Request, Store};
use crate::control::XMPRUN;
use crate::error::{Error, system_message};
use crate::launch::execute::{Child, Program, text};
use crate::launch::hang::expects;
use crate::launch::{Orphans, Placement, QUESTIONS, cpu_set, failure_to_start, is_foreign, null};
use crate::rank::Rank;
use crate::readable;
use rustix::fs::{Access, access};
use rustix::process::{Pid, Signal, getpid, getppid, set_parent_process_death_signal, setpgid};
use rustix::thread::sched_setaffinity;
use std::env::split_paths;
use std::ffi::{CStr, CString, OsString};
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The beginning of a line is passed on when nothing has followed for this time, if it may be a question to the user.
const QUESTION: Duration = Duration::from_millis(100);
/// Longest beginning of a line that is kept.
const LINE: usize = 1 << 20;
/// The time for which the output of an image is read after its end: processes that it has started may keep its pipes.
const OUTPUT: Duration = Duration::from_millis(200);
/// The time for which the output of all images is read when no process of them is left.
const ALL_OUTPUT: Duration = Duration::from_secs(5);

/// Sends a frame to the launcher.
pub(super) type FrameSink = Arc<dyn Fn(Up) + Send + Sync>;

/// The images of this host.
pub(super) struct Images {
    host: u32,
    first: u32,
    /// Their processes; `None`: it has ended.
    processes: Mutex<Vec<Option<Pid>>>,
    store: Arc<Store>,
    input: Mutex<Option<Sender<Vec<u8>>>>,
    /// The number of images that have not ended.
    left: AtomicUsize,
    orphans: Orphans,
    /// The ends of their output.
    outputs: Mutex<Vec<Receiver<()>>>,
    say: FrameSink,
}

/// An image that is about to be watched.
struct StartedImage {
    child: Child,
    /// The standard input of the first image.
    input: Option<PipeWriter>,
    server: UnixStream,
    output: PipeReader,
    errors: PipeReader,
}

impl Images {
    /// Starts the images of this host. `places`: their bindings, in their order; empty without any.
    ///
    /// # Errors
    /// The exit status of the job, and why one cannot be started; none is left then.
    pub fn start(
        host: u32,
        job: &Job,
        places: &[Placement],
        say: FrameSink,
    ) -> Result<Arc<Images>, (i32, String)> {
        let system = |error: Error| (1, error.to_string());
        let (first, count) = job.parts.get(host as usize).copied().unwrap_or_default();
        std::env::set_current_dir(&job.directory).map_err(|error| {
            let text = format!(
                "cannot change to {}: {}: is this directory on a file system that all hosts share? --wdir names another one",
                job.directory.display(),
                system_message(&error)
            );
            (2, text)
        })?;
        let orphans = Orphans::adopt().map_err(system)?;
        let environment = environment(&job.environment);
        let null = null().map_err(system)?;
        let mut started: Vec<StartedImage> = Vec::new();
        for number in 0..count {
            let rank = Rank::new(first + number);
            let place = places.get(number as usize);
            match start(job, rank, place, &environment, null.as_fd()) {
                Ok(image) => started.push(image),
                Err(error) => {
                    let program = Path::new(&job.command[0]);
                    let (status, mut text) = failure_to_start(program, rank, &error);
                    if status == 127 {
                        text += ": is it on a file system that all hosts share?";
                    }
                    started.iter_mut().for_each(|image| image.child.end());
                    orphans.end();
                    return Err((status, text));
                }
            }
        }
        let pid = |image: &StartedImage| Some(image.child.pid());
        let images = Arc::new(Images {
            host,
            first,
            processes: Mutex::new(started.iter().map(pid).collect()),
            store: Arc::new(Store::new(started.len(), &job.secret)),
            input: Mutex::default(),
            left: AtomicUsize::new(started.len()),
            orphans,
            outputs: Mutex::default(),
            say,
        });
        if started.is_empty() {
            (images.say)(Up::Done { host });
        }
        for (number, mut image) in started.into_iter().enumerate() {
            if let Some(input) = image.input.take() {
                images.feed(input).map_err(system)?;
            }
            images.watch(number, image, job.whole_lines).map_err(system)?;
        }
        Ok(images)
    }

    /// Starts the threads that watch an image.
    fn watch(
        self: &Arc<Images>,
        number: usize,
        image: StartedImage,
        whole: bool,
    ) -> crate::error::Result<()> {
        let StartedImage { child, server, output, errors, .. } = image;
        let rank = self.first + number as u32;
        let (ended, end) = channel();
        let (ended_for_all, end_for_all) = channel();
        lock(&self.outputs).push(end_for_all);
        let say = self.say.clone();
        in_background(move || {
            pass_on(rank, [output, errors], whole, &say);
            // Those that wait for it may have gone.
            let _ = (ended.send(()), ended_for_all.send(()));
        })?;
        let images = self.clone();
        in_background(move || {
            images.store.serve(number, server, |request| images.ask(rank, request));
        })?;
        let images = self.clone();
        in_background(move || images.wait(number, child, &end))
    }

    fn ask(&self, rank: u32, request: Request) {
        let host = self.host;
        (self.say)(match request {
            Request::Waits => Up::Waits { host },
            Request::Met(values) => Up::Met { host, values },
            Request::Abort(status) => Up::Aborted { rank, status },
        });
    }

    /// Waits for the end of an image; after the last image, ends the processes that images have started.
    fn wait(&self, number: usize, mut child: Child, output_ends: &Receiver<()>) {
        wait_without_reaping(&child);
        let status = {
            // Nobody sends it a signal after it was waited for.
            let mut processes = lock(&self.processes);
            processes[number] = None;
            child.wait_for_end()
        };
        let status = status.map_or(1 << 8, std::os::unix::process::ExitStatusExt::into_raw);
        // Processes that keep its pipes are ended below.
        let _ = output_ends.recv_timeout(OUTPUT);
        let (rank, has_left) = (self.first + number as u32, self.store.has_left(number));
        (self.say)(Up::Ended { rank, status, has_left });
        if self.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.orphans.end();
            let until = Instant::now() + ALL_OUTPUT;
            for output in lock(&self.outputs).iter() {
                // It has ended, unless a process of another user holds the pipe.
                let _ = output.recv_timeout(until.saturating_duration_since(Instant::now()));
            }
            (self.say)(Up::Done { host: self.host });
        }
    }

    /// Starts the thread that writes the standard input of the first image.
    fn feed(&self, mut stdin: PipeWriter) -> crate::error::Result<()> {
        let (sender, pieces) = channel::<Vec<u8>>();
        *lock(&self.input) = Some(sender);
        let say = self.say.clone();
        in_background(move || {
            for piece in pieces {
                // The image may read no more: then no more is asked for.
                if piece.is_empty() || stdin.write_all(&piece).is_err() {
                    return;
                }
                say(Up::InputTaken);
            }
        })
    }

    /// Passes a piece of standard input to the first image; an empty one ends it.
    pub fn input(&self, piece: Vec<u8>) {
        if let Some(sender) = &*lock(&self.input) {
            // The image may read no more.
            let _ = sender.send(piece);
        }
    }

    /// All images of the job have met.
    pub fn release(&self, values: &super::frame::Values) {
        self.store.release(values);
    }

    /// Sends a signal to all images.
    pub fn signal(&self, number: libc::c_int) {
        let processes = lock(&self.processes);
        for process in processes.iter().flatten() {
            let pid = process.as_raw_pid();
            let name = std::fs::read(format!("/proc/{pid}/comm")).unwrap_or_default();
            // A monitor passes it on. Other programs may have started images that do not.
            let is_monitor = name.trim_ascii() == b"xmp-monitor";
            let is_wanted = is_monitor
                || !QUESTIONS.contains(&number)
                || number == libc::SIGUSR1 && expects(pid as u32, number);
            if is_wanted {
                // SAFETY: a process that has not been waited for, and leads its group.
                unsafe { libc::kill(if is_monitor { pid } else { -pid }, number) };
            }
        }
    }

    /// Kills all images.
    pub fn kill(&self) {
        for process in lock(&self.processes).iter().flatten() {
            // SAFETY: a process that has not been waited for, and leads its group.
            unsafe { libc::kill(-process.as_raw_pid(), libc::SIGKILL) };
        }
    }

    /// Waits until all have ended, or until then.
    pub fn wait_for_all(&self, until: Instant) {
        while self.left.load(Ordering::Acquire) > 0 && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(1));
        }
        self.orphans.end();
    }
}

/// Waits for the end of a child, which can still be waited for.
fn wait_without_reaping(child: &Child) {
    loop {
        // SAFETY: a child that was not waited for; zeroed information is valid, and is not read.
        let ended = unsafe {
            let mut info: libc::siginfo_t = std::mem::zeroed();
            libc::waitid(libc::P_PID, child.id(), &raw mut info, libc::WEXITED | libc::WNOWAIT)
        };
        if ended == 0 || io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
            return;
        }
    }
}

/// Starts an image, with its connection to the store. `null`: the standard input of images that have none.
fn start(
    job: &Job,
    rank: Rank,
    place: Option<&Placement>,
    environment: &Environment,
    null: BorrowedFd<'_>,
) -> io::Result<StartedImage> {
    let (server, image) = UnixStream::pair()?;
    let (output, its_output) = io::pipe()?;
    let (errors, its_errors) = io::pipe()?;
    let (its_input, input) = (rank.get() == 0).then(io::pipe).transpose()?.unzip();
    let is_wrapped = job.wrapped.is_empty() || job.wrapped.contains(&rank.image());
    let wrapper = if is_wrapped { &job.wrapper[..] } else { &[] };
    let words: Vec<&OsString> = wrapper.iter().chain(&job.command).collect();
    let file = environment.find(Path::new(words[0]))?;
    let arguments = words.into_iter().map(|word| text(word)).collect::<io::Result<_>>()?;
    let program = Program { file: text(file.as_os_str())?, arguments };
    let connection = image.as_raw_fd();
    let own = [
        format!("{}={connection}", XMPRUN[0]),
        format!("{}={}", XMPRUN[1], rank.get()),
        format!("{}={}", XMPRUN[2], job.images),
    ];
    let own = own.map(|variable| text(variable.as_ref()));
    let own = own.into_iter().collect::<io::Result<Vec<CString>>>()?;
    let variables = environment.variables.iter().chain(&own);
    let variables: Vec<&CStr> = variables.map(CString::as_c_str).collect();
    let input_of_image = its_input.as_ref().map_or(null.as_raw_fd(), AsRawFd::as_raw_fd);
    let standard = [input_of_image, its_output.as_raw_fd(), its_errors.as_raw_fd()];
    let cpus = place.map(|place| cpu_set(&place.cpus));
    let proxy = getpid();
    let mut prepare = || {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        if getppid() != Some(proxy) {
            return Err(io::Error::from_raw_os_error(libc::ESRCH));
        }
        setpgid(None, None)?;
        for signal in IGNORED {
            // SAFETY: sets no handler.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
        unblock_signals()?;
        if let Some(cpus) = &cpus {
            sched_setaffinity(None, cpus)?;
        }
        for (number, descriptor) in (0..).zip(standard) {
            // SAFETY: plain system call on open descriptors.
            if unsafe { libc::dup2(descriptor, number) } < 0 {
                return Err(io::Error::last_os_error());
            }
        }
        // SAFETY: plain system call on an open descriptor.
        match unsafe { libc::fcntl(connection, libc::F_SETFD, 0) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    };
    // SAFETY: the closure makes system calls only and neither allocates nor takes locks.
    let child = unsafe { Child::start(&program, &variables, &mut prepare) }?;
    Ok(StartedImage { child, input, server, output, errors })
}

/// Variables that belong to a host or a session, and not to the job: each host has its own.
const OWN: [&str; 14] = [
    "HOSTNAME",
    "HOST",
    "TMPDIR",
    "DISPLAY",
    "XAUTHORITY",
    "DBUS_SESSION_BUS_ADDRESS",
    "XDG_RUNTIME_DIR",
    "XDG_SESSION_ID",
    "SLURMD_NODENAME",
    "SLURM_NODEID",
    "SLURM_PROCID",
    "SLURM_LOCALID",
    "SLURM_TASK_PID",
    "SLURM_GTIDS",
];
const OWN_PREFIXES: [&str; 5] = ["SSH_", "SLURM_STEP", "SLURM_CPU_BIND", "PMI_", "PMIX_"];

/// The environment of the images of a host.
struct Environment {
    /// The directories in which a program is looked for.
    path: OsString,
    /// The variables, as the system takes them.
    variables: Vec<CString>,
}

impl Environment {
    /// The file of a program: it is looked for in the directories of the job, which this process need not have.
    fn find(&self, program: &Path) -> io::Result<PathBuf> {
        let file = if program.components().count() > 1 {
            program.to_owned()
        } else {
            let mut files = split_paths(&self.path).map(|directory| directory.join(program));
            let is_program =
                |file: &PathBuf| access(file, Access::EXEC_OK).is_ok() && file.is_file();
            files.find(is_program).ok_or(io::ErrorKind::NotFound)?
        };
        if is_foreign(&file) {
            return Err(io::Error::from_raw_os_error(libc::ENOEXEC));
        }
        Ok(file)
    }
}

/// The environment of the images on this host, made of the environment of the job.
fn environment(of_job: &[(OsString, OsString)]) -> Environment {
    let all = variables(of_job);
    let path = all.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.clone());
    let line = |(mut text, value): (OsString, OsString)| {
        text.push("=");
        text.push(value);
        text
    };
    // None has a zero byte.
    let variables = all.into_iter().map(line).filter_map(|line| text(&line).ok()).collect();
    Environment { path: path.unwrap_or_default(), variables }
}

fn variables(of_job: &[(OsString, OsString)]) -> Vec<(OsString, OsString)> {
    let is_own = |name: &OsString| {
        let name = name.to_string_lossy();
        OWN.contains(&&*name) || OWN_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
    };
    let of_job = of_job.iter().filter(|(name, _)| !is_own(name)).cloned();
    of_job.chain(std::env::vars_os().filter(|(name, _)| is_own(name))).collect()
}

/// A stream of an image, and the bytes that were not passed on yet.
struct Stream {
    pipe: Option<PipeReader>,
    line: Vec<u8>,
    /// When it was read from last.
    last: Instant,
}

/// Passes on the standard output and standard error of an image, in whole lines, until both have ended.
fn pass_on(rank: u32, pipes: [PipeReader; 2], whole: bool, say: &FrameSink) {
    let last = Instant::now();
    let mut streams = pipes.map(|pipe| Stream { pipe: Some(pipe), line: Vec::new(), last });
    let mut room = vec![0; 64 << 10];
    while streams.iter().any(|stream| stream.pipe.is_some()) {
        let may_ask = |stream: &Stream| rank == 0 && !whole && !stream.line.is_empty();
        let limit = streams.iter().any(may_ask).then_some(QUESTION);
        let pipes: Vec<&PipeReader> = streams.iter().filter_map(|it| it.pipe.as_ref()).collect();
        let mut entries: Vec<_> = pipes.iter().map(|pipe| readable::entry(*pipe)).collect();
        readable::wait(&mut entries, limit);
        let ready: Vec<bool> = entries.iter().map(readable::is_ready).collect();
        drop(entries);
        let mut ready = ready.into_iter();
        for (stream, is_error) in streams.iter_mut().zip([false, true]) {
            let Some(pipe) = &mut stream.pipe else { continue };
            if ready.next() == Some(true) {
                match pipe.read(&mut room) {
                    Ok(0) => stream.pipe = None,
                    Ok(count) => stream.line.extend_from_slice(&room[..count]),
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(_) => stream.pipe = None,
                }
                stream.last = Instant::now();
            }
            let newline = stream.line.iter().rposition(|&byte| byte == b'\n').map(|at| at + 1);
            let is_asking = rank == 0 && !whole && stream.last.elapsed() >= QUESTION;
            let count = if stream.pipe.is_none() || stream.line.len() > LINE || is_asking {
                stream.line.len()
            } else {
                newline.unwrap_or(0)
            };
            let mut text: Vec<u8> = stream.line.drain(..count).collect();
            if whole && text.last().is_some_and(|&last| last != b'\n') {
                text.push(b'\n');
            }
            if !text.is_empty() {
                say(Up::Output { rank, is_error, text });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_host_has_variables_of_its_own() {
        let pair = |name: &str, value: &str| (OsString::from(name), OsString::from(value));
        let of_job = [pair("A", "1"), pair("TMPDIR", "/of/another/host"), pair("SSH_CLIENT", "x")];
        let found = variables(&of_job);
        assert!(found.contains(&of_job[0]));
        assert!(!found.contains(&of_job[1]) && !found.contains(&of_job[2]));
    }

    #[test]
    fn lines_are_passed_on_whole() {
        let (sender, frames) = channel();
        let sender = Mutex::new(sender);
        let say: FrameSink = Arc::new(move |frame| _ = lock(&sender).send(frame));
        let (output, mut its_output) = io::pipe().unwrap();
        let (errors, its_errors) = io::pipe().unwrap();
        its_output.write_all(b"a\nb").unwrap();
        drop(its_errors);
        let thread = std::thread::spawn(move || pass_on(1, [output, errors], false, &say));
        let output = |text: &[u8]| Up::Output { rank: 1, is_error: false, text: text.to_vec() };
        assert_eq!(frames.recv().unwrap(), output(b"a\n"));
        its_output.write_all(b"c\nd").unwrap();
        assert_eq!(frames.recv().unwrap(), output(b"bc\n"));
        drop(its_output);
        assert_eq!(frames.recv().unwrap(), output(b"d"));
        thread.join().unwrap();
    }
}
