//! The front ends that have registered, and what each does at events of the job.

use super::instance::{Instance, current};
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use xmp_core::Result;
use xmp_core::job::Job;
use xmp_core::language::Language;

/// What a front end does at events that other front ends, or the process, bring about.
///
/// It [registers](register) before it remembers anything of a team, and before other images ask it for anything.
#[derive(Debug)]
pub struct FrontEnd {
    /// The image starts, or has started: takes what other images will ask for.
    pub start: fn(&Job) -> Result<()>,
    /// A team is about to be left.
    pub leaving: fn(&Instance),
    /// A team or the set of a task was left, and these blocks of the segment were freed with it. An error means that
    /// memory of this front end could not be freed.
    pub released: fn(&Instance, &[Range<u64>]) -> Result<()>,
    /// The language of its programs, in messages.
    pub language: Language,
}

impl FrontEnd {
    /// Does nothing at any event.
    pub const IDLE: FrontEnd = FrontEnd {
        start: |_| Ok(()),
        leaving: |_| {},
        released: |_, _| Ok(()),
        language: Language::C,
    };
}

/// The front ends that the program uses, in the order of their first calls.
static REGISTERED: Mutex<Vec<&'static FrontEnd>> = Mutex::new(Vec::new());

/// Registers a front end, if it is not yet registered.
///
/// # Errors
/// Those of its start, if the image has started.
pub fn register(front_end: &'static FrontEnd) -> Result<()> {
    let mut registered = REGISTERED.lock().unwrap_or_else(PoisonError::into_inner);
    if registered.iter().any(|known| std::ptr::eq(*known, front_end)) {
        return Ok(());
    }
    registered.push(front_end);
    current().map_or(Ok(()), |instance| (front_end.start)(instance.image.job()))
}

/// The language of the program, if all its front ends have the same one.
pub(super) fn language() -> Language {
    let front_ends = registered();
    let mut languages = front_ends.iter().map(|front_end| front_end.language);
    let first = languages.next().unwrap_or(Language::C);
    if languages.all(|other| other == first) { first } else { Language::Rust }
}

/// Starts the registered front ends for the image of an instance, then publishes the instance.
pub(super) fn start_all(job: &Job, publish: impl FnOnce()) -> Result<()> {
    let registered = REGISTERED.lock().unwrap_or_else(PoisonError::into_inner);
    registered.iter().try_for_each(|front_end| (front_end.start)(job))?;
    publish();
    Ok(())
}

/// The front ends that are registered now. Their functions are called without the lock.
fn registered() -> SmallVec<[&'static FrontEnd; 4]> {
    REGISTERED.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect()
}

/// A team is about to be left.
pub(super) fn leaving(instance: &Instance) {
    registered().into_iter().for_each(|front_end| (front_end.leaving)(instance));
}

/// A team or the set of a task was left, and these blocks of the segment were freed: all front ends forget what they
/// had there.
///
/// # Errors
/// The first one of a front end; the others are called all the same.
pub fn released(instance: &Instance, blocks: &[Range<u64>]) -> Result<()> {
    let forget = |front_end: &'static FrontEnd| (front_end.released)(instance, blocks);
    registered().into_iter().map(forget).fold(Ok(()), Result::and)
}
