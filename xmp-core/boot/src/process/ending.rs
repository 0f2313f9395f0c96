//! The early end of a process, and of others with it. MPI ends all processes of a job. Without MPI each ends by itself,
//! with the job's status, when it learns that the job is ending; the first image of a host ends the images of its host
//! that do not.

use super::monitor;
use crate::job::Job;
use crate::job::page::ImageState;
use crate::race_totals;
use crate::races::leave_in_error;
use crate::rank::Rank;
use crate::report::until_reports_are_read;
use crate::server::Port;
use crate::world::World;
use rustix::process::{Pid, test_kill_process};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// The time that the servers of other hosts may take to learn that the job is ending.
const TELLING: Duration = Duration::from_secs(1);
/// The time that an image which has not started the end waits for the one that has: that image may still be writing its
/// message, and some launchers end all processes when one has ended with a status.
const COURTESY: Duration = Duration::from_millis(200);
/// The interval at which processes are looked at.
const POLL_INTERVAL: Duration = Duration::from_millis(1);

/// The way in which a process ends early.
#[derive(Clone)]
pub(super) struct Ending {
    pub world: World,
    pub job: Arc<Job>,
    pub rank: Rank,
    /// Present if the job is on several hosts.
    pub port: Option<Arc<Port>>,
    /// Whether the number of races is reported at the end.
    pub counts_races: bool,
}

impl fmt::Debug for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ending").field("world", &self.world).finish_non_exhaustive()
    }
}

impl Ending {
    /// Ends this process, and sees to it that all others end. Images of this host have `grace` to do so by themselves.
    pub fn end(&self, status: i32, grace: Duration) -> ! {
        if !self.world.is_ended_by_launcher() {
            self.tell_other_hosts();
            end_others(&self.job, self.rank, grace, status);
        }
        self.leave();
        // The launcher may end the others before they have reported it. Where they end by themselves, the first one that is left has
        // waited for those after it.
        if self.counts_races && (self.world.is_ended_by_launcher() || self.is_first_left()) {
            self.report_races();
        }
        self.world.abort(status)
    }

    /// This process is about to end in error. Of the images of the first one's host the last one that leaves reports the number of races.
    pub fn leave(&self) {
        static HAS_LEFT: AtomicBool = AtomicBool::new(false);
        // Relaxed: the threads of this process count it once.
        if self.counts_races && !HAS_LEFT.swap(true, Ordering::Relaxed) {
            let here = self.job.region_ranks();
            let failed = here.iter().filter(|&&its| self.job.state(its) == ImageState::Failed);
            if leave_in_error(&self.job) == Some((here.len() - failed.count()) as u64) {
                self.report_races();
            }
        }
    }

    fn report_races(&self) {
        if race_totals::report_left(&self.job) {
            until_reports_are_read();
        }
    }

    /// Whether the processes of all images of this host before this one have ended.
    fn is_first_left(&self) -> bool {
        let before = self.job.region_ranks().iter().take_while(|&&its| its < self.rank);
        before.filter_map(|&its| process(&self.job, its)).all(|it| test_kill_process(it).is_err())
    }

    /// The time for which an image lets the image that has started the end go first.
    pub fn courtesy(&self, kill_grace: Duration) -> Duration {
        if self.world.is_ended_by_launcher() { kill_grace } else { kill_grace.min(COURTESY) }
    }

    /// Has the server of this host, if this process has it, send that the job is ending.
    fn tell_other_hosts(&self) {
        let Some(port) = self.port.as_ref().filter(|port| port.leads()) else { return };
        let until = Instant::now() + TELLING;
        while Instant::now() < until {
            match port.serve_if_idle() {
                Some(Ok(_)) if port.is_quiet() => return,
                // Its own thread serves, or the program does.
                Some(Ok(_)) | None => thread::yield_now(),
                Some(Err(_)) => return,
            }
        }
    }
}

/// The process of an image of this host, if it has started.
fn process(job: &Job, rank: Rank) -> Option<Pid> {
    // Relaxed: the number orders nothing else.
    Pid::from_raw(job.entry(rank).pid.load(Ordering::Relaxed) as i32)
}

/// Ends the images of this host that come after `rank`, with this status, if they have not ended within `grace`. (So the first one
/// ends all, and no two wait for each other.)
fn end_others(job: &Job, rank: Rank, grace: Duration, status: i32) {
    let processes: Vec<Pid> = job
        .region_ranks()
        .iter()
        .filter(|&&its| its > rank)
        .filter_map(|&its| process(job, its))
        .collect();
    let until = Instant::now() + grace;
    let mut left = processes;
    loop {
        left.retain(|&process| test_kill_process(process).is_ok());
        if left.is_empty() {
            return;
        }
        if Instant::now() >= until {
            break;
        }
        thread::sleep(POLL_INTERVAL);
    }
    for process in left {
        monitor::dismiss(process, status);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch;
    use crate::region::Region;
    use crate::settings::Settings;
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Child, Command, Stdio};

    /// A job of this process and of programs that know nothing of it.
    fn job_of(children: &[Child]) -> Job {
        let mut plan =
            launch::plan(1 + children.len() as u32, 1, &[], &Settings::default()).unwrap();
        plan.geometry.base = 0;
        let job = Job::create(Region::anonymous(plan.geometry.region_len()).unwrap(), &plan);
        for (rank, child) in job.ranks().skip(1).zip(children) {
            job.entry(rank).pid.store(child.id(), Ordering::Relaxed);
        }
        job
    }

    fn child(script: &str) -> Child {
        Command::new("sh").args(["-c", script]).stdin(Stdio::piped()).spawn().unwrap()
    }

    #[test]
    fn images_that_do_not_end_by_themselves_are_ended() {
        let mut children = [child("read line"), child("exit 0")];
        children[1].wait().unwrap();
        let job = job_of(&children);
        end_others(&job, Rank::new(0), Duration::from_millis(20), 7);
        // It has no monitor, which would end with the status.
        assert_eq!(children[0].wait().unwrap().signal(), Some(libc::SIGKILL));
    }

    #[test]
    fn no_image_ends_one_before_it() {
        let mut children = [child("read line"), child("read line")];
        let job = job_of(&children);
        end_others(&job, Rank::new(2), Duration::ZERO, 7);
        end_others(&job, Rank::new(1), Duration::ZERO, 7);
        assert_eq!(children[1].wait().unwrap().signal(), Some(libc::SIGKILL));
        assert_eq!(children[0].try_wait().unwrap(), None);
        drop(children[0].stdin.take());
        assert!(children[0].wait().is_ok());
    }
}
