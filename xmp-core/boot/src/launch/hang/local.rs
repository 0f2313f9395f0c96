//! The images of one region: how long they have waited, and what they answer to a probe.

use super::operation;
use super::process::{Activity, Process};
use super::survey::{Hosts, Question, Survey, Waited, Waiting};
use crate::endpoint::Answered;
use crate::failure::probing::{probe, view, wait_number};
use crate::job::Job;
use crate::job::page::ImageState;
use crate::rank::Rank;
use crate::sync::Ordering;
use std::fs;
use std::time::{Duration, Instant};
use xmp_source::{Modules, Statement};

/// The images of the region that this process sees.
#[derive(Debug, Default)]
pub(crate) struct Local {
    /// The wait of each image at the last look, and when it was first seen.
    seen: Vec<Option<Seen>>,
}

/// A wait that was seen.
#[derive(Clone, Copy, Debug)]
struct Seen {
    number: u32,
    since: Instant,
}

impl Hosts for Local {
    fn ranks(&self, job: &Job) -> Vec<Rank> {
        job.region_ranks().to_vec()
    }

    /// `None` for images of other regions.
    fn long_waits(&mut self, job: &Job) -> Vec<Option<u32>> {
        let now = Instant::now();
        self.seen.resize(job.images(), None);
        let waits = job.ranks().zip(&mut self.seen).map(|(rank, seen)| {
            let number = wait_number(job, rank);
            let is_long = seen.is_some_and(|seen| Some(seen.number) == number);
            if !is_long {
                *seen = number.map(|number| Seen { number, since: now });
            }
            number.filter(|_| is_long)
        });
        waits.collect()
    }

    fn ask(&mut self, job: &Job, question: Question) -> Result<Survey, Survey> {
        if question.statements {
            self.long_waits(job);
        }
        let (now, files) = (Instant::now(), Modules::default());
        let answers = probe(job, question.statements, question.limit);
        let waits = answers.into_iter().map(|(rank, answered)| {
            let statement = question.statements.then(|| waited(job, rank, &answered, &files));
            let seen = self.seen.get(rank.index()).copied().flatten();
            let seen = seen.filter(|seen| seen.number == answered.wait);
            let since = seen.map_or(Duration::ZERO, |seen| now.duration_since(seen.since));
            (rank, Waiting { number: answered.wait, need: answered.need, since, statement })
        });
        let mut survey = Survey { waits: waits.collect(), ..Survey::default() };
        survey.views.insert(view(job));
        if question.statements {
            let others = job.region_ranks().iter().filter(|rank| !survey.waits.contains_key(rank));
            survey.others = others.map(|&rank| (rank, state(job, rank).into())).collect();
        }
        Ok(survey)
    }
}

fn waited(job: &Job, rank: Rank, answered: &Answered, files: &Modules) -> Waited {
    let pid = job.entry(rank).pid.load(Ordering::Relaxed);
    // A process that ends meanwhile has no statement any more.
    let maps = fs::read(format!("/proc/{pid}/maps")).unwrap_or_default();
    let modules = files.with_maps(&String::from_utf8_lossy(&maps));
    let (statement, functions) = Statement::of_thread(&modules, &answered.callers);
    Waited {
        operation: operation::name(&functions, answered.need.kind),
        place: statement.map(|statement| statement.to_string()),
        acts_only_by_its_wait: acts_only_by_its_wait(job, rank),
    }
}

/// Whether an image that waits can do nothing else: no other thread of its process, no handler of a signal and no debugger
/// acts for it.
fn acts_only_by_its_wait(job: &Job, rank: Rank) -> bool {
    let entry = job.entry(rank);
    let process = Process::of(entry.pid.load(Ordering::Relaxed));
    process.is_some_and(|it| {
        !it.is_traced
            && it.threads <= entry.threads.load(Ordering::Relaxed)
            && !it.has_timers
            && it.activity != Activity::Stopped
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
