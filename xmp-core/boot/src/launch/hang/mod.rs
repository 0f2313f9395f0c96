//! Hangs: the waits of the images of a job, on request and when they wait for one another for ever. The proof of a
//! deadlock is in the README of the failure module ("Deadlocks").

mod local;
mod operation;
mod process;
mod report;
mod stacks;
mod survey;
mod words;

pub(crate) use local::Local;
pub(crate) use process::{expects, own_threads, read as read_process_file};
pub(crate) use report::Load;
pub(crate) use survey::{Hosts, Question, Survey, Waiting, WaitingStatement};

use crate::failure::probing::deadlocked;
use crate::job::Job;
use crate::job::page::ImageState;
use crate::rank::Rank;
use crate::settings::{DeadlockAction, Settings};
use crate::sync::Ordering;
use crate::wait::EndedBy;
use report::{Group, Row};
use std::collections::BTreeSet;
use std::fmt;
use std::time::{Duration, Instant};

/// Time between two looks at the images. A wait that two looks find is long enough for a probe.
pub(crate) const INTERVAL: Duration = Duration::from_millis(250);
/// The time that images have to answer a probe, at first and at most. On a busy machine they need longer.
const PATIENCE: [Duration; 2] = [Duration::from_millis(50), Duration::from_millis(800)];
/// The time that images have to answer when the user waits for the table.
const PATIENCE_OF_USER: Duration = Duration::from_millis(500);
/// The same when a launcher is about to end the job: Open MPI's launcher allows one second.
const PATIENCE_IN_HASTE: Duration = Duration::from_millis(250);
/// The pause after a probe, in multiples of the time that probes have taken: on many hosts they take long.
const REST: u32 = 4;

/// The waits of a job's images on these hosts, as far as they are known.
#[derive(Debug)]
pub(crate) struct Hangs<H> {
    hosts: H,
    action: DeadlockAction,
    started: Instant,
    next: Instant,
    /// The waits for which the last probe had an outcome: the same waits have the same outcome.
    judged: Vec<Option<u32>>,
    /// The deadlock that was reported last: its images and their waits.
    reported: Vec<(Rank, u32)>,
    patience: Duration,
    /// When all images are reported that have waited since then, without a proof.
    notice: Duration,
    /// The waits of all running images, since when they have been the same, and whether they were reported.
    idle: Option<Idle>,
}

/// Waits of all running images.
#[derive(Debug)]
struct Idle {
    waits: Vec<Option<u32>>,
    since: Instant,
    is_reported: bool,
}

/// A finding about hangs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Finding {
    /// These images wait for one another for ever.
    Deadlock(String),
    /// All images have waited for long.
    Idle(String),
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Finding::Deadlock(text) | Finding::Idle(text)) = self;
        f.write_str(text)
    }
}

impl<H: Hosts> Hangs<H> {
    pub(crate) fn new(hosts: H, settings: &Settings) -> Hangs<H> {
        let started = Instant::now();
        Hangs {
            hosts,
            action: settings.deadlock,
            started,
            next: started + INTERVAL,
            judged: Vec::new(),
            reported: Vec::new(),
            patience: PATIENCE[0],
            notice: settings.wait_notice,
            idle: None,
        }
    }

    /// The time at which [`Hangs::look`] is due.
    pub(crate) fn next(&self) -> Instant {
        self.next
    }

    /// The hosts that are asked.
    pub(crate) fn hosts(&mut self) -> &mut H {
        &mut self.hosts
    }

    /// Whether the result ends the job.
    pub(crate) fn ends_job(&self, finding: &Finding) -> bool {
        self.action == DeadlockAction::End && matches!(finding, Finding::Deadlock(_))
    }

    /// Reads the waits of all images, if that is due. Returns new results.
    pub(crate) fn look(&mut self, job: &Job) -> Option<Finding> {
        let now = Instant::now();
        if now < self.next {
            return None;
        }
        let long = self.hosts.long_waits(job);
        self.next = now + INTERVAL;
        if self.action == DeadlockAction::Ignore || long.iter().all(Option::is_none) {
            self.idle = None;
            return None;
        }
        let found = if long == self.judged { None } else { self.prove(job, &long) };
        let found = found.map(Finding::Deadlock).or_else(|| self.notice(job, long));
        let took = now.elapsed();
        self.next = self.next.max(Instant::now() + REST * took);
        found
    }

    /// Probes the images, of which these have waited for long. Returns the message of a deadlock that was not known.
    fn prove(&mut self, job: &Job, long: &[Option<u32>]) -> Option<String> {
        let question = Question { limit: self.patience, ..Question::default() };
        let found = self.hosts.ask(job, question).ok().and_then(|first| {
            if first.waits.is_empty() {
                return Some(first);
            }
            let mut second = self.hosts.ask(job, question).ok()?;
            second.keep_those_of(&first);
            second.knows_the_same_as(&first).then_some(second)
        });
        let expected = long.iter().flatten().count();
        if found.as_ref().is_some_and(|survey| survey.waits.len() >= expected) {
            (self.judged, self.patience) = (long.to_vec(), PATIENCE[0]);
        } else {
            // Waits have ended, or the machine is busy.
            self.patience = (2 * self.patience).min(PATIENCE[1]);
            self.next = Instant::now() + self.patience.max(INTERVAL);
        }
        let survey = found?;
        if stuck(job, &survey, |_| true).is_empty() {
            return None;
        }
        let question = Question { processes: true, ..Question::of_statements(PATIENCE[1]) };
        let Ok(mut named) = self.hosts.ask(job, question) else {
            // Asked again at the next look.
            self.judged.clear();
            return None;
        };
        // All of them, or a debugger has interfered.
        named.keep_those_of(&survey);
        let stuck = stuck(job, &survey, |rank| {
            let statement = named.waits.get(rank).and_then(|waiting| waiting.statement.as_ref());
            statement.is_some_and(|statement| statement.acts_only_by_its_wait)
        });
        let number = |&rank: &Rank| (rank, survey.waits[&rank].number);
        let waits: Vec<(Rank, u32)> = stuck.iter().map(number).collect();
        if stuck.is_empty() || waits == self.reported {
            return None;
        }
        self.reported = waits;
        Some(report::deadlock(&report::groups(&named, &stuck)))
    }

    /// Reports all images, of which these have waited for long, once they all have.
    fn notice(&mut self, job: &Job, long: Vec<Option<u32>>) -> Option<Finding> {
        let waits = |rank: &Rank| long[rank.index()].is_some();
        let all_wait = running(job).iter().all(waits);
        let idle = self.idle.take().filter(|idle| idle.waits == long);
        let new = || Idle { waits: long.clone(), since: Instant::now(), is_reported: false };
        let idle = self.idle.insert(idle.unwrap_or_else(new));
        let is_known = idle.is_reported || !self.reported.is_empty();
        if !all_wait || is_known || idle.since.elapsed() < self.notice {
            return None;
        }
        idle.is_reported = true;
        self.idle_images(job, &long, "all images")
    }

    /// The message that all running images of these hosts still wait, of which these have waited for long: they are called
    /// `who`. Images of hosts that do not answer are named.
    pub(crate) fn idle_images(
        &mut self,
        job: &Job,
        long: &[Option<u32>],
        who: &str,
    ) -> Option<Finding> {
        let question = Question::of_statements(PATIENCE_OF_USER);
        let (survey, all_answered) = match self.hosts.ask(job, question) {
            Ok(survey) => (survey, true),
            Err(answered) => (answered, false),
        };
        let images: BTreeSet<Rank> = survey.waits.keys().copied().collect();
        let still_waits =
            |(rank, waiting): (&Rank, &Waiting)| long[rank.index()] == Some(waiting.number);
        let here: BTreeSet<Rank> = self.hosts.ranks(job).into_iter().collect();
        let (acting, unknown): (BTreeSet<Rank>, BTreeSet<Rank>) = running(job)
            .intersection(&here)
            .filter(|rank| !images.contains(rank))
            .partition(|rank| all_answered || survey.others.contains_key(rank));
        if images.is_empty() || !acting.is_empty() || !survey.waits.iter().all(still_waits) {
            return None;
        }
        let groups = report::groups(&survey, &images);
        Some(Finding::Idle(report::idle(who, &groups, self.notice.as_secs(), &unknown)))
    }

    /// The table of all images.
    pub(crate) fn table(&mut self, job: &Job) -> String {
        self.table_of(job, Question::of_statements(PATIENCE_OF_USER))
    }

    /// The table of all images with the resources that each of them uses, if these are known. It is shown again and again, so images do
    /// not look up variables for it.
    pub(crate) fn live_table(&mut self, job: &Job, loads: &[Option<Load>]) -> String {
        let question = Question { variables: false, ..Question::of_statements(PATIENCE_OF_USER) };
        let (head, rows) = self.rows(job, question);
        format!("{head}{}", report::table(rows, Some(loads)))
    }

    /// The table of all images of a job that its launcher is about to end.
    pub(crate) fn table_in_haste(&mut self, job: &Job) -> String {
        let question = Question { in_haste: true, ..Question::of_statements(PATIENCE_IN_HASTE) };
        self.table_of(job, question)
    }

    fn table_of(&mut self, job: &Job, question: Question) -> String {
        let (head, rows) = self.rows(job, question);
        format!("{head}{}", report::table(rows, None))
    }

    /// The line above the table, and its rows.
    fn rows(&mut self, job: &Job, question: Question) -> (String, Vec<Row>) {
        let survey = self.hosts.ask(job, question).unwrap_or_else(|answered| answered);
        let waiting: BTreeSet<Rank> = survey.waits.keys().copied().collect();
        let mut rows: Vec<Row> =
            report::groups(&survey, &waiting).into_iter().map(Group::into_row).collect();
        for rank in job.ranks().filter(|rank| !waiting.contains(rank)) {
            let state =
                survey.others.get(&rank).map_or("is on a host that has not answered", |it| it);
            match rows.iter_mut().find(|row| row.state == state && row.place.is_none()) {
                Some(row) => drop(row.images.insert(rank)),
                None => rows.push(Row {
                    images: BTreeSet::from([rank]),
                    state: state.into(),
                    place: None,
                    need: None,
                    since: None,
                }),
            }
        }
        let after = self.started.elapsed().as_secs_f64();
        (format!("images after {after:.1} s:\n"), rows)
    }
}

fn running(job: &Job) -> BTreeSet<Rank> {
    job.ranks().filter(|&rank| job.state(rank) == ImageState::Running).collect()
}

/// The images that can never continue, of those that have answered two probes and of which `provable` holds.
fn stuck(job: &Job, survey: &Survey, provable: impl Fn(&Rank) -> bool) -> BTreeSet<Rank> {
    let has_ended = job.page().status.epoch.load(Ordering::Acquire) != 0;
    let mut needs = survey.needs();
    needs.retain(|rank, need| {
        // Once an image has ended, waits for posts find a deadlock by themselves, and may report it by `stat=`.
        provable(rank) && !(has_ended && need.by == EndedBy::AnyImage)
    });
    deadlocked(&needs, &running(job))
}
