//! The end of a job by the launcher: its time and its means.

use super::request::TIMEOUT_STATUS;
use super::watch::Watch;
use crate::failure::{self, ERROR_STATUS};
use crate::rank::Rank;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// The time that images have at least, and at most, to complete reports when the job ends.
const REPORTS: [Duration; 2] = [Duration::from_millis(20), Duration::from_secs(5)];

/// The time that images have after the request to end, at least, where races are looked for: those that were found are reported.
pub(crate) const RACE_REPORTS: Duration = Duration::from_secs(10);

impl Watch<'_> {
    /// Reacts to the state in the job page, which images and the threads that watch their life mutexes write.
    pub(super) fn look_at_job(&mut self) {
        if self.terminating {
            return;
        }
        if let Some((by, _)) = failure::ending(self.job) {
            self.reports.get_or_insert_with(Instant::now);
            if self.reports_end().is_none_or(|end| end <= Instant::now()) {
                self.terminate(by);
            }
        } else if self.grace.is_none()
            && self.dead().next().is_some()
            && !failure::is_acknowledged(self.job)
        {
            self.grace = Some(Instant::now() + self.launch.settings.failure_grace);
        }
    }

    /// Until when images may complete their reports, if the job is ending.
    pub(super) fn reports_end(&self) -> Option<Instant> {
        let since = self.reports.filter(|_| !self.terminating && self.launch.forwards_errors())?;
        Some(since + REPORTS[usize::from(self.console.is_reporting())])
    }

    /// Images that have died, whether or not the end of their process has been seen.
    fn dead(&self) -> impl Iterator<Item = Rank> {
        self.images.iter().enumerate().filter_map(|(number, image)| {
            let rank = Rank::new(number as u32);
            let dying = image.end.is_none() && self.deaths[number].load(Ordering::Acquire);
            (image.casualty || dying).then_some(rank)
        })
    }

    /// Writes the table that `--watch` asks for, if it is due.
    fn show_live_table(&mut self, now: Instant) {
        let Some(mut live) = self.live.take_if(|live| live.next() <= now) else { return };
        let images = self.images.iter();
        let processes = images.map(|it| it.end.is_none().then(|| it.process.id()));
        let loads = live.loads(&processes.collect::<Vec<_>>(), now);
        let table = self.hangs.live_table(self.job, &loads);
        self.console.report(format_args!("{}{table}", live.before_table()));
        live.has_shown();
        self.live = Some(live);
    }

    /// Executes the actions that are due by the clock.
    pub(super) fn look_at_clock(&mut self) {
        let now = Instant::now();
        let passed = |deadline: Option<Instant>| deadline.is_some_and(|at| at <= now);
        if passed(self.kill) {
            self.kill_all();
        }
        if passed(self.timeout) {
            self.timeout = None;
            self.timed_out = true;
            let limit = self.launch.timeout.unwrap_or_default();
            self.console.report(format_args!("the job has run for {limit:?}: ending it"));
            self.console.report(format_args!("{}", self.hangs.table(self.job)));
            self.end_job(TIMEOUT_STATUS);
        }
        if !self.terminating {
            self.show_live_table(now);
        }
        if !self.terminating
            && let Some(finding) = self.hangs.look(self.job)
        {
            self.console.report(format_args!("{finding}"));
            if self.hangs.ends_job(&finding) {
                self.end_job(ERROR_STATUS);
            }
        }
        if passed(self.grace) {
            self.grace = None;
            let dead = self.dead().next();
            if let Some(rank) = dead
                && !failure::is_acknowledged(self.job)
            {
                let grace = self.launch.settings.failure_grace;
                self.console.report(format_args!(
                    "no image has noticed within {grace:?} that {rank} failed: ending the job"
                ));
                self.end_job(1);
            }
        }
    }

    /// Ends the job for a reason outside of the program.
    pub(super) fn end_job(&mut self, code: i32) {
        if self.terminating {
            return;
        }
        // First, so that images that still wait for others end quietly instead of reporting those that are gone
        // already.
        failure::start_ending(self.job, None, code);
        self.terminate(None);
    }

    /// Terminates the images, but `spared`: it ends by itself and may still be writing the reason.
    fn terminate(&mut self, spared: Option<Rank>) {
        tracing::debug!("ending the job");
        let dead: Vec<Rank> = self.dead().collect();
        for rank in dead {
            self.images[rank.index()].casualty = true;
        }
        for (rank, image) in self.running() {
            if Some(rank) != spared {
                image.process.request_end(libc::SIGTERM);
            }
        }
        self.terminating = true;
        self.grace = None;
        let settings = &self.launch.settings;
        let reports = if settings.check.races { RACE_REPORTS } else { Duration::ZERO };
        self.kill = Some(Instant::now() + settings.kill_grace.max(reports));
    }

    /// Kills the remaining images.
    pub(super) fn kill_all(&mut self) {
        self.kill = None;
        for image in self.images.iter_mut().filter(|image| image.end.is_none()) {
            tracing::debug!(process = image.process.id(), "killing");
            image.process.signal(libc::SIGKILL);
            image.casualty = false;
        }
    }
}
