//! The exit of a process from its job. Normal termination waits until all images have ended. In a world every end does: a process
//! that ends before MPI is finalised ends the job, so all processes finalise together, at the end.

use super::buffers;
use super::ending::Ending;
use super::hangs::HangWatch;
use super::keepalive::Lifelines;
use super::monitor;
use super::serving::Serving;
use super::termination::{self, TableWriter};
use super::watch::Watch;
use crate::error::{Error, Result};
use crate::failure::{self, departure, ending_code, exit_status};
use crate::image::Image;
use crate::job::Job;
use crate::job::page::ImageState;
use crate::plugin::Plugin;
use crate::race_totals;
use crate::rank::Rank;
use crate::report::until_reports_are_read;
use crate::server::Notes;
use crate::settings::Settings;
use crate::sync::Ordering;
use crate::transport::FlushScope;
use crate::wait::Waits;
use crate::world::World;
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The time for which an image that has reached its end still counts as running, if others do; see [`linger`].
const LINGER: Duration = Duration::from_millis(10);
/// The first interval at which it looks for the others; each interval is twice as long, up to
/// [`LONGEST_POLL_INTERVAL`].
const POLL_INTERVAL: Duration = Duration::from_micros(50);
const LONGEST_POLL_INTERVAL: Duration = Duration::from_millis(1);

unsafe extern "C" {
    /// glibc: registers a handler that `exit` calls with its status.
    fn on_exit(handler: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
}

/// The exit from a job of one of its processes. Clones share the state.
#[derive(Clone, Debug)]
pub struct Exit(Arc<ExitState>);

#[derive(Debug)]
struct ExitState {
    job: Arc<Job>,
    rank: Rank,
    /// Present if a launcher has started several processes of which this is one, other than `xmprun`.
    joint: Option<Joint>,
}

#[derive(Debug)]
struct Joint {
    ending: Ending,
    watch: Mutex<Option<Watch>>,
    /// Present in the first image, and in those that lead other hosts.
    hangs: Mutex<Option<HangWatch>>,
    /// Present if the job is on several hosts, and this image leads one.
    lifelines: Mutex<Option<Lifelines>>,
    /// Present if the job is on several hosts.
    serving: Mutex<Option<Serving>>,
    kill_grace: Duration,
    /// Whether this process is leaving already.
    leaving: AtomicBool,
}

impl Exit {
    /// The exit of the process of an image.
    ///
    /// # Errors
    /// When the system has no threads for watching the images of this host.
    pub(super) fn new(
        job: &Arc<Job>,
        rank: Rank,
        world: Option<World>,
        serving: Option<Serving>,
        settings: &Settings,
    ) -> Result<Exit> {
        let joint = match world {
            None => None,
            Some(world) => {
                let (port, questions) = (serving.as_ref().map(Serving::port), monitor::questions);
                let counts_races = race_totals::are_counted(settings);
                let (own, port_of_end) = (job.clone(), port.cloned());
                let ending = Ending { world, job: own, rank, port: port_of_end, counts_races };
                let to_abort = ending.clone();
                // It has waited for the images of this host already.
                let abort = move |status| to_abort.end(status, Duration::ZERO);
                let watch = Watch::start(job, rank, settings, abort)?;
                let (to_abort, grace) = (ending.clone(), settings.kill_grace);
                let abort = move |status| to_abort.end(status, grace);
                let hangs = HangWatch::start(job, rank, settings, port, abort, questions)?;
                // Relaxed: written by this thread.
                let is_guarded = job.entry(rank).monitored.load(Ordering::Relaxed) != 0;
                let lifelines = Lifelines::start(job, &ending.world, is_guarded, settings)?;
                Some(Joint {
                    ending,
                    watch: Mutex::new(watch),
                    hangs: Mutex::new(hangs),
                    lifelines: Mutex::new(lifelines),
                    serving: Mutex::new(serving),
                    kill_grace: settings.kill_grace,
                    leaving: AtomicBool::new(false),
                })
            }
        };
        Ok(Exit(Arc::new(ExitState { job: job.clone(), rank, joint })))
    }

    /// MPI, if it has started this process.
    pub fn plugin(&self) -> Option<&Plugin> {
        self.0.joint.as_ref().and_then(|joint| joint.ending.world.plugin())
    }

    /// From now on the end of the image is published when the program leaves by `exit` without publishing it: as error
    /// termination if `is_error` returns true within the exit handler, and as normal termination otherwise.
    ///
    /// If the calling thread ends before the process, the image still lives.
    pub fn watch(&self, image: &'static Image, is_error: fn() -> bool) {
        type Watched = (Exit, &'static Image, fn() -> bool);
        extern "C" fn at_exit(status: c_int, argument: *mut c_void) {
            // SAFETY: the box below, which is never freed.
            let (exit, image, is_error) = unsafe { &*argument.cast::<Watched>() };
            exit.seen(image, status, *is_error);
        }
        let watched: Watched = (self.clone(), image, is_error);
        let argument = Box::into_raw(Box::new(watched));
        failure::pass_on_life(image.entry());
        let writer = match &self.0.joint {
            None if image.job().images() > 1 => Some(TableWriter::Launcher),
            None => None,
            Some(_) => Some(TableWriter::FirstImage),
        };
        let notes = self.0.joint.as_ref().and_then(Joint::notes);
        termination::watch(writer.map(|writer| (image.job(), writer)), notes);
        termination::watch_faults(false);
        // SAFETY: the handler is a function of the program itself or of a library with the program's state, which is
        // not unloaded.
        unsafe { on_exit(at_exit, argument.cast()) };
    }

    /// Normal termination: `image`, the image of this process, has stopped. Returns when the process may end.
    pub fn stop(&self, image: &Image) {
        let ExitState { job, rank, joint } = &*self.0;
        self.complete(image);
        if job.state(*rank) == ImageState::Running {
            linger(job);
        }
        failure::publish_stopped(job, *rank);
        departure::announce();
        match joint {
            Some(joint) => joint.leave(job, *rank),
            // Normal termination synchronises (Fortran 2018, 5.3.7): until all images have reached it, they may use the
            // memory of this process, through pointers too.
            None if job.images() > 1 => {
                buffers::flush();
                // If the job ends in error meanwhile, this image need not wait any longer.
                let _ = wait_for_all(job, *rank);
            }
            None => {}
        }
    }

    /// Completes the operations of `image` before other images learn that it has ended.
    fn complete(&self, image: &Image) {
        let ExitState { job, rank, joint } = &*self.0;
        if joint.is_some() && job.state(*rank) == ImageState::Running {
            let _inside = image.threads().enter();
            if let Err(error) = image.transport().flush(FlushScope::Everything) {
                // The end of the job is known to all images, or will be.
                tracing::debug!(%error, "messages of this image may not have arrived");
            }
        }
    }

    /// FAIL IMAGE: `image`, the image of this process, has failed. Its process ends, without exit handlers; under MPI
    /// after all other images have ended, because launchers end a job when one of its processes ends.
    pub fn fail(&self, image: &Image) -> ! {
        let ExitState { job, rank, joint } = &*self.0;
        // There are no exit handlers that would write what the program has printed.
        buffers::flush();
        self.complete(image);
        failure::publish_failed(job, *rank);
        departure::announce();
        if let Some(joint) = joint {
            joint.leave(job, *rank);
        }
        // SAFETY: does not return.
        unsafe { libc::_exit(0) }
    }

    /// Leaves after error termination was started, by this image or by another. In a world this process ends here, and
    /// all others with it: launchers take the status of the job from that, and agree on nothing else. Its output is
    /// complete then, but exit handlers of the program that were registered later are not called.
    pub fn end(&self) {
        departure::announce();
        if let Some(joint) = &self.0.joint {
            joint.end(&self.0.job, self.0.rank);
        }
    }

    /// A signal is about to end this process. Where no launcher counts races, the last image of the first one's host reports their number.
    pub(crate) fn leave_by_signal(&self) {
        if let Some(joint) = &self.0.joint {
            joint.ending.leave();
        }
    }

    /// Publishes the end of an image that leaves the program without publishing it; called from an exit handler. That is
    /// normal termination, as a return from `main` is, but for the run-time errors of a compiler's library. Does nothing
    /// when the end has been published before.
    fn seen(&self, image: &Image, status: i32, is_error: fn() -> bool) {
        let ExitState { job, rank, .. } = &*self.0;
        let entry = job.entry(*rank);
        // A process that the image has forked is not the image, though it has inherited its exit handlers.
        let is_image = entry.pid.load(Ordering::Relaxed) == std::process::id();
        if !is_image {
            return;
        }
        if job.state(*rank) != ImageState::Running || failure::ending(job).is_some() {
            departure::announce();
            return;
        }
        if status != 0 && is_error() {
            failure::start_ending(job, *rank, status);
            self.end();
        } else {
            self.stop(image);
        }
    }
}

impl Joint {
    /// The notes that the thread of this process waits for that looks for hangs, if it has one.
    fn notes(&self) -> Option<Arc<Notes>> {
        let hangs = self.hangs.lock().unwrap_or_else(PoisonError::into_inner);
        hangs.as_ref().map(|hangs| hangs.notes().clone())
    }

    /// Waits for all images and leaves the world with them. If the job ends in error meanwhile, so does this process.
    fn leave(&self, job: &Job, rank: Rank) {
        if self.leaving.swap(true, Ordering::AcqRel) {
            return;
        }
        // The output of this image is complete, and the others may run for long.
        buffers::flush();
        if wait_for_all(job, rank).is_err() {
            self.end(job, rank);
        }
        if job.page().status.failures.load(Ordering::Relaxed) > 0 {
            // A process that has died will not come: then this one ends by itself.
            let grace = self.kill_grace;
            thread::spawn(move || {
                thread::sleep(grace);
                // SAFETY: does not return.
                unsafe { libc::_exit(0) }
            });
        }
        drop(take(&self.hangs));
        drop(take(&self.watch));
        drop(take(&self.lifelines));
        let closed = take(&self.serving).map_or(Ok(()), Serving::close);
        if let Err(error) = closed.and_then(|()| self.ending.world.finish()) {
            tracing::warn!(%error, "this image leaves alone");
        }
    }

    /// Ends all processes of the job with its code, after the launcher has read the output of this one: it may drop
    /// later output. If another image has started the end, which may still be writing its message, this one is ended by
    /// it, or waits for the time that images have to end by themselves.
    fn end(&self, job: &Job, rank: Rank) -> ! {
        buffers::flush();
        let is_first = failure::ending(job).is_none_or(|(by, _)| by == Some(rank));
        // The end of an image that has died is the cause of this one: its monitor is about to report it, and then ends
        // the job, too.
        let has_cause = job.page().status.failures.load(Ordering::Relaxed) > 0;
        if !is_first || has_cause {
            thread::sleep(self.ending.courtesy(self.kill_grace));
        }
        until_reports_are_read();
        self.ending.end(exit_status(ending_code(job)).into(), self.kill_grace)
    }
}

fn take<T>(place: &Mutex<Option<T>>) -> Option<T> {
    place.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// Waits a little for the other images to reach their ends, too.
///
/// Programs ask which images have stopped right after they have synchronised. They do not mean images that had nothing
/// to ask, and have ended already (nor does Fortran say how soon an image is known to have stopped). The only cost is
/// that a wait for a stopped image ends so much later.
fn linger(job: &Job) {
    let status = &job.page().status;
    // Relaxed: a count only; no other data is read because of it.
    status.at_end.fetch_add(1, Ordering::Relaxed);
    let end = Instant::now() + LINGER;
    let all_have_come = || {
        let at_end = status.at_end.load(Ordering::Relaxed);
        let ended = at_end.saturating_add(status.failures.load(Ordering::Relaxed));
        ended >= job.geometry().images
    };
    let mut look = POLL_INTERVAL;
    while !all_have_come() && failure::ending(job).is_none() && Instant::now() < end {
        thread::sleep(look);
        look = LONGEST_POLL_INTERVAL.min(2 * look);
    }
}

/// Waits until all images of the job have ended.
///
/// # Errors
/// [`Error::JobEnding`].
fn wait_for_all(job: &Job, rank: Rank) -> Result<()> {
    let (page, entry) = (job.page(), job.entry(rank));
    // All before this one have ended.
    let next = Cell::new(0);
    let have_ended = || {
        while next.get() < job.geometry().images
            && job.state(Rank::new(next.get())) != ImageState::Running
        {
            next.set(next.get() + 1);
        }
        next.get() == job.geometry().images
    };
    let is_ending = || match failure::ending(job) {
        Some(_) => Err(Error::JobEnding),
        None => Ok(()),
    };
    Waits::new(&entry.doorbell, &page.status, page.waiting, None).until(is_ending, have_ended)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::bootstrap::{Start, alone};
    use crate::sync::AtomicU32;

    fn exit() -> (Arc<Job>, Image, Exit) {
        let settings = Settings::default();
        let Start { job, rank, world } = alone(&settings).unwrap();
        let job = Arc::new(job);
        let exit = Exit::new(&job, rank, world, None, &settings).unwrap();
        let transport = Box::new(crate::transport::Local::new(job.clone(), rank));
        let image = Image::new(job.clone(), rank, transport, settings).unwrap();
        (job, image, exit)
    }

    #[test]
    fn exits_are_published_once() {
        let (job, image, exit) = exit();
        exit.seen(&image, 0, || false);
        assert_eq!(job.state(image.rank()), ImageState::Stopped);
        exit.seen(&image, 3, || true);
        assert_eq!(failure::ending(&job), None);
    }

    #[test]
    fn images_that_come_to_their_end_are_counted() {
        let settings = Settings::default();
        xmp_shm::thread_images::run_with(settings, 4, 1, |image| {
            let (job, rank) = (image.job(), image.rank());
            match rank.get() {
                1 => failure::publish_failed(job, rank),
                _ => {
                    linger(job);
                    let at_end = job.page().status.at_end.load(Ordering::Relaxed);
                    assert!((1..=3).contains(&at_end), "{at_end}");
                }
            }
        })
        .unwrap();
    }

    #[test]
    fn an_exit_with_a_code_is_normal_termination() {
        let (job, image, exit) = exit();
        exit.seen(&image, 3, || false);
        assert_eq!(failure::ending(&job), None);
        assert_eq!(job.state(image.rank()), ImageState::Stopped);
    }

    #[test]
    fn an_exit_because_of_an_error_ends_the_job() {
        let (job, image, exit) = exit();
        exit.seen(&image, 3, || true);
        assert_eq!(failure::ending(&job), Some((Some(image.rank()), 3)));
        assert_eq!(job.state(image.rank()), ImageState::Running);
    }

    #[test]
    fn all_images_are_waited_for_unless_the_job_ends() {
        let settings = Settings::default();
        let images = 5;
        xmp_shm::thread_images::run_with(settings, images, 1, |image| {
            let (job, rank) = (image.job(), image.rank());
            match rank.get() {
                1 => failure::publish_failed(job, rank),
                _ => failure::publish_stopped(job, rank),
            }
            wait_for_all(job, rank).unwrap();
            assert!(job.ranks().all(|rank| job.state(rank) != ImageState::Running));
        })
        .unwrap();
        let settings = Settings::default();
        let returned = AtomicU32::new(0);
        xmp_shm::thread_images::run_with(settings, images, 1, |image| {
            let (job, rank) = (image.job(), image.rank());
            match rank.get() {
                1 => {
                    assert!(failure::start_ending(job, rank, 9));
                    // It would have stopped if it returned.
                    while returned.load(Ordering::Relaxed) < images - 1 {
                        thread::yield_now();
                    }
                }
                _ => {
                    failure::publish_stopped(job, rank);
                    assert_eq!(wait_for_all(job, rank), Err(Error::JobEnding));
                    returned.fetch_add(1, Ordering::Relaxed);
                }
            }
        })
        .unwrap();
    }
}
