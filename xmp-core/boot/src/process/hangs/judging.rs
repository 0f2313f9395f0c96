//! The first image's judgement of all hosts: it reports the results, answers the user, and ends the job.

use super::all_hosts::AllHosts;
use super::job_context::JobContext;
use super::post::Post;
use crate::failure::{self, ERROR_STATUS, end_request};
use crate::launch::TIMEOUT_STATUS;
use crate::launch::hang::{Hangs, INTERVAL};
use crate::process::unread::until_reports_are_read_or_passed_on;
use crate::rank::Rank;
use crate::report::{report, until_reports_are_read};
use std::time::{Duration, Instant};

/// The interval at which the first image looks for requests of the user, and for requests that other images of its host
/// have got.
const POLL_INTERVAL: Duration = INTERVAL;

/// The state of the thread of the first image.
#[derive(Debug)]
pub(super) struct Judge {
    shared: JobContext,
    hangs: Hangs<AllHosts>,
}

impl Judge {
    /// Nothing is known. `others`: the leaders of the other hosts.
    pub(super) fn new(shared: JobContext, post: Post, others: Vec<Rank>) -> Judge {
        let hangs = Hangs::new(AllHosts::new(post, others), &shared.settings);
        Judge { shared, hangs }
    }

    fn is_over(&mut self) -> bool {
        self.hangs.hosts().is_closed() || failure::ending(&self.shared.job).is_some()
    }

    /// Looks at the images until the job ends.
    pub(super) fn look(mut self) {
        self.look_until_the_end();
        self.hangs.hosts().say_goodbye(&self.shared.job);
    }

    fn look_until_the_end(&mut self) {
        let mut answered = (self.shared.questions)();
        let limit = self.shared.settings.timeout;
        let deadline = limit.map(|limit| Instant::now() + limit);
        while !self.is_over() {
            // In each round, before the wait: a call that ends the wait may have ended another one.
            if end_request::is_made(&self.shared.job) {
                return self.show_before_the_end();
            }
            let asked = (self.shared.questions)();
            if std::mem::replace(&mut answered, asked) != asked {
                self.show();
            }
            if let (Some(limit), Some(deadline)) = (limit, deadline)
                && deadline <= Instant::now()
            {
                report(format_args!("the job has run for {limit:?}: ending it"));
                self.show();
                return self.end_job(TIMEOUT_STATUS);
            }
            if let Some(finding) = self.hangs.look(&self.shared.job)
                && !self.is_over()
            {
                report(format_args!("{finding}"));
                if self.hangs.ends_job(&finding) {
                    return self.end_job(ERROR_STATUS);
                }
            }
            let now = Instant::now();
            let next = self.hangs.next().min(now + POLL_INTERVAL);
            let next = deadline.map_or(next, |deadline| deadline.min(next));
            self.hangs.hosts().listen(next.saturating_duration_since(now));
        }
    }

    /// Writes the table of all images.
    fn show(&mut self) {
        report(format_args!("{}", self.hangs.table(&self.shared.job)));
    }

    /// Writes the table of all images, which have got SIGTERM and wait for the start of the end, and starts it.
    fn show_before_the_end(&mut self) {
        let job = &self.shared.job;
        let table = self.hangs.table_in_haste(job);
        if end_request::is_made(job) && failure::ending(job).is_none() {
            report(format_args!("{table}"));
            until_reports_are_read_or_passed_on();
        }
        failure::start_ending(job, None, 128 + libc::SIGTERM);
    }

    /// Ends the job after the launcher has read the reason.
    fn end_job(&self, status: i32) {
        failure::start_ending(&self.shared.job, None, status);
        until_reports_are_read();
        (self.shared.abort)(status);
    }
}
