//! The part of a host that is not the first one: its leader reports lasting waits to the first image, and answers its
//! questions.

use super::job_context::JobContext;
use super::message::Message;
use super::post::Post;
use crate::failure;
use crate::launch::hang::{Hangs, Hosts, INTERVAL, Local};
use crate::rank::Rank;
use crate::report::report;
use crate::settings::DeadlockAction;
use std::time::{Duration, Instant};

/// The time that the first image has for its question after the user's. Then this host shows its own results.
const FIRST_IMAGE: Duration = Duration::from_secs(5);
/// The time by which the first image's question may come here before the user's: this thread looks for the user's at
/// intervals.
const EARLIER: Duration = Duration::from_secs(1);
/// The number of times that unchanged waits are reported within `XMP_WAIT_NOTICE`.
const AGAIN: u32 = 4;
/// With this many hosts more, waits are reported half as often.
const HOSTS: u32 = 16;

/// The waits of this host's images, as the first image knows them.
#[derive(Debug)]
struct ReportedWaits {
    /// The images that wait, and the numbers of their waits.
    waits: Vec<(Rank, u32)>,
    /// Since when they have been the same.
    since: Instant,
    /// The time of the last report.
    last: Instant,
    /// The time of a report that has no answer yet.
    unheard: Option<Instant>,
    /// Whether this host has reported them itself.
    is_reported: bool,
}

/// The state of the leader of such a host.
#[derive(Debug)]
pub(super) struct Answering {
    shared: JobContext,
    post: Post,
    first: Rank,
    hangs: Hangs<Local>,
    /// The waits that were reported last.
    told: ReportedWaits,
    /// When the first image has asked for statements last.
    asked: Option<Instant>,
    /// The number of requests of the user.
    questions: u32,
    /// When this host shows its images by itself.
    shows: Option<Instant>,
}

impl Answering {
    /// The state before any report. `first`: the image that asks.
    pub(super) fn new(shared: JobContext, post: Post, first: Rank) -> Answering {
        Answering {
            hangs: Hangs::new(Local::default(), &shared.settings),
            questions: (shared.questions)(),
            shared,
            post,
            first,
            told: ReportedWaits {
                waits: Vec::new(),
                since: Instant::now(),
                last: Instant::now(),
                unheard: None,
                is_reported: false,
            },
            asked: None,
            shows: None,
        }
    }

    /// Answers until the job ends.
    pub(super) fn answer(mut self) {
        let interval = INTERVAL * (1 + self.shared.job.geometry().hosts / HOSTS);
        let mut next = Instant::now() + interval;
        while !self.post.is_closed() && failure::ending(&self.shared.job).is_none() {
            let left = next.saturating_duration_since(Instant::now());
            if let Some((_, message)) = self.post.take(left.min(INTERVAL)) {
                self.reply(&message);
            }
            if next <= Instant::now() {
                self.tell_waits();
                next = Instant::now() + interval;
            }
            self.look_at_questions();
        }
        self.post.say_goodbye(&self.shared.job, &[self.first]);
    }

    /// Answers a question of the first image.
    fn reply(&mut self, message: &Message) {
        self.told.unheard = None;
        let &Message::Ask { round, question } = message else { return };
        let (Ok(survey) | Err(survey)) = self.hangs.hosts().ask(&self.shared.job, question);
        tracing::debug!(round, waits = survey.waits.len(), "answers the first image");
        self.post.send(self.first, &Message::Found { round, survey });
        if question.statements {
            self.asked = Some(Instant::now());
        }
    }

    /// Tells the first image which waits have lasted since the last look, if these are others than before, and now and then
    /// if they are the same. If there is no answer, this host reports its images itself, once they all wait.
    fn tell_waits(&mut self) {
        let (job, settings, now) = (&self.shared.job, &self.shared.settings, Instant::now());
        if settings.deadlock == DeadlockAction::Ignore {
            return;
        }
        let long = self.hangs.hosts().long_waits(job);
        let number = |(at, number): (usize, &Option<u32>)| Some((Rank::new(at as u32), (*number)?));
        let waits: Vec<(Rank, u32)> = long.iter().enumerate().filter_map(number).collect();
        let told = &mut self.told;
        let are_others = waits != told.waits;
        if are_others {
            (told.since, told.is_reported) = (now, false);
        }
        if are_others || !waits.is_empty() && now - told.last >= settings.wait_notice / AGAIN {
            told.waits.clone_from(&waits);
            told.last = now;
            told.unheard.get_or_insert(now);
            self.post.send(self.first, &Message::Waits(waits));
        }
        let is_unheard = told.unheard.is_some_and(|unheard| now - unheard >= FIRST_IMAGE);
        if is_unheard && !told.is_reported && now - told.since >= settings.wait_notice {
            told.is_reported = true;
            let who = "image 1 does not answer, and all images of this host";
            if let Some(finding) = self.hangs.idle_images(job, &long, who) {
                report(format_args!("{finding}"));
            }
        }
    }

    /// Shows the images of this host, if the user has asked and the first image does not.
    fn look_at_questions(&mut self) {
        let (now, questions) = (Instant::now(), (self.shared.questions)());
        if std::mem::replace(&mut self.questions, questions) != questions {
            self.shows = Some(now + FIRST_IMAGE);
        }
        if self.shows.is_none_or(|due| now < due) {
            return;
        }
        self.shows = None;
        if self.asked.is_none_or(|asked| asked + EARLIER + FIRST_IMAGE < now) {
            report(format_args!("{}", self.hangs.table(&self.shared.job)));
        }
    }
}
