//! The images that a proxy has started on its host: their processes, their input, their ends.

use super::children::{in_background, lock};
use super::environment::environment;
use super::frame::{Job, Up};
use super::output::{FrameSink, pass_on};
use super::start::{StartedImage, start};
use super::store::{Request, Store};
use crate::error::{Error, system_message};
use crate::launch::execute::Child;
use crate::launch::hang::expects;
use crate::launch::{Orphans, Placement, QUESTIONS, failure_to_start, null};
use crate::rank::Rank;
use rustix::process::Pid;
use std::io::{self, PipeWriter, Write};
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The time for which the output of an image is read after its end: processes that it has started may keep its pipes.
const OUTPUT: Duration = Duration::from_millis(200);
/// The time for which the output of all images is read when no process of them is left.
const ALL_OUTPUT: Duration = Duration::from_secs(5);

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
