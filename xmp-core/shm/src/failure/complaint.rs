//! Complaints: what images report before they end the job. What several images report alike, one of them writes. The servers
//! propagate complaints to other hosts, whose images do not report what an image of a lower number reports.

use super::{announce, ending, start_ending};
use crate::hash;
use crate::job::Job;
use crate::rank::Rank;
use crate::report::report_at;
use crate::sync::Ordering;
use std::fmt;
use std::time::{Duration, Instant};

/// Value of `complaint` in the entry of an image (`crate::job::entry`) while the image composes its report, which may read debugging
/// information.
const COMPOSING: u32 = 1;

/// How long an image waits for others that come upon the same error.
const TOGETHER: Duration = Duration::from_millis(20);
/// The same where some of them are on other hosts.
const TOGETHER_ON_HOSTS: Duration = Duration::from_millis(100);
/// How long it waits for reports that are being composed, or that another host is to write.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// An error of an image that is going to end the job.
#[derive(Debug)]
pub struct Complaint<'a> {
    job: &'a Job,
    rank: Rank,
    since: Instant,
}

/// What becomes of a complaint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Turn {
    /// This image is to write the report, of these images.
    Report(Complainants),
    /// Another image writes the same report.
    Alike,
    /// Another image was first, with another report.
    TooLate,
}

/// The images that report the same, in order; at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complainants(Vec<Rank>);

impl<'a> Complaint<'a> {
    /// An image has found an error. `None` if the job is ending already: then the error is a consequence.
    pub fn start(job: &'a Job, rank: Rank) -> Option<Complaint<'a>> {
        if ending(job).is_some() {
            return None;
        }
        publish(job, rank, COMPOSING);
        Some(Complaint { job, rank, since: Instant::now() })
    }

    /// Starts error termination of the job with this code because of the error that this text describes, without the
    /// image.
    pub fn end_job(self, code: i32, text: &[u8]) -> Turn {
        let Complaint { job, rank, since } = self;
        let digest = digest(text);
        publish(job, rank, digest);
        let together = if is_on_one_host(job) { TOGETHER } else { TOGETHER_ON_HOSTS };
        let others_come = || {
            let waited = since.elapsed();
            let composes = |rank: Rank| complaint(job, rank) == COMPOSING;
            waited < together || waited < MAX_WAIT && job.ranks().any(composes)
        };
        while job.images() > 1 && ending(job).is_none() && others_come() {
            std::thread::sleep(Duration::from_millis(1));
        }
        let alike = job.ranks().filter(|&other| complaint(job, other) == digest);
        let alike = Complainants(alike.collect());
        // The host of the lowest of them reports; if it does not, this one does.
        let others_report =
            alike.0.first().is_some_and(|first| !job.region_ranks().contains(first));
        while others_report && ending(job).is_none() && since.elapsed() < MAX_WAIT {
            std::thread::sleep(Duration::from_millis(1));
        }
        if start_ending(job, rank, code) {
            return Turn::Report(alike);
        }
        match ending(job) {
            Some((Some(first), _)) if complaint(job, first) == digest => Turn::Alike,
            _ => Turn::TooLate,
        }
    }
}

/// Starts error termination with this status because of an error that `rank` has met at this place of the program,
/// `main.rs:12`. Writes a message, unless another image was first. (`{reason:#}`: with its causes.)
pub fn end_job_at(job: &Job, rank: Rank, status: i32, place: &str, reason: impl fmt::Display) {
    let Some(complaint) = Complaint::start(job, rank) else { return };
    let what = format!("{reason:#}");
    let turn = complaint.end_job(status, format!("{place}: {what}").as_bytes());
    if let Turn::Report(images) = turn {
        report_at(place, format_args!("{images}: {what}"));
    }
}

/// Records a complaint of `rank`, an image of another host.
pub fn replica_complaint(job: &Job, rank: Rank, complaint: u32) {
    job.entry(rank).complaint.store(complaint, Ordering::Release);
}

/// Publishes the complaint of an image of this host.
fn publish(job: &Job, rank: Rank, complaint: u32) {
    // Release: what the image did before is visible to the one that writes the report.
    job.entry(rank).complaint.store(complaint, Ordering::Release);
    if !is_on_one_host(job) {
        // The server tells other hosts.
        announce(job);
    }
}

fn is_on_one_host(job: &Job) -> bool {
    job.region_ranks().len() == job.images()
}

fn complaint(job: &Job, rank: Rank) -> u32 {
    job.entry(rank).complaint.load(Ordering::Acquire)
}

/// A number for a text, neither that of an image without an error nor [`COMPOSING`].
fn digest(text: &[u8]) -> u32 {
    hash::of(text) as u32 | 2
}

impl From<Vec<Rank>> for Complainants {
    /// `ranks`: at least one, in order.
    fn from(ranks: Vec<Rank>) -> Complainants {
        Complainants(ranks)
    }
}

impl Complainants {
    /// Whether it is one image.
    pub fn is_one(&self) -> bool {
        self.0.len() == 1
    }
}

impl fmt::Display for Complainants {
    /// `image 3`, `images 1-4`, `images 1-3, 7`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let follows = |one: &Rank, next: &Rank| one.image() + 1 == next.image();
        let runs: Vec<String> = self
            .0
            .chunk_by(follows)
            .map(|run| match run {
                [first, .., last] => format!("{}-{}", first.image(), last.image()),
                _ => run.iter().map(|only| only.image().to_string()).collect(),
            })
            .collect();
        write!(f, "image{} {}", if self.0.len() > 1 { "s" } else { "" }, runs.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::thread_images as threads;
    use std::sync::Mutex;

    #[test]
    fn images_are_listed_in_runs() {
        let text = |ranks: &[u32]| {
            Complainants(ranks.iter().map(|&rank| Rank::new(rank)).collect()).to_string()
        };
        assert_eq!(text(&[2]), "image 3");
        assert_eq!(text(&[0, 1, 2, 3]), "images 1-4");
        assert_eq!(text(&[0, 1, 2, 6]), "images 1-3, 7");
        assert_eq!(text(&[0, 2, 4, 5]), "images 1, 3, 5-6");
    }

    #[test]
    fn one_image_reports_what_several_have_found() {
        let turns = Mutex::new(Vec::new());
        let all_started = std::sync::Barrier::new(4);
        let _ = threads::run(4, 1, |image| {
            let complaint = Complaint::start(image.job(), image.rank()).unwrap();
            all_started.wait();
            if image.rank() == Rank::new(1) {
                // Composing takes time.
                std::thread::sleep(2 * TOGETHER);
            }
            let text = if image.rank() == Rank::new(2) { "another" } else { "alike" };
            let turn = complaint.end_job(1, text.as_bytes());
            turns.lock().unwrap().push((text, turn));
            assert!(Complaint::start(image.job(), image.rank()).is_none());
        });
        let mut turns = turns.into_inner().unwrap();
        turns.sort_by_key(|(_, turn)| !matches!(turn, Turn::Report(_)));
        let [(first, Turn::Report(images)), others @ ..] = &turns[..] else { panic!("{turns:?}") };
        assert_eq!(images.to_string(), if *first == "alike" { "images 1-2, 4" } else { "image 3" });
        for (text, turn) in others {
            assert_eq!(*turn, if text == first { Turn::Alike } else { Turn::TooLate }, "{turns:?}");
        }
    }
}
