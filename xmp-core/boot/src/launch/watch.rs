//! The launcher's event loop: starts the images, sees their ends (SIGCHLD), passes signals on, keeps time, ends the job.

use super::bulk::Bulk;
use super::children::{self, Orphans};
use super::console::Console;
use super::hang::{Hangs, Local, expects};
use super::life;
use super::live::Live;
use super::open_files::OpenFiles;
use super::outlet::Sink;
use super::output::Streams;
use super::request::{Launch, Refusal, UNREAD_STATUS};
use super::signals::{QUESTIONS, REQUESTS, Received, Signals, in_foreground};
use super::spawn::{Process, Spawner, environment, null};
use super::status::{End, Outcome};
use super::stream::Source;
use super::thread::{self, Sharing};
use super::wake::Wake;
use super::write_order::WriteOrder;
use crate::failure;
use crate::job::Job;
use crate::job::page::ImageState;
use crate::rank::Rank;
use crate::readable;
use crate::region::{MemoryKills, RegionFile};
use crate::sync::AtomicU32;
use rustix::fs::{FileType, fstat};
use rustix::process::{Signal, getpid, kill_process};
use std::io::{self, IsTerminal};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Requests to end that arrive within this time of the first are the same request: `timeout(1)` sends its signal to
/// this process and to its process group.
const SAME_REQUEST: Duration = Duration::from_millis(200);
/// Longest sleep of the event loop. SIGCHLD may be lost: a library of a program that launches itself may have started a
/// thread before, in which the signal is not blocked.
const LONGEST_SLEEP: Duration = Duration::from_secs(1);

/// Starts the images and watches them until all have ended and none of their processes remains.
pub(super) fn run(
    launch: &Launch,
    job: &Job,
    region: RegionFile,
    signals: &Signals,
    open_files: &OpenFiles,
    sharing: Sharing,
) -> Result<Outcome, Refusal> {
    sharing.apply();
    let orphans = Orphans::adopt()?;
    let wake = Wake::new()?;
    let console = Console::new()?;
    let is_forwarding = launch.prefix_output || launch.forwards_errors();
    let order = if is_forwarding { WriteOrder::new() } else { None };
    let stop = AtomicU32::new(0);
    let requested = AtomicBool::new(false);
    let output_done = AtomicBool::new(!is_forwarding);
    let deaths: Vec<AtomicBool> = job.ranks().map(|_| AtomicBool::new(false)).collect();
    let died = |rank: Rank| {
        // A death without a reader of the output is left to the event loop, which sees its signal.
        // Deaths by a signal that was sent to the job from outside are no failures of the program: the event loop,
        // which sees the signal, handles them. In error termination images leave without having stopped.
        let expected = requested.load(Ordering::Acquire) || failure::ending(job).is_some();
        if job.state(rank) == ImageState::Running && !expected && !output_is_unread() {
            // In this order: consequences must not be noticed before their cause is known.
            deaths[rank.index()].store(true, Ordering::Release);
            failure::publish_failed(job, rank);
            tracing::debug!(image = rank.image(), "died (life mutex)");
            wake.wake();
        }
    };
    // Images that need the terminal's input, or whose user presses keys, stay in this process group: signals of the
    // terminal reach them directly. All others get groups of their own, so that only the launcher sends them signals
    // and each arrives once.
    let own_groups = !io::stdin().is_terminal() && !in_foreground();
    let given = if own_groups { signals.given() } else { signals.given().without_quit() };
    let RegionFile { file, mount, .. } = region;
    let (region, output, order) = (file.as_fd(), launch.output(), order.as_ref());
    let (environment, null) = (environment(), null()?);
    let spawner =
        Spawner { launch, region, given, open_files, own_groups, output, order, environment, null };
    std::thread::scope(|scope| {
        let _stop = life::Stop(&stop);
        for group in life::groups(job.region_ranks()) {
            let (stop, died) = (&stop, &died);
            thread::start(scope, sharing, move || life::watch(job, group, stop, died))?;
        }
        let started = Instant::now();
        let mut watch = Watch {
            launch,
            job,
            console: &console,
            images: Vec::new(),
            own_groups,
            requested: &requested,
            deaths: &deaths,
            request: None,
            timeout: launch.timeout.map(|limit| started + limit),
            live: launch.watch.map(|every| Live::new(every, started)),
            grace: None,
            kill: None,
            reports: None,
            terminating: false,
            timed_out: false,
            hangs: Hangs::new(Local::default(), &launch.settings),
            memory_kills: MemoryKills::default(),
        };
        watch.start_images(&spawner, signals, &wake, &orphans)?;
        // Images do not wait for this.
        drop(mount);
        if launch.shows_processes {
            watch.report_processes();
        }
        let forwarding = is_forwarding
            .then(|| {
                watch.take_output(job, order).start(scope, sharing, &console, &output_done, &wake)
            })
            .transpose()?;
        watch.until_ended(signals, &wake, &orphans, &output_done);
        let output_lost = forwarding.is_some_and(|thread| thread.join().unwrap_or(true));
        Ok(Outcome { output_lost, ..watch.outcome() })
    })
}

/// Whether a question is for the program, too, because it uses the signal itself. Run-time libraries of compilers handle
/// SIGQUIT, but only to die of it.
fn image_expects(image: &Image, signal: libc::c_int) -> bool {
    signal != libc::SIGQUIT && expects(image.process.id(), signal)
}

/// Whether the output of the job has no reader any more (`xmprun ... | head`). Then SIGPIPE kills images, which is no
/// failure of the program.
fn output_is_unread() -> bool {
    let mut output = libc::pollfd { fd: libc::STDOUT_FILENO, events: 0, revents: 0 };
    // SAFETY: one descriptor; the call does not wait.
    let ready = unsafe { libc::poll(&raw mut output, 1, 0) };
    ready == 1 && output.revents & libc::POLLERR != 0
}

/// Whether a user, or another program, may answer questions of image 1: standard input is no file.
fn may_answer() -> bool {
    let kind = fstat(io::stdin()).map(|stat| FileType::from_raw_mode(stat.st_mode));
    let is_terminal = io::stdin().is_terminal();
    is_terminal || matches!(kind, Ok(FileType::Fifo | FileType::Socket))
}

/// An image as the event loop sees it.
pub(super) struct Image {
    pub(super) process: Process,
    pub(super) end: Option<End>,
    /// It died, and not by the launcher.
    pub(super) casualty: bool,
    /// False when its process has ended with status 0 without having joined the job.
    pub(super) joined: bool,
}

/// A job and the launcher's knowledge of it.
pub(super) struct Watch<'a> {
    pub(super) launch: &'a Launch,
    pub(super) job: &'a Job,
    pub(super) console: &'a Console,
    pub(super) images: Vec<Image>,
    pub(super) own_groups: bool,
    /// Whether a signal from outside has requested the end of the job.
    pub(super) requested: &'a AtomicBool,
    /// That signal, and when it came.
    pub(super) request: Option<(libc::c_int, Instant)>,
    /// Images whose life mutex has lost its owner: they are dying, or have.
    pub(super) deaths: &'a [AtomicBool],
    /// When the job reaches its time limit.
    pub(super) timeout: Option<Instant>,
    /// The table that `--watch` asks for.
    pub(super) live: Option<Live>,
    /// When a failure that no image noticed ends the job.
    pub(super) grace: Option<Instant>,
    /// When terminated images are killed.
    pub(super) kill: Option<Instant>,
    /// Since when the job is ending, while images may complete their reports.
    pub(super) reports: Option<Instant>,
    /// SIGTERM has been sent.
    pub(super) terminating: bool,
    pub(super) timed_out: bool,
    /// The waits of the images.
    pub(super) hangs: Hangs<Local>,
    /// The processes that the system had killed for lack of memory before the job.
    pub(super) memory_kills: MemoryKills,
}

impl Watch<'_> {
    fn report_processes(&self) {
        let processes = self.images.iter().map(|image| image.process.id().to_string());
        let processes = processes.collect::<Vec<_>>().join(", ");
        self.console.report(format_args!("processes of the images, from image 1 on: {processes}"));
    }

    fn take_output<'b>(&mut self, job: &'b Job, order: Option<&'b WriteOrder>) -> Streams<'b> {
        let bulk = order.map(|order| Bulk { job, order });
        let mut streams = Streams::new(bulk, may_answer());
        for (number, image) in self.images.iter_mut().enumerate() {
            let source =
                Source { rank: Rank::new(number as u32), process: image.process.child.pid() };
            match image.process.output.take() {
                Some(pipe) if self.launch.prefix_output => {
                    streams.add_prefixed(source, pipe.into(), Sink::Stdout);
                }
                Some(pipe) => streams.add_output(source, pipe.into()),
                None => {}
            }
            match image.process.errors.take() {
                Some(pipe) if self.launch.prefix_output => {
                    streams.add_prefixed(source, pipe.into(), Sink::Stderr);
                }
                Some(pipe) => streams.add_errors(source, pipe.into()),
                None => {}
            }
        }
        streams
    }

    fn until_ended(
        &mut self,
        signals: &Signals,
        wake: &Wake,
        orphans: &Orphans,
        output_done: &AtomicBool,
    ) {
        while self.running().next().is_some() {
            self.wait(signals, wake, LONGEST_SLEEP);
            self.look(signals, wake, orphans);
        }
        // They may hold the other end of output pipes.
        orphans.end();
        (self.timeout, self.grace, self.kill, self.live) = (None, None, None, None);
        while !output_done.load(Ordering::Acquire) {
            self.wait(signals, wake, LONGEST_SLEEP);
            wake.clear();
            while let Some(signal) = signals.next() {
                if REQUESTS.contains(&signal.number) {
                    // Our output has no reader. The signal requests that the rest be dropped.
                    std::process::exit(128 + signal.number);
                }
            }
        }
    }

    pub(super) fn running(&self) -> impl Iterator<Item = (Rank, &Image)> {
        self.images
            .iter()
            .enumerate()
            .filter(|(_, image)| image.end.is_none())
            .map(|(number, image)| (Rank::new(number as u32), image))
    }

    /// Whether images run, or are to be started.
    fn has_others(&self) -> bool {
        self.running().next().is_some() || self.images.len() < self.job.images()
    }

    /// When the waits of images are to be looked at.
    fn next_look(&self) -> Option<Instant> {
        let is_due = !self.terminating && self.running().next().is_some();
        is_due.then(|| self.hangs.next())
    }

    /// Sleeps until an event or the next deadline, at most for `longest`. Returns whether there is something to do.
    pub(super) fn wait(&self, signals: &Signals, wake: &Wake, longest: Duration) -> bool {
        let descriptors = [signals.as_fd(), wake.as_fd()];
        let mut polled = descriptors.each_ref().map(readable::entry);
        let live = self.live.as_ref().map(Live::next);
        let (look, reports) = (self.next_look(), self.reports_end());
        let deadlines = [self.timeout, self.grace, self.kill, live, look, reports];
        let next = deadlines.into_iter().flatten().min();
        let left = next.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let is_due = left.is_some_and(|left| left.is_zero());
        readable::wait(&mut polled, Some(left.map_or(longest, |left| left.min(longest))));
        is_due || polled.iter().any(readable::is_ready)
    }

    /// Does all that is to be done now.
    pub(super) fn look(&mut self, signals: &Signals, wake: &Wake, orphans: &Orphans) {
        wake.clear();
        while let Some(signal) = signals.next() {
            self.on_signal(signal);
        }
        self.look_for_ends(orphans);
        self.look_at_job();
        self.look_at_clock();
    }

    fn on_signal(&mut self, signal: Received) {
        if signal.number == libc::SIGCHLD {
            return;
        }
        tracing::debug!(signal = signal.number, key = signal.from_key, "received");
        let is_question = QUESTIONS.contains(&signal.number);
        let is_request = REQUESTS.contains(&signal.number);
        // Batch systems send SIGTERM at the time limit: the user wants to know the activities of the job.
        let is_limit =
            signal.number == libc::SIGTERM && self.request.is_none() && !self.terminating;
        if is_question || is_limit {
            self.console.report(format_args!("{}", self.hangs.table(self.job)));
        }
        if is_request {
            let now = Instant::now();
            match self.request {
                None => {
                    self.request = Some((signal.number, now));
                    self.requested.store(true, Ordering::Release);
                }
                Some((_, first)) if now - first < SAME_REQUEST => return,
                // Requested again: do not leave it to the program any longer.
                Some(_) if self.terminating => return self.kill_all(),
                Some(_) => return self.end_job(128 + signal.number),
            }
        }
        if self.own_groups || !signal.from_key {
            for (_, image) in self.running() {
                if is_request {
                    image.process.request_end(signal.number);
                } else if !is_question || image_expects(image, signal.number) {
                    image.process.signal(signal.number);
                }
            }
        } else if is_request {
            // The terminal has sent the request.
            self.running().for_each(|(_, image)| image.process.signal(libc::SIGCONT));
        }
        if signal.number == libc::SIGTSTP {
            // Returns when this process is continued.
            let _ = kill_process(getpid(), Signal::STOP);
        }
    }

    /// Asks the system which processes have ended: to ask for each of thousands of images takes longer than they take to end.
    fn look_for_ends(&mut self, orphans: &Orphans) {
        if orphans.have_others() {
            return (0..self.images.len()).for_each(|number| self.look_for_end(number));
        }
        while let Some(process) = children::ended() {
            // An orphan may have the number of an image that has ended.
            let is_it = |image: &Image| {
                image.end.is_none() && image.process.id() == process.as_raw_pid() as u32
            };
            match self.images.iter().position(is_it) {
                Some(number) => self.look_for_end(number),
                // A process that an image has started and not waited for.
                None => children::reap(process),
            }
        }
    }

    fn look_for_end(&mut self, number: usize) {
        let image = &mut self.images[number];
        if image.end.is_some() {
            return;
        }
        if let Some(status) = image.process.child.try_wait() {
            let end = End::from(status);
            image.end = Some(end);
            self.on_end(Rank::new(number as u32), end);
        }
    }

    fn on_end(&mut self, rank: Rank, end: End) {
        let process = self.images[rank.index()].process.id();
        tracing::debug!(image = rank.image(), process, ?end, "ended");
        let running = self.job.state(rank) == ImageState::Running;
        // It had joined the job and left it unannounced, past its exit handlers.
        let deserted = self.deaths[rank.index()].load(Ordering::Acquire)
            || running
                && failure::has_died(self.job.entry(rank))
                && failure::ending(self.job).is_none();
        match end {
            End::Killed(signal) if self.request.is_some_and(|(number, _)| number == signal) => {
                self.end_job(128 + signal);
            }
            End::Killed(_) => self.on_death(rank, end),
            End::Exited(_) if deserted => self.on_death(rank, end),
            End::Exited(code) if running => self.on_exit_without_stop(rank, code),
            End::Exited(_) => {}
        }
    }

    fn on_death(&mut self, rank: Rank, end: End) {
        let image = &mut self.images[rank.index()];
        // An image that was not dying before it was terminated is no casualty; nor is a program that did not die with
        // the image that it had started (`xmprun sh -c ...`) but by our SIGTERM.
        image.casualty |= !self.terminating;
        image.casualty &= !self.terminating || end != End::Killed(libc::SIGTERM);
        if end == End::Killed(libc::SIGPIPE) && output_is_unread() {
            // Before other images learn that it has failed: they end quietly.
            return self.end_job(UNREAD_STATUS);
        }
        if image.casualty {
            failure::publish_failed(self.job, rank);
            let end = end.with_reason(&self.memory_kills);
            self.console.report(format_args!("{rank} (process {}) {end}", image.process.id()));
        }
    }

    /// Handles the end of an image's program that has never used this library.
    fn on_exit_without_stop(&mut self, rank: Rank, code: i32) {
        if code == 0 {
            self.images[rank.index()].joined = false;
            failure::publish_stopped(self.job, rank);
        } else if failure::start_ending(self.job, rank, code) && self.has_others() {
            self.console
                .report(format_args!("{rank} ended with exit status {code}: ending the job"));
        }
    }

    fn outcome(&self) -> Outcome {
        let acknowledged = failure::is_acknowledged(self.job);
        let casualties = self.images.iter().filter(|image| image.casualty && !acknowledged);
        Outcome {
            timed_out: self.timed_out,
            ending: failure::ending(self.job).map(|(_, code)| code),
            casualties: casualties.filter_map(|image| image.end).collect(),
            // All have ended: `until_ended` has returned.
            ends: self.images.iter().filter_map(|image| image.end).collect(),
            no_image_joined: self.images.iter().all(|image| !image.joined),
            output_lost: false,
        }
    }
}
