//! Complaints: what images report before they end the job. What several images of a host report alike, one of them writes.

use super::{ending, start_ending};
use crate::job::Job;
use crate::rank::Rank;
use crate::report::report_at;
use crate::sync::Ordering;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{Duration, Instant};

/// Value of [`crate::job::entry::ImageEntry::complaint`] while the image composes its report, which may read debugging
/// information.
const COMPOSING: u64 = 1;

/// How long an image waits for others that come upon the same error.
const TOGETHER: Duration = Duration::from_millis(20);
/// How long it waits for reports that are being composed.
const AT_MOST: Duration = Duration::from_secs(2);

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
        job.entry(rank).complaint.store(COMPOSING, Ordering::Relaxed);
        Some(Complaint { job, rank, since: Instant::now() })
    }

    /// Starts error termination of the job with this code because of the error that this text describes, without the
    /// image.
    pub fn end_job(self, code: i32, text: &[u8]) -> Turn {
        let Complaint { job, rank, since } = self;
        let digest = digest(text);
        // Release: what the image did before is visible to the one that writes the report.
        job.entry(rank).complaint.store(digest, Ordering::Release);
        let others_come = || {
            let waited = since.elapsed();
            let composes = |&rank: &Rank| complaint(job, rank) == COMPOSING;
            waited < TOGETHER || waited < AT_MOST && job.region_ranks().iter().any(composes)
        };
        while job.images() > 1 && ending(job).is_none() && others_come() {
            std::thread::sleep(Duration::from_millis(1));
        }
        if start_ending(job, rank, code) {
            let alike = job.region_ranks().iter().filter(|&&other| complaint(job, other) == digest);
            return Turn::Report(Complainants(alike.copied().collect()));
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

fn complaint(job: &Job, rank: Rank) -> u64 {
    job.entry(rank).complaint.load(Ordering::Acquire)
}

/// A number for a text, neither that of an image without an error nor [`COMPOSING`].
fn digest(text: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish() | 2
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
