//! Hangs: what the images of a job wait for, on request and when they wait for one another for ever. The proof of a
//! deadlock is in the README of the failure module ("Deadlocks").

mod operation;
mod process;
mod report;
mod words;

pub(crate) use process::expects;

use crate::failure::probing::{Answers, Needs, deadlocked, probe, probe_twice, wait_number};
use crate::job::Job;
use crate::job::page::ImageState;
use crate::rank::Rank;
use crate::settings::DeadlockAction;
use crate::sync::Ordering;
use crate::wait::EndedBy;
use process::{Activity, Process};
use report::{Group, Row};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// Time between two looks at the images. A wait that two looks find is long enough for a probe.
const INTERVAL: Duration = Duration::from_millis(250);
/// How long images have time to answer a probe, at first and at most. On a busy machine they need longer.
const PATIENCE: [Duration; 2] = [Duration::from_millis(50), Duration::from_millis(800)];
/// How long images have time to answer when the user waits for the table.
const PATIENCE_OF_USER: Duration = Duration::from_millis(500);

/// The launcher's knowledge of the waits of its images.
#[derive(Debug)]
pub(super) struct Hangs {
    action: DeadlockAction,
    started: Instant,
    next: Instant,
    /// The wait of each image at the last look, and when it was first seen.
    seen: Vec<Option<Seen>>,
    /// The waits for which the last probe had an outcome: the same waits have the same outcome.
    judged: Vec<Option<u32>>,
    /// The deadlock that was reported last: its images and their waits.
    reported: Vec<(Rank, u32)>,
    patience: Duration,
}

/// A wait that was seen.
#[derive(Clone, Copy, Debug)]
struct Seen {
    number: u32,
    since: Instant,
}

impl Hangs {
    pub(super) fn new(images: usize, action: DeadlockAction) -> Hangs {
        let started = Instant::now();
        Hangs {
            action,
            started,
            next: started + INTERVAL,
            seen: vec![None; images],
            judged: Vec::new(),
            reported: Vec::new(),
            patience: PATIENCE[0],
        }
    }

    /// When [`Hangs::look`] is due.
    pub(super) fn next(&self) -> Instant {
        self.next
    }

    /// Whether a deadlock ends the job.
    pub(super) fn ends_job(&self) -> bool {
        self.action == DeadlockAction::End
    }

    /// Looks at the waits of all images, if it is due. Returns the message of a deadlock that was not known.
    pub(super) fn look(&mut self, job: &Job) -> Option<String> {
        let now = Instant::now();
        if now < self.next {
            return None;
        }
        let long = self.note(job, now);
        self.next = now + INTERVAL;
        if self.action == DeadlockAction::Ignore
            || long.iter().all(Option::is_none)
            || long == self.judged
        {
            return None;
        }
        let answers = probe_twice(job, self.patience);
        let expected = long.iter().flatten().count();
        if answers.len() < expected {
            // Waits have ended, or the machine is busy.
            self.patience = (2 * self.patience).min(PATIENCE[1]);
            self.next = Instant::now() + self.patience.max(INTERVAL);
        } else {
            (self.judged, self.patience) = (long, PATIENCE[0]);
        }
        let stuck = stuck(job, &answers);
        let waits: Vec<(Rank, u32)> =
            stuck.iter().map(|&rank| (rank, answers[&rank].wait)).collect();
        if stuck.is_empty() || waits == self.reported {
            return None;
        }
        let named = probe(job, true, PATIENCE[1]);
        let is_same = |rank: &Rank| named.get(rank).is_some_and(|it| it.wait == answers[rank].wait);
        // All of them, or a debugger has interfered.
        if !stuck.iter().all(is_same) {
            return None;
        }
        self.reported = waits;
        Some(report::deadlock(&report::groups(job, &named, &stuck)))
    }

    /// Notes the waits that there are now. Returns those that were there at the last look, too, by image.
    fn note(&mut self, job: &Job, now: Instant) -> Vec<Option<u32>> {
        let notes = job.ranks().zip(&mut self.seen).map(|(rank, seen)| {
            let number = wait_number(job, rank);
            let is_long = seen.is_some_and(|seen| Some(seen.number) == number);
            if !is_long {
                *seen = number.map(|number| Seen { number, since: now });
            }
            number.filter(|_| is_long)
        });
        notes.collect()
    }

    /// The table of all images.
    pub(super) fn table(&mut self, job: &Job) -> String {
        let now = Instant::now();
        self.note(job, now);
        let answers = probe(job, true, PATIENCE_OF_USER);
        let waiting: BTreeSet<Rank> = answers.keys().copied().collect();
        let mut rows: Vec<Row> = Vec::new();
        for group in report::groups(job, &answers, &waiting) {
            rows.extend(self.row(group, now));
        }
        for rank in job.ranks().filter(|rank| !waiting.contains(rank)) {
            let state = state(job, rank);
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
        format!("images after {after:.1} s:\n{}", report::table(rows))
    }

    fn row(&self, group: Group, now: Instant) -> Option<Row> {
        let seen = group.images.iter().filter_map(|rank| self.seen[rank.index()]);
        let since = seen.map(|seen| seen.since).min();
        Some(Row {
            need: group.need(),
            since: since.map(|since| now.duration_since(since)),
            images: group.images,
            state: group.operation,
            place: group.place,
        })
    }
}

/// The images that can never continue, of those that have answered two probes.
fn stuck(job: &Job, answers: &Answers) -> BTreeSet<Rank> {
    let running: BTreeSet<Rank> =
        job.ranks().filter(|&rank| job.state(rank) == ImageState::Running).collect();
    let has_ended = job.page().status.epoch.load(Ordering::Acquire) != 0;
    let needs: Needs = answers
        .iter()
        // Once an image has ended, waits for posts find a deadlock by themselves, and may report it by `stat=`.
        .filter(|(_, it)| !(has_ended && it.need.by == EndedBy::AnyImage))
        .map(|(&rank, answered)| (rank, answered.need.clone()))
        .collect();
    let stuck = deadlocked(&needs, &running);
    if stuck.iter().all(|&rank| acts_only_by_its_wait(job, rank)) {
        return stuck;
    }
    let provable = needs.into_iter().filter(|&(rank, _)| acts_only_by_its_wait(job, rank));
    deadlocked(&provable.collect(), &running)
}

/// Whether an image that waits can do nothing else: no other thread of its process, no handler of a signal and no debugger
/// acts for it.
fn acts_only_by_its_wait(job: &Job, rank: Rank) -> bool {
    let process = Process::of(job.entry(rank).pid.load(Ordering::Relaxed));
    process.is_some_and(|it| {
        !it.is_traced && !it.has_threads && !it.has_timers && it.activity != Activity::Stopped
    })
}

/// What an image does that has not answered.
fn state(job: &Job, rank: Rank) -> &'static str {
    match job.state(rank) {
        ImageState::Stopped => return "has stopped",
        ImageState::Failed => return "has failed",
        ImageState::Running => {}
    }
    let pid = job.entry(rank).pid.load(Ordering::Relaxed);
    match Process::of(pid).map(|process| process.activity) {
        _ if pid == 0 => "has not joined the job",
        Some(Activity::Runs) => "runs",
        Some(Activity::Sleeps) => "sleeps outside of the library",
        Some(Activity::Stopped) => "is stopped by a signal or a debugger",
        None => "is not known",
    }
}
