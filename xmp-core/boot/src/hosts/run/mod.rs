//! The launcher of a job on several hosts: starts proxies, has them start images, joins these, and sees the end of all.
//!
//! | subject | module |
//! |---|---|
//! | the events of a job, and messages of proxies | this one |
//! | the job that proxies start | `job` |
//! | signals, input and questions of the user | `user` |
//! | processes that ask for the stacks of the images | `askers` |
//! | ends of images, hosts and the job | `ends` |

mod askers;
mod ends;
mod job;
mod user;

pub use askers::ask_for_stacks;

use super::allocation::Reach;
use super::children::{Children, EventSink, ProxyEvent, lock};
use super::frame::{Down, Setup, Up, Values};
use super::list::{HostSlots, short};
use super::proxy::version;
use crate::error::{Error, Result};
use crate::failure::ERROR_STATUS;
use crate::launch::wake::Wake;
use crate::launch::warnings::of_job_without_image;
use crate::launch::{Collected, End, Ended, Launch, REQUESTS, Sharing, Signals, UNREAD_STATUS};
use crate::rank::Rank;
use crate::readable;
use crate::settings::Settings;
use askers::Askers;
use std::ffi::OsString;
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The hosts of a job, and how they are reached.
#[derive(Clone, Debug)]
pub struct Hosts {
    /// The hosts.
    pub hosts: Vec<HostSlots>,
    /// The command that starts proxies on the hosts.
    pub reach: Reach,
    /// Most proxies that a process starts itself; with more hosts the others are started by these.
    pub fan_out: u32,
    /// Number of images; `None`: as many as there are slots.
    pub images: Option<u32>,
    /// The binding of images, in words of the command line.
    pub binding: String,
    /// The path of `xmprun`.
    pub program: OsString,
}

/// The time that proxies may take to answer at least.
const ANSWERS: Duration = Duration::from_secs(60);
/// The time that proxies may take to end after their images.
const ENDING: Duration = Duration::from_secs(5);
/// The time by which images that end by themselves may exceed the time that they were given.
const PATIENCE: Duration = Duration::from_secs(5);

/// An event that another thread of the launcher reports.
enum Event {
    ProxyEvent(ProxyEvent),
    /// A process asks for the stacks of all images.
    Asked(UnixStream),
    /// Output of the images has no reader any more.
    Unread,
}

/// The state of a host.
#[derive(Debug, Default)]
struct Host {
    /// Its cores, when its proxy has answered.
    cores: Option<u32>,
    /// Its first image and how many it has.
    part: (u32, u32),
    has_met: bool,
    is_done: bool,
}

struct Run<'a> {
    launch: &'a Launch,
    request: &'a Hosts,
    hosts: Vec<Host>,
    children: Arc<Children>,
    events: Receiver<Event>,
    wake: Arc<Wake>,
    signals: Signals,
    output: Arc<Mutex<Collected>>,
    ends: Vec<Option<End>>,
    values: Values,
    /// Whether images wait for all others, and whether they have met.
    is_meeting: bool,
    have_met: bool,
    /// The first death that is no consequence of another end.
    casualty: Option<End>,
    /// The status that is known before the ends of the images.
    status: Option<i32>,
    /// The last request of a user to end the job.
    asked: Option<(i32, Instant)>,
    timeout: Option<Instant>,
    /// When all images are killed.
    kill: Option<Instant>,
    /// When those that cannot be ended are left alone.
    give_up: Option<Instant>,
    more_input: Option<Sender<()>>,
    askers: Askers,
}

/// Runs a program as images on several hosts. When the job cannot be started, the reason is written to standard error, and nothing
/// remains on any host.
pub fn run(launch: &Launch, request: &Hosts) -> Ended {
    let status = started(launch, request).unwrap_or_else(|error| {
        crate::report::report(format_args!("{error}"));
        match error {
            Error::Setting { .. } | Error::Invalid(_) => crate::launch::USAGE_STATUS,
            _ => ERROR_STATUS,
        }
    });
    Ended { status, huge_pages: None }
}

fn started(launch: &Launch, request: &Hosts) -> Result<i32> {
    crate::launch::occupy_standard_descriptors()?;
    let signals = Signals::take(Sharing::Usual)?;
    let (sender, events) = channel();
    let wake = Arc::new(Wake::new()?);
    let output = Arc::new(Mutex::new(Collected::new(launch.prefix_output)));
    let ear = ear(&output, sender.clone(), wake.clone());
    let until = Instant::now() + launch.settings.host_timeout.min(ANSWERS).max(PATIENCE);
    let mut interrupted = None;
    let children = start_proxies(request, &launch.settings, until, &ear, || {
        while let Some(signal) = signals.next() {
            if REQUESTS.contains(&signal.number) {
                interrupted = Some(signal.number);
                return Err(Error::JobEnding);
            }
        }
        Ok(())
    });
    if let Some(signal) = interrupted {
        return Ok(128 + signal);
    }
    let its = wake.clone();
    askers::listen(move |asker| {
        // It lives as long as this process has a job.
        let _ = sender.send(Event::Asked(asker));
        its.wake();
    });
    let mut run = Run {
        launch,
        request,
        hosts: request.hosts.iter().map(|_| Host::default()).collect(),
        children: Arc::new(children?),
        events,
        wake,
        signals,
        output,
        ends: Vec::new(),
        values: Values::new(),
        is_meeting: false,
        have_met: false,
        casualty: None,
        status: None,
        asked: None,
        timeout: launch.timeout.map(|limit| Instant::now() + limit),
        kill: None,
        give_up: None,
        more_input: None,
        askers: Askers::default(),
    };
    let status = run.work(until);
    run.children.finish(Instant::now() + ENDING);
    let output_lost = lock(&run.output).finish();
    let status = status.map(|()| run.exit_status(output_lost))?;
    let images = run.ends.len() as u32;
    if status == 0 && !run.is_meeting && !run.have_met && images > 1 && !launch.quiet {
        of_job_without_image(images);
    }
    Ok(status)
}

/// Receives the frames of proxies. Output is written at once, so that a slow reader of the launcher keeps images
/// waiting, and not this process.
fn ear(output: &Arc<Mutex<Collected>>, sender: Sender<Event>, wake: Arc<Wake>) -> EventSink {
    let (output, sender) = (output.clone(), Mutex::new(sender));
    Arc::new(move |heard| {
        let event = match heard {
            ProxyEvent::Frame(Up::Output { rank, is_error, text }) => {
                if lock(&output).add(Rank::new(rank), is_error, &text) {
                    return;
                }
                Event::Unread
            }
            heard => Event::ProxyEvent(heard),
        };
        // It lives as long as this process has a job.
        let _ = lock(&sender).send(event);
        wake.wake();
    })
}

fn start_proxies(
    request: &Hosts,
    settings: &Settings,
    until: Instant,
    ear: &EventSink,
    look: impl FnMut() -> Result<()>,
) -> Result<Children> {
    let names: Vec<String> = request.hosts.iter().map(|host| host.name.clone()).collect();
    let interfaces = settings.net_interface.as_deref();
    let silence = u32::try_from(settings.host_timeout.as_secs()).unwrap_or(u32::MAX).max(1);
    let counts_cores = request.hosts.iter().any(|host| host.slots.is_none());
    let program = request.program.clone();
    let fan_out = request.fan_out;
    let setup = Setup { program, fan_out, counts_cores, silence, ..Setup::default() };
    match &request.reach {
        Reach::Srun => Children::by_srun(&names, setup, interfaces, until, look, ear),
        Reach::Command(reach) => {
            let below = (0..).zip(names).collect();
            let setup = Setup { below, reach: reach.clone(), ..setup };
            Children::by_commands(&setup, is_here, ear)
        }
    }
}

/// Whether this is the name of the host of this process.
pub fn is_here(name: &str) -> bool {
    let own = rustix::system::uname();
    name == "localhost" || short(name) == short(&own.nodename().to_string_lossy())
}

impl Run<'_> {
    fn work(&mut self, until: Instant) -> Result<()> {
        while self.status.is_none() && self.hosts.iter().any(|host| host.cores.is_none()) {
            if Instant::now() >= until {
                return Err(self.unanswered());
            }
            self.look(Some(until))?;
        }
        if self.status.is_some() {
            return Ok(());
        }
        let job = self.job()?;
        self.ends = vec![None; job.images as usize];
        self.children.send(&Down::Job(job));
        self.forward_input()?;
        while self.hosts.iter().any(|host| !host.is_done) {
            let now = Instant::now();
            if self.give_up.is_some_and(|at| at <= now) {
                break;
            }
            if self.kill.is_some_and(|at| at <= now) {
                self.kill_all();
            }
            if self.timeout.is_some_and(|at| at <= now) {
                self.time_out();
            }
            let due = lock(&self.output).next();
            if due.is_some_and(|at| at <= now) {
                lock(&self.output).write_due();
            }
            let next = [self.give_up, self.kill, self.timeout, due].into_iter().flatten().min();
            self.look(next)?;
        }
        Ok(())
    }

    fn unanswered(&self) -> Error {
        let names = self.request.hosts.iter().zip(&self.hosts);
        let missing = names.filter(|(_, host)| host.cores.is_none()).map(|(host, _)| &*host.name);
        let missing: Vec<&str> = missing.collect();
        Error::system(
            format!("no answer from {}", missing.join(", ")),
            "does `ssh HOST true` work there without a question?",
        )
    }

    /// Waits for an event, until then at most, and handles it.
    fn look(&mut self, until: Option<Instant>) -> Result<()> {
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        readable::wait(&mut [readable::entry(&self.signals), readable::entry(&*self.wake)], left);
        self.wake.clear();
        while let Some(signal) = self.signals.next() {
            self.received(signal.number);
        }
        while let Ok(event) = self.events.try_recv() {
            match event {
                Event::ProxyEvent(ProxyEvent::Frame(frame)) => self.heard(frame)?,
                Event::ProxyEvent(ProxyEvent::Closed { host, why }) => self.closed(host, &why)?,
                Event::Asked(asker) => self.asked_by(asker),
                Event::Unread if self.status.is_none() => self.end_with(UNREAD_STATUS),
                Event::Unread => {}
            }
        }
        Ok(())
    }

    fn name(&self, host: u32) -> &str {
        self.request.hosts.get(host as usize).map_or("an unknown host", |host| &host.name)
    }

    fn host_of(&self, rank: u32) -> u32 {
        let has = |host: &Host| (host.part.0..host.part.0 + host.part.1).contains(&rank);
        self.hosts.iter().position(has).unwrap_or(0) as u32
    }

    fn heard(&mut self, frame: Up) -> Result<()> {
        match frame {
            Up::Hello { host, version: its, name, cores } => {
                if its != version() {
                    return Err(Error::Invalid(format!(
                        "{}: {} there is XMP-RT {its}, and here it is {}: install the same version on all hosts ({name} has \
                         answered)",
                        self.name(host),
                        self.request.program.display(),
                        version()
                    )));
                }
                if let Some(host) = self.hosts.get_mut(host as usize) {
                    host.cores = Some(cores.max(1));
                }
            }
            Up::Refused { host, status, text } => {
                if self.status.is_none() {
                    let text = format!("{}: {text}", self.name(host));
                    lock(&self.output).report(&text);
                    self.end_with(status);
                }
                self.done(host);
            }
            Up::Lost { host, text } => self.closed(host, &text)?,
            Up::Output { .. } => {}
            Up::InputTaken => {
                if let Some(more) = &self.more_input {
                    // The thread has ended at the end of input.
                    let _ = more.send(());
                }
            }
            Up::Waits { .. } => {
                self.is_meeting = true;
                self.look_for_absent();
            }
            Up::Met { host, values } => {
                self.values.extend(values);
                if let Some(host) = self.hosts.get_mut(host as usize) {
                    host.has_met = true;
                }
                if self.hosts.iter().all(|host| host.has_met || host.part.1 == 0) {
                    self.hosts.iter_mut().for_each(|host| host.has_met = false);
                    (self.is_meeting, self.have_met) = (false, true);
                    self.children.send(&Down::Release(std::mem::take(&mut self.values)));
                }
            }
            Up::Aborted { rank, status } => self.aborted(rank, status),
            Up::Ended { rank, status, has_left } => self.ended(rank, status, has_left),
            Up::Done { host } => self.done(host),
            Up::Stack { .. } | Up::Stacks { .. } => self.askers.hear(&frame),
        }
        Ok(())
    }

    fn done(&mut self, host: u32) {
        if let Some(host) = self.hosts.get_mut(host as usize) {
            host.is_done = true;
        }
        self.askers.gone(host);
    }
}
