//! Deadlock detection: finds that no running image can end a wait, once an image of the job has ended. The proof is in
//! `../README.md` ("Waits that no image can end").

mod survey;

#[cfg(all(test, loom))]
mod model;
#[cfg(all(test, not(loom)))]
mod tests;

use crate::endpoint::{Endpoint, STATE, State, VIEW};
use crate::error::{Error, Result};
use crate::job::page::ImageState;
use crate::rank::Rank;
use crate::transport::{AtomicRequest, Width};
use crate::wait::{Describe, PAUSES, Recorder};
use std::time::{Duration, Instant};
use survey::{Outcome, Survey};

/// Records that this image waits. From the second call on, it also records that the image has evaluated its condition,
/// and checked the ends of the images that it needs, and has found nothing to do. Between two calls the image does that
/// at least once, and sends nothing, or calls [`release`].
pub fn look(image: &Endpoint) {
    image.look();
}

/// Records that this image proceeds. Called before it does anything that may end the wait of another image.
#[inline(always)]
pub fn release(image: &Endpoint) {
    image.release();
}

/// The record of an operation that makes several waits, or waits in a way of its own, and counts its looks itself. The
/// record stays until the operation is over, or until [`release`].
#[derive(Debug)]
pub struct Scope<'a>(&'a Endpoint);

impl<'a> Scope<'a> {
    /// Nothing is recorded before the first [`Scope::look`].
    pub fn new(image: &'a Endpoint) -> Scope<'a> {
        Scope(image)
    }

    /// Records the wait and the looks of this image, like [`look`].
    pub fn look(&self) {
        look(self.0);
    }
}

impl Drop for Scope<'_> {
    fn drop(&mut self) {
        release(self.0);
    }
}

/// A post that an image waits for.
#[derive(Clone, Copy)]
pub struct AwaitedPost<'a> {
    /// What could be done by an image, as in "post the event"; for the error.
    pub what: &'a str,
    /// What the wait needs, and its variable.
    pub need: &'a dyn Describe,
    /// The longest sleep, where a post may ring no doorbell.
    pub nap: Option<Duration>,
}

/// Waits until `ready()` is true, like [`crate::wait::Waits::until`], where any other running image may make it true by
/// a post.
///
/// # Errors
/// That of `watch`; [`Error::JobEnding`]. [`Error::NoImageLeft`] when no running image is left that could make it true:
/// there is no other one, or an image has ended and all survivors wait for one another.
pub fn wait(
    image: &Endpoint,
    AwaitedPost { what, need, nap }: AwaitedPost<'_>,
    watch: impl Fn() -> Result<()>,
    mut ready: impl FnMut() -> bool,
) -> Result<()> {
    let job = image.job();
    let watch = || {
        super::check(job, [])?;
        watch()?;
        let mut others = job.ranks().filter(|&rank| rank != image.rank());
        let is_left = others.any(|rank| job.state(rank) == ImageState::Running);
        if is_left { Ok(()) } else { Err(none_is_left(image, what)) }
    };
    if ready() {
        return Ok(());
    }
    // No news reaches an image that is alone, so no other check would read its state.
    if let Err(error) = watch() {
        return if ready() { Ok(()) } else { Err(error) };
    }
    let (mut detector, mut is_deadlock) = (Detector::new(image), false);
    let ends = || {
        if ready() {
            return true;
        }
        if !detector.is_deadlock() {
            return false;
        }
        // Records of others were read after the look above.
        is_deadlock = !ready();
        true
    };
    let waits = image.waits_one_sided().needing(need);
    match nap {
        None => waits.until(watch, ends)?,
        Some(nap) => waits.until_asked(nap, watch, ends)?,
    }
    if is_deadlock { Err(none_is_left(image, what)) } else { Ok(()) }
}

/// The error that explains why no image will do `what`.
fn none_is_left(image: &Endpoint, what: &str) -> Error {
    let (job, me) = (image.job(), image.rank());
    let those = |state| job.ranks().filter(move |&rank| rank != me && job.state(rank) == state);
    let parts = [
        describe(those(ImageState::Failed), ["has failed", "have failed"]),
        describe(those(ImageState::Stopped), ["has stopped", "have stopped"]),
        describe(those(ImageState::Running), ["waits as well", "wait as well"]),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let why = if parts.is_empty() { "there is no other image".into() } else { parts.join(", ") };
    let failed = those(ImageState::Failed).next().is_some();
    Error::NoImageLeft { what: what.into(), why, failed }
}

/// The images and their state, as in `images 2 and 3 have failed`; `None` without any. `one`, `several`: the verb for
/// one and for several images.
fn describe(images: impl Iterator<Item = Rank>, [one, several]: [&str; 2]) -> Option<String> {
    /// More are not listed.
    const LISTED: usize = 8;
    let numbers: Vec<String> = images.map(|rank| rank.image().to_string()).collect();
    let (last, before) = numbers.split_last()?;
    Some(match before.len() {
        0 => format!("image {last} {one}"),
        1..LISTED => format!("images {} and {last} {several}", before.join(", ")),
        _ => format!("{} images {several}", numbers.len()),
    })
}

/// Checks, during one wait of an image, whether every other running image waits, too.
#[derive(Debug)]
struct Detector<'a> {
    image: &'a Endpoint,
    /// The end of the pause since the last reading; `None` before the first one.
    next: Option<Instant>,
    pause: Duration,
    /// The generation of this image's record that `survey` belongs to.
    generation: u32,
    survey: Option<Survey<Rank>>,
    /// The image that did not wait at the last look: its record is read first.
    active: Option<Rank>,
}

impl<'a> Detector<'a> {
    /// The detector of a wait that begins.
    fn new(image: &'a Endpoint) -> Detector<'a> {
        let [pause, _] = PAUSES;
        Detector { image, next: None, pause, generation: 0, survey: None, active: None }
    }

    /// Whether this image and every other running image wait, and none of these waits can end. Called again and again
    /// while the image waits; it reads records of other images only when the pause since the last reading is over.
    /// After `true` the caller evaluates its condition once more.
    fn is_deadlock(&mut self) -> bool {
        // Nothing is recorded before this image has marked itself. The clock is read after that only: most waits end
        // earlier, and a reading takes as long as several looks.
        let Some(own) = self.image.blocked().generation() else { return false };
        let now = Instant::now();
        if self.next.is_some_and(|next| now < next) {
            return false;
        }
        self.next = Some(now + self.pause);
        self.pause = (2 * self.pause).min(PAUSES[1]);
        if self.generation != own {
            (self.generation, self.survey) = (own, None);
        }
        let image = self.image;
        let outcome = match &mut self.survey {
            Some(survey) => survey.confirm(|rank| state_of(image, rank)),
            None => match self.begin() {
                Ok(survey) => {
                    self.survey = Some(survey);
                    Outcome::Open
                }
                Err(active) => Outcome::Active(active),
            },
        };
        if let Outcome::Active(rank) = outcome {
            (self.active, self.survey) = (Some(rank), None);
        }
        outcome == Outcome::Deadlock
    }

    /// # Errors
    /// An image that does not wait, as far as can be seen.
    fn begin(&self) -> std::result::Result<Survey<Rank>, Rank> {
        let (image, job) = (self.image, self.image.job());
        let is_other =
            |&rank: &Rank| rank != image.rank() && job.state(rank) == ImageState::Running;
        let first = self.active.filter(is_other);
        let others = job.ranks().filter(is_other).filter(|&rank| Some(rank) != first);
        Survey::begin(
            first.into_iter().chain(others),
            |rank| state_of(image, rank),
            |rank| load(image, rank, VIEW) == Some(image.blocked().view()),
        )
    }
}

/// The state in the record of an image; where it cannot be read, the state of an image that does not wait.
fn state_of(image: &Endpoint, rank: Rank) -> State {
    load(image, rank, STATE).map_or(State::default(), State::from_word)
}

fn load(image: &Endpoint, rank: Rank, field: u64) -> Option<u64> {
    let at = image.layout().blocked + field;
    // SAFETY: an aligned word of the record, which consists of atomics.
    unsafe { image.transport().atomic(rank, at, Width::W8, AtomicRequest::LOAD) }.ok()
}
