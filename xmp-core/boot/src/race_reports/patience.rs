//! The time that an image gives the other images before it ends the job in error. The time in which an image waits for a processor does
//! not count, so that a busy machine does not hide a race.

use crate::failure;
use crate::image::Image;
use crate::job::Job;
use crate::job::page::ImageState;
use crate::rank::Rank;
use std::fs;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

/// The time of execution that each other image gets.
const FOR_EACH: Duration = Duration::from_millis(200);
/// The longest time for all images together.
const AT_MOST: Duration = Duration::from_secs(10);
/// The time between two looks at the others.
const LOOK: Duration = Duration::from_millis(10);

/// Waits until the other images have had their time.
pub(super) fn leave_time(image: &Image) {
    let job = image.job();
    let others = job.region_ranks().iter().copied().filter(|&rank| rank != image.rank());
    let mut others: Vec<Other> = others.map(|rank| Other::new(job, rank)).collect();
    let started = Instant::now();
    let mut last = started;
    while failure::ending(job).is_none() && last - started < AT_MOST {
        thread::sleep(LOOK);
        let now = Instant::now();
        others.iter_mut().for_each(|other| other.look(now - last));
        last = now;
        let have_come = others.iter().all(|it| it.is_done(job));
        // Those of other hosts have the time by the clock.
        if have_come && last - started >= FOR_EACH {
            return;
        }
    }
}

/// Another image of this host.
struct Other {
    rank: Rank,
    process: u32,
    /// The time for which it has been executed, as far as that is known.
    executed: Option<Duration>,
    /// The time that it has had.
    had: Duration,
}

impl Other {
    fn new(job: &Job, rank: Rank) -> Other {
        // Relaxed: the process has started before.
        Other::of(rank, job.entry(rank).pid.load(Ordering::Relaxed))
    }

    fn of(rank: Rank, process: u32) -> Other {
        Other { rank, process, executed: executed(process), had: Duration::ZERO }
    }

    /// Looks at the image again, after this time.
    fn look(&mut self, after: Duration) {
        let now = executed(self.process);
        self.had += match (self.executed, now) {
            (Some(before), Some(now)) if is_runnable(self.process) => now.saturating_sub(before),
            _ => after,
        };
        self.executed = now;
    }

    fn is_done(&self, job: &Job) -> bool {
        self.had >= FOR_EACH || job.state(self.rank) != ImageState::Running
    }
}

/// The time that a process, its first thread, has been executed; `None` if the system does not tell.
fn executed(process: u32) -> Option<Duration> {
    let text = fs::read_to_string(format!("/proc/{process}/schedstat")).ok()?;
    text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

/// Whether it is executed, or waits for a processor.
fn is_runnable(process: u32) -> bool {
    let text = fs::read_to_string(format!("/proc/{process}/stat"));
    // The name in parentheses may have some itself.
    text.is_ok_and(|text| text.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('R')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_computes_has_the_time_that_it_was_executed() {
        let mut shell = std::process::Command::new("sh");
        let mut child = shell.args(["-c", "while :; do :; done"]).spawn().expect("a shell");
        let mut other = Other::of(Rank::new(1), child.id());
        let started = Instant::now();
        let mut last = started;
        while other.had < LOOK {
            thread::sleep(LOOK);
            let now = Instant::now();
            other.look(now - last);
            last = now;
        }
        let elapsed = started.elapsed();
        child.kill().and_then(|()| child.wait()).expect("the end of the shell");
        assert!(other.had <= elapsed + LOOK, "{:?} of {elapsed:?}", other.had);
    }

    #[test]
    fn a_process_that_sleeps_has_all_the_time() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().expect("a process");
        while is_runnable(child.id()) {
            thread::sleep(LOOK);
        }
        let mut other = Other::of(Rank::new(1), child.id());
        other.look(FOR_EACH);
        child.kill().and_then(|()| child.wait()).expect("the end of the process");
        assert_eq!(other.had, FOR_EACH);
    }
}
