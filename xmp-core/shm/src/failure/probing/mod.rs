//! The launcher's side of probes: asks the waiting images of a region what they wait for, collects their answers, and
//! finds those that wait for one another for ever. One thread at a time probes the images of a region.

mod graph;

pub use graph::{Needs, deadlocked, missing};

pub use crate::endpoint::view;

use crate::endpoint::{Answer, Answered};
use crate::job::Job;
use crate::job::page::ImageState;
use crate::rank::Rank;
use crate::sync::Ordering;
use crate::wait::Probe;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Time between two looks for answers.
const PAUSE: Duration = Duration::from_micros(200);

/// Answers by image.
pub type Answers = BTreeMap<Rank, Answered>;

/// Whether an image has slept in a wait and is still in it, and the number of that wait. Only a hint.
pub fn wait_number(job: &Job, rank: Rank) -> Option<u32> {
    let number = job.entry(rank).doorbell.wait_number();
    (!number.is_multiple_of(2) && job.state(rank) == ImageState::Running).then_some(number)
}

/// Probes all images, and collects the answers of those that wait. An image that has not answered after `limit` does
/// not count as waiting: it may be stopped, or be about to continue. With `naming`, answers have the names of variables that are there
/// after this time.
pub fn probe(job: &Job, with_callers: bool, limit: Duration, naming: Option<Duration>) -> Answers {
    let word = &job.page().status.probe;
    // Relaxed: only this launcher writes it.
    let probe = Probe(word.load(Ordering::Relaxed)).next(with_callers, naming.is_some());
    // Release: the answers that were read before. An image that reads this probe sees what each of those images had
    // done before it answered.
    word.store(probe.0, Ordering::Release);
    let mut asked: Vec<Rank> = job.region_ranks().to_vec();
    asked.iter().for_each(|&rank| job.entry(rank).doorbell.ring());
    let (mut answers, began) = (Answers::new(), Instant::now());
    loop {
        asked.retain(|&rank| match Answer::read(job, rank, probe) {
            Some(answered) => {
                answers.insert(rank, answered);
                false
            }
            None => wait_number(job, rank).is_some(),
        });
        if asked.is_empty() || began.elapsed() >= limit {
            break;
        }
        std::thread::sleep(PAUSE);
    }
    if let Some(naming) = naming {
        add_variables(job, probe, &mut answers, began + naming);
    }
    answers
}

/// Adds the names of the variables that images wait for to their answers to `probe`, until `deadline`.
fn add_variables(job: &Job, probe: Probe, answers: &mut Answers, deadline: Instant) {
    let mut unnamed: Vec<Rank> = answers.keys().copied().collect();
    loop {
        unnamed.retain(|&rank| match Answer::read_variable(job, rank, probe) {
            Some(variable) => {
                answers.entry(rank).and_modify(|answered| answered.variable = variable);
                false
            }
            None => wait_number(job, rank).is_some(),
        });
        if unnamed.is_empty() || Instant::now() >= deadline {
            return;
        }
        std::thread::sleep(PAUSE);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::settings::Settings;
    use crate::sync::AtomicU32;
    use crate::thread_images;

    /// A leader began to yield anew with each request that it served, and answered after seconds on a busy machine.
    #[test]
    fn an_image_that_yields_again_and_again_answers() {
        let settings = Settings { yields: Some(u32::MAX), ..Settings::default() };
        let is_over = AtomicU32::new(0);
        thread_images::run_with(settings, 2, 1, |image| {
            let (job, waiting) = (image.job(), Rank::new(1));
            if image.rank() == waiting {
                let is_over = || is_over.load(Ordering::Acquire) == 1;
                return image.waits().until(|| Ok(()), is_over).unwrap();
            }
            let answers = (0..60_000).any(|_| {
                std::thread::sleep(Duration::from_millis(1));
                let limit = Duration::from_millis(50);
                probe(job, false, limit, None).contains_key(&waiting)
            });
            is_over.store(1, Ordering::Release);
            job.entry(waiting).doorbell.ring();
            assert!(answers);
        })
        .unwrap();
    }
}
