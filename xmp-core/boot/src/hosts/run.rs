//! The launcher of a job on several hosts: starts proxies, has them start images, joins these, and sees the end of all.

use super::allocation::Reach;
use super::children::{Children, Ear, Heard, in_background, lock};
use super::frame::{Down, Job, Setup, Up, Values};
use super::list::{HostSlots, shares, short};
use super::proxy::version;
use crate::error::{Error, Result};
use crate::failure::{Complainants, ERROR_STATUS};
use crate::launch::wake::Wake;
use crate::launch::{
    Collected, End, Ended, JOB_VARIABLE, Launch, Outcome, REQUESTS, Sharing, Signals,
    UNREAD_STATUS, exit_status, in_foreground,
};
use crate::rank::Rank;
use crate::readable;
use rustix::process::{Signal, getpid, kill_process};
use rustix::rand::{GetRandomFlags, getrandom};
use std::ffi::OsString;
use std::io::{self, IsTerminal, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The hosts of a job, and how they are reached.
#[derive(Clone, Debug)]
pub struct Hosts {
    /// The hosts.
    pub hosts: Vec<HostSlots>,
    /// What starts proxies on them.
    pub reach: Reach,
    /// Most proxies that a process starts itself; with more hosts the others are started by these.
    pub fan_out: u32,
    /// Number of images; `None`: as many as there are slots.
    pub images: Option<u32>,
    /// What images are bound to, in words of the command line.
    pub binding: String,
    /// The path of `xmprun`.
    pub program: OsString,
}

/// How long proxies may take to answer at least.
const ANSWERS: Duration = Duration::from_secs(60);
/// How long proxies may take to end when their images have.
const ENDING: Duration = Duration::from_secs(5);
/// How long images that end by themselves may take longer than these have been told to.
const PATIENCE: Duration = Duration::from_secs(5);
/// Requests to end that arrive within this time of the first are the same request.
const SAME_REQUEST: Duration = Duration::from_millis(200);
/// Bytes of standard input that are on their way at most.
const INPUT: usize = 64 << 10;

/// What the launcher's other threads tell it.
enum Event {
    Heard(Heard),
    /// Output of the images has no reader any more.
    Unread,
}

/// What is known of a host.
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
    let ear = ear(&output, sender, wake.clone());
    let until = Instant::now() + launch.settings.host_timeout.min(ANSWERS).max(PATIENCE);
    let mut interrupted = None;
    let interfaces = launch.settings.net_interface.as_deref();
    let children = start_proxies(request, interfaces, until, &ear, || {
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
    };
    let status = run.work(until);
    run.children.finish(Instant::now() + ENDING);
    let output_lost = lock(&run.output).finish();
    status.map(|()| run.exit_status(output_lost))
}

/// Hears what proxies send: output is written at once, so that a slow reader of ours keeps images waiting, and not this process.
fn ear(output: &Arc<Mutex<Collected>>, sender: Sender<Event>, wake: Arc<Wake>) -> Ear {
    let (output, sender) = (output.clone(), Mutex::new(sender));
    Arc::new(move |heard| {
        let event = match heard {
            Heard::Frame(Up::Output { rank, is_error, text }) => {
                if lock(&output).add(Rank::new(rank), is_error, &text) {
                    return;
                }
                Event::Unread
            }
            heard => Event::Heard(heard),
        };
        // It lives as long as this process has a job.
        let _ = lock(&sender).send(event);
        wake.wake();
    })
}

fn start_proxies(
    request: &Hosts,
    interfaces: Option<&str>,
    until: Instant,
    ear: &Ear,
    look: impl FnMut() -> Result<()>,
) -> Result<Children> {
    let names: Vec<String> = request.hosts.iter().map(|host| host.name.clone()).collect();
    let counts_cores = request.hosts.iter().any(|host| host.slots.is_none());
    let program = request.program.clone();
    let setup = Setup { program, fan_out: request.fan_out, counts_cores, ..Setup::default() };
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

    /// Waits for something to happen, until then at most, and does what follows from it.
    fn look(&mut self, until: Option<Instant>) -> Result<()> {
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        readable::wait(&mut [readable::entry(&self.signals), readable::entry(&*self.wake)], left);
        self.wake.clear();
        while let Some(signal) = self.signals.next() {
            self.received(signal.number);
        }
        while let Ok(event) = self.events.try_recv() {
            match event {
                Event::Heard(Heard::Frame(frame)) => self.heard(frame)?,
                Event::Heard(Heard::Closed { host, why }) => self.closed(host, &why)?,
                Event::Unread if self.status.is_none() => self.end_with(UNREAD_STATUS),
                Event::Unread => {}
            }
        }
        Ok(())
    }

    /// The job for the hosts that have answered.
    fn job(&mut self) -> Result<Job> {
        let hosts = self.request.hosts.iter().zip(&self.hosts);
        let slots: Vec<u32> =
            hosts.map(|(host, its)| host.slots.or(its.cores).unwrap_or(1).max(1)).collect();
        let all: u32 = slots.iter().sum();
        let images = self.request.images.unwrap_or(all);
        if images > all && !self.launch.quiet {
            let text = format!(
                "warning: {images} images for {all} slots on {} hosts: images share processors and wait for one another. -n {all} \
                 starts one for each slot; the option -q turns this warning off",
                slots.len()
            );
            lock(&self.output).report(&text);
        }
        let mut first = 0;
        for (host, count) in self.hosts.iter_mut().zip(shares(images, &slots)) {
            host.part = (first, count);
            first += count;
        }
        let mut secret = vec![0; 16];
        getrandom(&mut secret[..], GetRandomFlags::empty())
            .map_err(|error| Error::os("no secret for the job", error.into()))?;
        let launch = self.launch;
        let wrapper = launch.wrapper.as_ref();
        let wrapped =
            wrapper.map(|wrapper| wrapper.images.iter().map(|rank| rank.image()).collect());
        Ok(Job {
            images,
            parts: self.hosts.iter().map(|host| host.part).collect(),
            secret,
            directory: directory().into_os_string(),
            command: [&launch.program].into_iter().chain(&launch.args).cloned().collect(),
            environment: environment(launch.timeout),
            wrapper: wrapper.map(|wrapper| wrapper.command.clone()).unwrap_or_default(),
            wrapped: wrapped.unwrap_or_default(),
            binding: self.request.binding.clone(),
            whole_lines: launch.prefix_output,
        })
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
            Up::Aborted { status, .. } => {
                if self.status.is_none() {
                    self.end_with(status);
                }
            }
            Up::Ended { rank, status, has_left } => self.ended(rank, status, has_left),
            Up::Done { host } => self.done(host),
        }
        Ok(())
    }

    fn done(&mut self, host: u32) {
        if let Some(host) = self.hosts.get_mut(host as usize) {
            host.is_done = true;
        }
    }

    fn ended(&mut self, rank: u32, status: i32, has_left: bool) {
        let end = End::from(ExitStatus::from_raw(status));
        let is_first = self.ends.iter().flatten().all(|end| *end == End::Exited(0));
        if let Some(its) = self.ends.get_mut(rank as usize) {
            *its = Some(end);
        }
        lock(&self.output).end(Rank::new(rank));
        if is_first && end != End::Exited(0) && self.status.is_none() && self.asked.is_none() {
            self.casualty = matches!(end, End::Killed(_)).then_some(end);
            if !has_left {
                let text =
                    format!("{} on {} {end}", Rank::new(rank), self.name(self.host_of(rank)));
                lock(&self.output).report(&text);
            }
        }
        if self.asked.is_some() && self.kill.is_none() {
            self.kill = Some(Instant::now() + self.launch.settings.kill_grace + PATIENCE);
        }
        self.look_for_absent();
    }

    /// Images that wait for all others wait in vain when one of these has ended.
    fn look_for_absent(&mut self) {
        let ended = self.ends.iter().position(Option::is_some);
        let Some(rank) = ended.filter(|_| self.is_meeting && self.status.is_none()) else { return };
        let rank = rank as u32;
        let text = format!(
            "{} on {} has ended before all images have met: the others are ended",
            Rank::new(rank),
            self.name(self.host_of(rank))
        );
        lock(&self.output).report(&text);
        let end = self.ends[rank as usize];
        let status = match end {
            Some(End::Exited(code)) if code != 0 => code,
            Some(End::Killed(signal)) => 128 + signal,
            _ => ERROR_STATUS,
        };
        self.end_with(status);
    }

    /// Nothing more comes from a host.
    fn closed(&mut self, host: u32, why: &str) -> Result<()> {
        let Some(state) = self.hosts.get(host as usize).filter(|host| !host.is_done) else {
            return Ok(());
        };
        let (name, (first, count)) = (self.name(host), state.part);
        if self.ends.is_empty() {
            return Err(Error::system(format!("cannot start images on {name}"), why));
        }
        let left = (first..first + count).filter(|&rank| self.ends[rank as usize].is_none());
        let left: Vec<Rank> = left.map(Rank::new).collect();
        if self.status.is_none() {
            let text = if left.is_empty() {
                format!("{name}: {why}")
            } else {
                format!("host {name} is lost, with {}: {why}", Complainants::from(left.clone()))
            };
            lock(&self.output).report(&text);
        }
        for rank in left {
            self.ends[rank.index()] = Some(End::Killed(libc::SIGKILL));
        }
        self.casualty.get_or_insert(End::Killed(libc::SIGKILL));
        self.done(host);
        // The images that are left find out by themselves what has become of the others.
        let settings = &self.launch.settings;
        let limit = settings.host_timeout + settings.failure_grace + PATIENCE;
        self.kill.get_or_insert(Instant::now() + limit);
        self.look_for_absent();
        Ok(())
    }

    /// Ends all images, with this status of the job.
    fn end_with(&mut self, status: i32) {
        self.status = Some(status);
        self.kill_all();
    }

    fn kill_all(&mut self) {
        self.kill = None;
        self.children.send(&Down::Kill);
        self.give_up.get_or_insert(Instant::now() + 2 * ENDING);
    }

    /// The time is over. Images end by themselves, and report what they do; other programs, and images that cannot, are ended.
    fn time_out(&mut self) {
        self.timeout = None;
        if self.have_met && self.kill.is_none() {
            self.kill = Some(Instant::now() + self.launch.settings.kill_grace + PATIENCE);
            return;
        }
        let limit = self.launch.timeout.unwrap_or_default();
        lock(&self.output).report(&format!("the job has run for {limit:?}: ending it"));
        self.end_with(crate::launch::TIMEOUT_STATUS);
    }

    /// A signal for the launcher.
    fn received(&mut self, number: libc::c_int) {
        if number == libc::SIGCHLD {
            return;
        }
        if self.ends.is_empty() {
            // There are no images yet.
            if REQUESTS.contains(&number) {
                self.status = Some(128 + number);
            }
            return;
        }
        if !REQUESTS.contains(&number) {
            self.children.send(&Down::Signal(number));
            if number == libc::SIGTSTP {
                // It does not fail for this process.
                let _ = kill_process(getpid(), Signal::STOP);
            }
            return;
        }
        match self.asked {
            None => {
                self.asked = Some((number, Instant::now()));
                self.children.send(&Down::Signal(number));
            }
            Some((_, at)) if at.elapsed() < SAME_REQUEST => {}
            Some(_) => {
                self.children.send(&Down::Signal(libc::SIGTERM));
                self.kill = Some(Instant::now() + self.launch.settings.kill_grace);
            }
        }
    }

    /// Starts the thread that reads standard input for the first image. A terminal that this process does not own is left alone.
    fn forward_input(&mut self) -> Result<()> {
        let (more, asked) = channel();
        self.more_input = Some(more);
        let children = self.children.clone();
        if io::stdin().is_terminal() && !in_foreground() {
            children.send(&Down::Input(Vec::new()));
            return Ok(());
        }
        in_background(move || {
            let mut stdin = io::stdin().lock();
            let mut room = vec![0; INPUT];
            loop {
                let piece = match stdin.read(&mut room) {
                    Ok(count) => room[..count].to_vec(),
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Err(_) => Vec::new(),
                };
                let is_end = piece.is_empty();
                children.send(&Down::Input(piece));
                if is_end || asked.recv().is_err() {
                    return;
                }
            }
        })
    }

    fn exit_status(&self, output_lost: bool) -> i32 {
        if let Some(status) = self.status {
            return status;
        }
        exit_status(&Outcome {
            casualties: self.casualty.into_iter().collect(),
            ends: self.ends.iter().map(|end| end.unwrap_or(End::Killed(libc::SIGKILL))).collect(),
            output_lost,
            ..Outcome::default()
        })
    }
}

/// The directory of this process by the name that the user has given it: another host may know it by no other.
fn directory() -> PathBuf {
    let current = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
    let named = std::env::var_os("PWD").map(PathBuf::from).filter(|path| path.is_absolute());
    let is_same = |path: &PathBuf| path.canonicalize().ok() == current.canonicalize().ok();
    named.filter(is_same).unwrap_or(current)
}

/// The environment of the job's images.
fn environment(timeout: Option<Duration>) -> Vec<(OsString, OsString)> {
    let passed = |name: &OsString| name != JOB_VARIABLE && name != "XMP_NUM_IMAGES";
    let mut all: Vec<(OsString, OsString)> =
        std::env::vars_os().filter(|(name, _)| passed(name)).collect();
    if let Some(limit) = timeout {
        all.retain(|(name, _)| name != "XMP_TIMEOUT");
        all.push(("XMP_TIMEOUT".into(), limit.as_secs_f64().to_string().into()));
    }
    all
}
