//! The images of one region: the times of their waits, and their answers to probes.

use super::operation;
use super::process::{Activity, Process};
use super::stacks::Stacks;
use super::survey::{Hosts, Question, Survey, Waiting, WaitingStatement};
use crate::endpoint::Answered;
use crate::failure::probing::{probe, view, wait_number};
use crate::job::Job;
use crate::job::page::ImageState;
use crate::rank::Rank;
use crate::sync::Ordering;
use std::time::{Duration, Instant};

/// Processes of images that have not answered whose state is read. On a busy machine this process, too, waits for a core again
/// and again.
const MAX_STATES: usize = 128;

/// The images of the region that this process sees.
#[derive(Debug, Default)]
pub(crate) struct Local {
    /// The wait of each image at the last look, and when it was first seen.
    seen: Vec<Option<SeenWait>>,
}

/// A wait that was seen.
#[derive(Clone, Copy, Debug)]
struct SeenWait {
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
                *seen = number.map(|number| SeenWait { number, since: now });
            }
            number.filter(|_| is_long)
        });
        waits.collect()
    }

    fn ask(&mut self, job: &Job, question: Question) -> Result<Survey, Survey> {
        if question.statements {
            self.long_waits(job);
        }
        let (now, mut stacks) = (Instant::now(), Stacks::default());
        let naming = question.naming();
        let answers = probe(job, question.statements, question.limit, naming);
        let waits = answers.into_iter().map(|(rank, answered)| {
            let statement =
                question.statements.then(|| waited(job, rank, &answered, &mut stacks, question));
            let seen = self.seen.get(rank.index()).copied().flatten();
            let seen = seen.filter(|seen| seen.number == answered.wait);
            let since = seen.map_or(Duration::ZERO, |seen| now.duration_since(seen.since));
            (rank, Waiting { number: answered.wait, need: answered.need, since, statement })
        });
        let mut survey = Survey { waits: waits.collect(), ..Survey::default() };
        survey.views.insert(view(job));
        if question.statements {
            let others = job.region_ranks().iter().filter(|rank| !survey.waits.contains_key(rank));
            let mut left = MAX_STATES;
            survey.others =
                others.map(|&rank| (rank, state(job, rank, &mut left).into())).collect();
        }
        Ok(survey)
    }
}

fn waited(
    job: &Job,
    rank: Rank,
    answered: &Answered,
    stacks: &mut Stacks,
    question: Question,
) -> WaitingStatement {
    let pid = job.entry(rank).pid.load(Ordering::Relaxed);
    let stack = stacks.of(pid, &answered.callers);
    WaitingStatement {
        operation: operation::name(&stack.functions, answered.need.kind),
        variable: answered.variable.clone(),
        place: stack.place,
        acts_only_by_its_wait: question.processes && acts_only_by_its_wait(job, rank),
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

/// The activity of an image that has not answered. The states of `left` processes may be read.
fn state(job: &Job, rank: Rank, left: &mut usize) -> &'static str {
    match job.state(rank) {
        ImageState::Stopped => return "has stopped",
        ImageState::Failed => return "has failed",
        ImageState::Running => {}
    }
    let pid = job.entry(rank).pid.load(Ordering::Relaxed);
    if pid == 0 {
        return "has not joined the job";
    }
    let Some(fewer) = left.checked_sub(1) else {
        return "runs, or sleeps outside of the library";
    };
    *left = fewer;
    match Activity::of(pid) {
        Some(Activity::Runs) => "runs",
        Some(Activity::Sleeps) => "sleeps outside of the library",
        Some(Activity::Stopped) => "is stopped by a signal or a debugger",
        None => "is not known",
    }
}
