//! All hosts of a job, as its first image asks them.

use super::message::Message;
use super::post::Post;
use crate::failure;
use crate::job::Job;
use crate::launch::hang::{Hosts, INTERVAL, Local, Question, Survey};
use crate::rank::Rank;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// The time that other hosts have for an answer after the time of their images. They answer within milliseconds; on a
/// busy machine they need longer.
const ANSWERING: Duration = Duration::from_secs(2);
/// The same where they look up statements in large programs.
const NAMING: Duration = Duration::from_secs(5);

/// The hosts of a job.
#[derive(Debug)]
pub(super) struct AllHosts {
    local: Local,
    post: Post,
    /// The leaders of the other hosts.
    others: Vec<Rank>,
    /// By leader: the lasting waits of the images of its host, as it has reported them last.
    told: BTreeMap<Rank, Vec<(Rank, u32)>>,
    /// The number of the last question.
    round: u32,
}

impl AllHosts {
    /// This host and the hosts of the leaders `others`.
    pub(super) fn new(post: Post, others: Vec<Rank>) -> AllHosts {
        AllHosts { local: Local::default(), post, others, told: BTreeMap::new(), round: 0 }
    }

    /// Whether this process is leaving its job.
    pub(super) fn is_closed(&self) -> bool {
        self.post.is_closed()
    }

    /// Ends the messages between the hosts.
    pub(super) fn say_goodbye(&mut self, job: &Job) {
        self.post.say_goodbye(job, &self.others);
    }

    /// Receives messages of other hosts, for this time.
    pub(super) fn listen(&mut self, limit: Duration) {
        let end = Instant::now() + limit;
        while let Some((from, message)) =
            self.post.take(end.saturating_duration_since(Instant::now()))
        {
            self.hear(from, message);
        }
    }

    /// Takes a report of a host that was not asked. Answers that come too late are dropped.
    fn hear(&mut self, from: Rank, message: Message) {
        if let Message::Waits(waits) = message {
            self.told.insert(from, waits);
            self.post.send(from, &Message::Heard);
        }
    }
}

impl Hosts for AllHosts {
    fn ranks(&self, job: &Job) -> Vec<Rank> {
        job.ranks().collect()
    }

    fn long_waits(&mut self, job: &Job) -> Vec<Option<u32>> {
        let mut waits = self.local.long_waits(job);
        for &(rank, number) in self.told.values().flatten() {
            if let Some(wait) = waits.get_mut(rank.index()) {
                *wait = Some(number);
            }
        }
        waits
    }

    fn ask(&mut self, job: &Job, question: Question) -> Result<Survey, Survey> {
        self.round = self.round.wrapping_add(1);
        let ask = Message::Ask { round: self.round, question };
        self.others.iter().for_each(|&leader| self.post.send(leader, &ask));
        let for_others = match question {
            Question { in_haste: true, limit, .. } => limit,
            Question { statements: true, .. } => NAMING,
            _ => ANSWERING,
        };
        let of_images = question.limit.max(question.naming().unwrap_or_default());
        let end = Instant::now() + of_images + for_others;
        let (Ok(mut survey) | Err(mut survey)) = self.local.ask(job, question);
        let mut missing: BTreeSet<Rank> = self.others.iter().copied().collect();
        while !missing.is_empty() {
            let left = end.saturating_duration_since(Instant::now());
            let is_over = self.is_closed() || failure::ending(job).is_some();
            if left.is_zero() || is_over || missing.iter().any(|&leader| self.post.is_gone(leader))
            {
                tracing::debug!(self.round, ?missing, is_over, "not all hosts have answered");
                return Err(survey);
            }
            match self.post.take(left.min(INTERVAL)) {
                Some((from, Message::Found { round, survey: its }))
                    if round == self.round && missing.remove(&from) =>
                {
                    survey.add(its);
                }
                Some((from, message)) => self.hear(from, message),
                None => {}
            }
        }
        Ok(survey)
    }
}
