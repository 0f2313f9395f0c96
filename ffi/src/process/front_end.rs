//! The front ends that have registered, and what each does at events of the job.

use super::instance::{Instance, created};
use std::ops::Range;
use std::sync::{Mutex, OnceLock, PoisonError};
use xmp_core::job::Job;
use xmp_core::language::Language;
pub use xmp_core::race_reports::Selector;
use xmp_core::{Rank, Result};

/// What a front end does at events that other front ends, or the process, bring about.
///
/// It [registers](register) before it remembers anything of a team, and before other images ask it for anything.
#[derive(Debug)]
pub struct FrontEnd {
    /// The image starts, or has started: takes what other images will ask for.
    pub start: fn(&Job) -> Result<()>,
    /// A team is about to be left.
    pub leaving: fn(&Instance),
    /// This block of the segment is about to be freed.
    pub freeing: fn(&Instance, &Range<u64>),
    /// A team was left, and these blocks of the segment were freed with it. An error means that memory of this front end
    /// could not be freed.
    pub released: fn(&Instance, &[Range<u64>]) -> Result<()>,
    /// The image ends normally. An error is one of the program.
    pub ending: fn(&Instance) -> Result<()>,
    /// The element of a variable that has this byte of the memory of an image, in the words of the source, with an image selector
    /// or without; `None` for memory that this front end does not know.
    pub name_of: fn(&Instance, Rank, u64, Selector) -> Option<String>,
    /// Where the variable begins that has this byte of the memory of an image: the same offset on all of them.
    pub start_of: fn(&Instance, u64) -> Option<u64>,
    /// The language of its programs, in messages.
    pub language: Language,
}

impl FrontEnd {
    /// Does nothing at any event.
    pub const IDLE: FrontEnd = FrontEnd {
        start: |_| Ok(()),
        leaving: |_| {},
        freeing: |_, _| {},
        released: |_, _| Ok(()),
        ending: |_| Ok(()),
        name_of: |_, _, _, _| None,
        start_of: |_, _| None,
        language: Language::C,
    };
}

/// The front ends that the program uses, in the order of their first calls, without gaps. The capacity is more than the
/// number of all front ends.
static REGISTERED: [OnceLock<&'static FrontEnd>; 8] = [const { OnceLock::new() }; 8];
/// Held while one is registered, and while the instance is published.
static REGISTERING: Mutex<()> = Mutex::new(());

/// Registers a front end, if it is not yet registered.
///
/// # Errors
/// Those of its start, if the image has started.
#[inline]
pub fn register(front_end: &'static FrontEnd) -> Result<()> {
    let is_known = || registered().any(|known| std::ptr::eq(known, front_end));
    if is_known() { Ok(()) } else { register_first(front_end, is_known) }
}

/// Registers a front end, unless another thread has done so meanwhile.
#[cold]
fn register_first(front_end: &'static FrontEnd, is_known: impl Fn() -> bool) -> Result<()> {
    let _registering = REGISTERING.lock().unwrap_or_else(PoisonError::into_inner);
    if is_known() {
        return Ok(());
    }
    let place = REGISTERED.iter().find(|place| place.get().is_none());
    place.expect("capacity for all front ends").set(front_end).expect("only this thread registers");
    created().map_or(Ok(()), |instance| (front_end.start)(instance.image.job()))
}

/// The language of the program. If its front ends have several, types are named by their sizes, as in XcalableMP: its directives in Fortran
/// are used beside coarrays, and C calls Fortran.
pub(super) fn language() -> Language {
    let mut languages = registered().map(|front_end| front_end.language);
    let first = languages.next().unwrap_or(Language::C);
    if languages.all(|other| other == first) { first } else { Language::Xmp }
}

/// Starts the registered front ends for the image of an instance, then publishes the instance.
pub(super) fn start_all(job: &Job, publish: impl FnOnce()) -> Result<()> {
    let _registering = REGISTERING.lock().unwrap_or_else(PoisonError::into_inner);
    registered().try_for_each(|front_end| (front_end.start)(job))?;
    publish();
    Ok(())
}

/// The front ends that are registered now.
fn registered() -> impl Iterator<Item = &'static FrontEnd> {
    REGISTERED.iter().map_while(OnceLock::get).copied()
}

/// The element of a variable that has this byte of the memory of an image.
pub(super) fn name_of(
    instance: &Instance,
    of: Rank,
    offset: u64,
    selector: Selector,
) -> Option<String> {
    registered().find_map(|front_end| (front_end.name_of)(instance, of, offset, selector))
}

/// Where the variable begins that has this byte of the memory of an image.
pub(super) fn start_of(instance: &Instance, offset: u64) -> Option<u64> {
    registered().find_map(|front_end| (front_end.start_of)(instance, offset))
}

/// Whether a C program has allocated the memory at this offset.
#[cold]
pub fn is_of_c(instance: &Instance, offset: u64) -> bool {
    registered().any(|front_end| {
        front_end.language == Language::C && (front_end.start_of)(instance, offset).is_some()
    })
}

/// A team is about to be left.
pub(super) fn leaving(instance: &Instance) {
    registered().for_each(|front_end| (front_end.leaving)(instance));
}

/// A block is about to be freed: what still uses it is completed. This image has not met the others for that yet.
pub fn freeing(instance: &Instance, block: &Range<u64>) {
    registered().for_each(|front_end| (front_end.freeing)(instance, block));
}

/// The image ends normally.
///
/// # Errors
/// The first one of a front end.
pub(super) fn ending(instance: &Instance) -> Result<()> {
    registered().try_for_each(|front_end| (front_end.ending)(instance))
}

/// A team was left, and these blocks of the segment were freed: all front ends forget what they had there.
///
/// # Errors
/// The first one of a front end; the others are called all the same.
pub(super) fn released(instance: &Instance, blocks: &[Range<u64>]) -> Result<()> {
    let forget = |front_end: &'static FrontEnd| (front_end.released)(instance, blocks);
    registered().map(forget).fold(Ok(()), Result::and)
}
