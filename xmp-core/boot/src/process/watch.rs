//! The failure detector of images that MPI has started, because its launchers know processes but not images: the leader
//! of a host watches the others, and the second image watches the leader. They publish deaths, report which image has died, and
//! end the job if no other process does.
//!
//! Most images have a monitor ([`super::monitor`]), which reports how its image dies. Where one has none, launchers of
//! MPI end the job when its process dies. There is little time then, so reports come first.

use super::death::Death;
use crate::error::{Error, Result};
use crate::failure::{self, end_request};
use crate::job::Job;
use crate::job::page::ImageState;
use crate::launch::life;
use crate::launch::wake::Wake;
use crate::rank::Rank;
use crate::readable;
use crate::region::MemoryKills;
use crate::report::report;
use crate::settings::Settings;
use crate::sync::{AtomicU32, Ordering};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use std::fmt;
use std::os::fd::OwnedFd;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Deaths that may be consequences are reported when this time has passed and this process still lives: a launcher that
/// ends the job ends all its processes at once.
const PATIENCE: Duration = Duration::from_millis(200);
/// The interval at which the job page is read without events: other hosts write to it, too.
const PERIOD: Duration = Duration::from_secs(1);

/// Threads that watch. They end when this is dropped.
#[derive(Debug)]
pub(super) struct Watch {
    watched: Arc<Watched>,
    threads: Vec<JoinHandle<()>>,
}

/// The state that the threads share.
struct Watched {
    job: Arc<Job>,
    images: Vec<Rank>,
    /// Whether each of them is known to be dead.
    dead: Vec<AtomicBool>,
    /// Reports that are due later.
    later: Mutex<Vec<(Instant, String)>>,
    /// The processes that the system had killed for lack of memory before.
    memory_kills: MemoryKills,
    failure_grace: Duration,
    kill_grace: Duration,
    /// Ends all processes of the job with this status.
    abort: Box<dyn Fn(i32) + Send + Sync>,
    stop: AtomicU32,
    wake: Wake,
}

impl fmt::Debug for Watched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watched").field("images", &self.images).finish_non_exhaustive()
    }
}

impl Watch {
    /// Starts to watch the images that `rank` must watch; `None` if it is neither the first nor the second image of its
    /// host. `abort` ends all processes of the job.
    ///
    /// # Errors
    /// When the system has no threads or descriptors.
    pub(super) fn start(
        job: &Arc<Job>,
        rank: Rank,
        settings: &Settings,
        abort: impl Fn(i32) + Send + Sync + 'static,
    ) -> Result<Option<Watch>> {
        let Some(images) = to_watch(job.region_ranks(), rank) else { return Ok(None) };
        let watched = Arc::new(Watched {
            job: job.clone(),
            dead: images.iter().map(|_| AtomicBool::new(false)).collect(),
            images,
            later: Mutex::default(),
            memory_kills: MemoryKills::now(),
            failure_grace: settings.failure_grace,
            kill_grace: settings.kill_grace,
            abort: Box::new(abort),
            stop: AtomicU32::new(0),
            wake: Wake::new()?,
        });
        let mut watch = Watch { watched: watched.clone(), threads: Vec::new() };
        let shared = watched.clone();
        watch.spawn(move || shared.look_until_stopped())?;
        for group in life::groups(&watched.images) {
            let (shared, group) = (watched.clone(), group.to_vec());
            watch.spawn(move || {
                life::watch(&shared.job, &group, &shared.stop, |rank| shared.died(rank));
            })?;
        }
        Ok(Some(watch))
    }

    fn spawn(&mut self, work: impl FnOnce() + Send + 'static) -> Result<()> {
        let thread = crate::service_thread::start("xmp-watch", work);
        let failed = |error| Error::no_process("cannot start a thread that watches images", error);
        self.threads.push(thread.map_err(failed)?);
        Ok(())
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        life::stop(&self.watched.stop);
        self.watched.wake.wake();
        for thread in self.threads.drain(..) {
            // A panic of the thread was written to standard error.
            let _ = thread.join();
        }
    }
}

/// The images of its host that the image `rank` watches.
fn to_watch(here: &[Rank], rank: Rank) -> Option<Vec<Rank>> {
    match here {
        [leader, others @ ..] if *leader == rank => Some(others.to_vec()),
        [leader, second, ..] if *second == rank => Some(vec![*leader]),
        _ => None,
    }
}

impl Watched {
    /// Looks at processes, at the job page and at the clock.
    fn look_until_stopped(&self) {
        // An image without a process is dead, or was never started. One whose process the system refuses to open is
        // not.
        let mut processes: Vec<(Rank, OwnedFd)> = Vec::new();
        for &rank in &self.images {
            // Relaxed: the number orders nothing else.
            let process = Pid::from_raw(self.job.entry(rank).pid.load(Ordering::Relaxed) as i32);
            let opened = process.ok_or(Errno::INVAL);
            match opened.and_then(|process| pidfd_open(process, PidfdFlags::empty())) {
                Ok(process) => processes.push((rank, process)),
                Err(Errno::SRCH) => self.died(rank),
                Err(error) => {
                    tracing::warn!(%error, image = rank.image(), "cannot watch: deaths are noticed by mutexes only");
                }
            }
        }
        let (mut grace, mut kill) = (None, None);
        while self.stop.load(Ordering::Acquire) == 0 {
            let mut polled = vec![readable::entry(&self.wake)];
            polled.extend(processes.iter().map(|(_, process)| readable::entry(process)));
            readable::wait(&mut polled, Some(self.next_deadline(grace, kill)));
            let ended: Vec<bool> = polled[1..].iter().map(readable::is_ready).collect();
            self.wake.clear();
            let mut ended = ended.into_iter();
            processes.retain(|(rank, _)| {
                let has_ended = ended.next().unwrap_or(false);
                if has_ended {
                    self.died(*rank);
                }
                !has_ended
            });
            self.report_due();
            let now = Instant::now();
            match failure::ending(&self.job) {
                Some((_, code)) => {
                    let due = *kill.get_or_insert(now + self.kill_grace);
                    if due <= now {
                        (self.abort)(failure::exit_status(code).into());
                        return;
                    }
                }
                None if self.dead.iter().any(|dead| dead.load(Ordering::Acquire)) => {
                    let due = *grace.get_or_insert(now + self.failure_grace);
                    if due <= now && !failure::is_acknowledged(&self.job) {
                        let grace = self.failure_grace;
                        report(format_args!(
                            "no image has noticed within {grace:?} that another failed: ending the job"
                        ));
                        failure::start_ending(&self.job, None, 1);
                    }
                }
                None => {}
            }
        }
    }

    fn next_deadline(&self, grace: Option<Instant>, kill: Option<Instant>) -> Duration {
        let now = Instant::now();
        let later = self.later.lock().unwrap_or_else(PoisonError::into_inner);
        let saying = later.iter().map(|(due, _)| *due);
        let grace = grace.filter(|_| !failure::is_acknowledged(&self.job));
        let next = saying.chain(grace).chain(kill).min();
        next.map_or(PERIOD, |due| due.saturating_duration_since(now).min(PERIOD))
    }

    /// The process of an image has ended, and perhaps the image before it.
    fn died(&self, rank: Rank) {
        let (job, entry) = (&self.job, self.job.entry(rank));
        let place = self.images.iter().position(|&its| its == rank).expect("one of those watched");
        if job.state(rank) != ImageState::Running || failure::ending(job).is_some() {
            return;
        }
        let process = entry.pid.load(Ordering::Relaxed);
        let death = Death::of(process);
        let first = job.page().status.failures.load(Ordering::Relaxed) == 0;
        // In this order: consequences must not be noticed before their cause is known.
        if self.dead[place].swap(true, Ordering::AcqRel) {
            return;
        }
        let reason = death.with_reason(&self.memory_kills);
        let text = format!("{rank} (process {process}) {reason}");
        // The image has ended because all were asked to.
        let is_requested = death.may_be_asked_for() && end_request::is_made(job);
        match first && !death.may_be_asked_for() {
            _ if is_requested => {}
            // Its monitor knows how it died, and reports it.
            _ if entry.monitored.load(Ordering::Relaxed) != 0 => {}
            // Before anything else: the launcher has noticed it, too, and MPICH's kills this process next.
            true => report(format_args!("{text}")),
            false => {
                let mut later = self.later.lock().unwrap_or_else(PoisonError::into_inner);
                later.push((Instant::now() + PATIENCE, text));
            }
        }
        if !is_requested {
            end_request::withdraw(job);
        }
        failure::publish_failed(job, rank);
        self.wake.wake();
    }

    fn report_due(&self) {
        let now = Instant::now();
        let mut later = self.later.lock().unwrap_or_else(PoisonError::into_inner);
        later.retain(|(due, text)| {
            let is_due = *due <= now;
            if is_due {
                report(format_args!("{text}"));
            }
            !is_due
        });
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::launch;
    use crate::region::Region;
    use std::process::{Child, Command, Stdio};
    use std::sync::mpsc::{Receiver, channel};

    /// Ends a test that hangs; no machine is that slow.
    const HANG: Duration = Duration::from_secs(600);

    /// Waits until a process has ended.
    pub fn wait_readable(fd: &OwnedFd) {
        let mut polled = [readable::entry(fd)];
        readable::wait(&mut polled, Some(HANG));
        assert!(readable::is_ready(&polled[0]), "within ten minutes");
    }

    /// A job of which image 1 is this process and the others are programs that know nothing of it.
    fn job_of(children: &mut Vec<Child>, scripts: &[&str]) -> Arc<Job> {
        let settings = settings("", "");
        let mut plan = launch::plan(1 + scripts.len() as u32, 1, &[], &settings).unwrap();
        plan.geometry.base = 0;
        let region = Region::anonymous(plan.geometry.region_len()).unwrap();
        let job = Arc::new(Job::create(region, &plan));
        for (rank, script) in job.ranks().skip(1).zip(scripts) {
            let mut command = Command::new("sh");
            let child = command.args(["-c", script]).stdin(Stdio::piped()).spawn().unwrap();
            job.entry(rank).pid.store(child.id(), Ordering::Relaxed);
            children.push(child);
        }
        job
    }

    fn settings(name: &str, value: &str) -> Settings {
        Settings::from_pairs(&[(name, value)]).unwrap()
    }

    fn start(job: &Arc<Job>, settings: &Settings) -> (Option<Watch>, Receiver<i32>) {
        let (sender, aborted) = channel();
        let abort = move |status| sender.send(status).unwrap();
        (Watch::start(job, Rank::new(0), settings, abort).unwrap(), aborted)
    }

    fn until(condition: impl Fn() -> bool) {
        let deadline = Instant::now() + HANG;
        while !condition() {
            assert!(Instant::now() < deadline, "within ten minutes");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn end(mut children: Vec<Child>) {
        for child in &mut children {
            // Their input ends.
            drop(child.stdin.take());
            child.wait().unwrap();
        }
    }

    #[test]
    fn first_and_second_watch() {
        let here = [3, 5, 8].map(Rank::new);
        let watched = |rank| to_watch(&here, Rank::new(rank));
        assert_eq!(watched(3), Some(here[1..].to_vec()));
        assert_eq!(watched(5), Some(here[..1].to_vec()));
        assert_eq!(watched(8), None);
        assert_eq!(to_watch(&here[..1], here[0]), Some(Vec::new()));
    }

    #[test]
    fn a_death_is_published_and_ends_the_job_if_unnoticed() {
        let mut children = Vec::new();
        let job = job_of(&mut children, &["read line", "read line"]);
        let (watch, aborted) = start(
            &job,
            &Settings { kill_grace: Duration::ZERO, ..settings("XMP_FAILURE_GRACE", "10") },
        );
        children[1].kill().unwrap();
        until(|| job.state(Rank::new(2)) == ImageState::Failed);
        assert_eq!(aborted.recv_timeout(HANG), Ok(1));
        assert_eq!(failure::ending(&job), Some((None, 1)));
        assert_eq!(job.state(Rank::new(1)), ImageState::Running);
        drop(watch);
        end(children);
    }

    #[test]
    fn a_program_that_deals_with_failures_goes_on() {
        let mut children = Vec::new();
        let job = job_of(&mut children, &["read line"]);
        failure::acknowledge(&job);
        let (watch, aborted) = start(&job, &settings("XMP_FAILURE_GRACE", "0"));
        children[0].kill().unwrap();
        until(|| job.state(Rank::new(1)) == ImageState::Failed);
        drop(watch);
        assert!(aborted.try_recv().is_err() && failure::ending(&job).is_none());
        end(children);
    }

    #[test]
    fn error_termination_ends_remaining_images() {
        let mut children = Vec::new();
        let job = job_of(&mut children, &["read line", "exit 0"]);
        failure::publish_stopped(&job, Rank::new(2));
        let (watch, aborted) = start(&job, &settings("XMP_KILL_GRACE", "10"));
        failure::start_ending(&job, Rank::new(1), 7);
        assert_eq!(aborted.recv_timeout(HANG), Ok(7));
        assert_eq!(job.state(Rank::new(1)), ImageState::Running);
        drop(watch);
        end(children);
    }
}
