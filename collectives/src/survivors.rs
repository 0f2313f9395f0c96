//! How the images of a set meet that are left when others have failed.
//!
//! They need not know of the same failures, and one that fails may have met the others in its last step; some may have
//! made the synchronisation that others have not made, and have gone on. There are two ways, and all images of a set go
//! the same one.
//!
//! *By steps*, where all share a collective area whose steps are made by all its images or by none: first they meet without the image
//! that failed first, if that cannot be, without the first two, and so on. An image that has failed took part without those
//! only that had failed before it: who comes later finds each of these steps made, or impossible, as those before it did.
//!
//! *By arrivals*, everywhere else: each image counts the synchronisations of the set that it comes to
//! ([`xmp_core::failure::arrivals`]), and has met the others when each of them has come to this one or has failed. Who has
//! made it, and gone on, has come to it; so nobody waits for an image that knows nothing of a failure. What images give at
//! a meeting is what all that have come gave: it was there before they could go on or fail, so all find the same.

use crate::check::{self, Call};
use crate::guard::with_live_set;
use std::cell::RefCell;
use std::time::Duration;
use xmp_core::coll_area::CollArea;
use xmp_core::failure::arrivals::{self, Arrival, Other, Seen, Words};
use xmp_core::failure::deadlock;
use xmp_core::image_set::{ImageSet, Members};
use xmp_core::job::page::ImageState;
use xmp_core::{Error, Image, Rank, Result, failure, wait};

/// How often those are looked at who have not come: nobody rings, because nobody knows who looks.
const NAP: Duration = Duration::from_micros(50);

/// A synchronisation that an image comes to: how it will meet those that are left, should some have failed.
#[derive(Clone, Copy, Debug)]
pub struct SurvivorSync {
    words: Words,
    way: Way,
}

#[derive(Clone, Copy, Debug)]
enum Way {
    Steps,
    /// `None`: there was no room to count.
    Arrivals(Option<Arrival>),
}

impl SurvivorSync {
    /// To one of a set whose images meet by steps, where nothing is given.
    pub(crate) const BY_STEPS: SurvivorSync = SurvivorSync { words: [0; 2], way: Way::Steps };

    /// This image comes to a synchronisation of the set, and gives these words, after all images have said what they `call` if
    /// the settings ask for that. To be called for each one, also when nothing has failed, and also by images that will not
    /// meet the others.
    ///
    /// # Errors
    /// When images call different operations: they have not come to anything then. When the job is ending.
    ///
    /// # Panics
    /// When this image is not in the set.
    #[inline]
    pub fn to(
        image: &Image,
        set: &ImageSet,
        call: impl FnOnce() -> Call,
        words: Words,
    ) -> Result<SurvivorSync> {
        match with_live_set(image, set, || check::agree(image, set, call)) {
            // Nobody can say whether all call the same: that this image cannot take part, either, it will find below.
            Ok(()) | Err(Error::StoppedImage(_) | Error::FailedImage(_)) => {}
            Err(error) => return Err(error),
        }
        let by_arrivals = set.len() > 1 && {
            !set.split(image).single_host() || !set.levels(image)?.has_atomic_barrier()
        };
        let way = match by_arrivals {
            true => Way::Arrivals(arrivals::arrive(image, set, words)),
            false => Way::Steps,
        };
        Ok(SurvivorSync { words, way })
    }

    /// What this image gives.
    pub fn words(&self) -> Words {
        self.words
    }

    /// Whether the images meet by arrivals, so that each of them finds what the others give.
    pub fn is_by_arrivals(&self) -> bool {
        matches!(self.way, Way::Arrivals(_))
    }

    /// Whether those that are left are to meet, because this is how an attempt to synchronise has ended without that. Where
    /// they meet by arrivals, also when an image has stopped: it may have met the others, this one among them, before this
    /// one has noticed any failure, and gone on to its end.
    pub fn calls_for_meeting(&self, error: &Error) -> bool {
        match error {
            Error::FailedImage(_) => true,
            Error::StoppedImage(_) => self.is_by_arrivals(),
            _ => false,
        }
    }

    /// What is told after a meeting that this error of the attempt has called for: the failure because of which the images
    /// of the set have met.
    pub fn failure(&self, image: &Image, set: &ImageSet, error: Error) -> Error {
        let failed = failure::failed_in_order(image.job(), set.ranks());
        match (&error, failed.first()) {
            (Error::StoppedImage(_), Some(&failed)) => Error::FailedImage(failed),
            _ => error,
        }
    }

    /// Returns when all images of the set that have not failed have come to this; the greatest of the first words that
    /// they give.
    ///
    /// # Errors
    /// When one of them has stopped; when the job is ending. [`Error::Invalid`], at once, when there was no room for the set,
    /// here or on another image.
    pub fn meet(self, image: &Image, set: &ImageSet) -> Result<u64> {
        match self.way {
            Way::Steps => by_steps(image, set, self.words[0]),
            Way::Arrivals(_) => {
                let given = self.gather(image, set)?;
                Ok(given.into_iter().flatten().map(|words| words[0]).max().unwrap_or(0))
            }
        }
    }

    /// As [`SurvivorSync::meet`] where images meet by arrivals: what each image of the set gives that has come, by position. All
    /// find the same, also of those that have failed since they came.
    ///
    /// # Errors
    /// As [`SurvivorSync::meet`].
    pub fn gather(self, image: &Image, set: &ImageSet) -> Result<Vec<Option<Words>>> {
        let Way::Arrivals(Some(arrival)) = self.way else { return Err(no_room_to_count()) };
        let job = image.job();
        // Where an image has stopped, either it has come, and so has everybody else, or this ends at once.
        let has_stopped = matches!(failure::check(job, set.ranks()), Err(Error::StoppedImage(_)));
        if set.len() == job.images() && !has_stopped {
            // Who sees this image wait there takes it that nothing more of it comes: what it has sent is there.
            image.transport().finish()?;
            failure::wait_for_all(job, image.rank());
        }
        let mut given = vec![None; set.len()];
        // Those that have not been seen to come.
        let others = RefCell::new(Vec::new());
        for (position, rank) in set.ranks().enumerate() {
            match rank == image.rank() {
                true => given[position] = Some(arrival.words()),
                false => others.borrow_mut().push((position, Other::new(rank))),
            }
        }
        let look = |given: &mut Vec<Option<Words>>| {
            let mut absent = Vec::new();
            for (position, mut other) in others.take() {
                // In this order: of who has ended the table does not change any more.
                let state = job.state(other.rank);
                match other.look(image, set, &arrival)? {
                    // It may have gone on to its end, which is no concern of this.
                    Seen::Came(words) => given[position] = words,
                    Seen::Absent => match state {
                        ImageState::Failed => {}
                        ImageState::Stopped => return Err(Error::StoppedImage(other.rank)),
                        ImageState::Running => absent.push((position, other)),
                    },
                    Seen::Unknown => return Ok(Some(false)),
                }
            }
            let all = absent.is_empty();
            others.replace(absent);
            Ok(all.then_some(true))
        };
        let recorded = deadlock::Scope::new(image);
        let page = job.page();
        let known = wait::poll(
            &page.status,
            page.waiting,
            NAP,
            // Of the others `look` says it.
            || failure::check(job, []),
            || {
                let known = look(&mut given)?;
                if known.is_none() {
                    recorded.look();
                }
                Ok(known)
            },
        )?;
        if known { Ok(given) } else { Err(no_room_to_count()) }
    }
}

/// Why those that are left do not meet.
fn no_room_to_count() -> Error {
    let sets = arrivals::SETS;
    cannot_meet(&format!(
        "an image has no room to count its synchronisations of more than {sets} sets"
    ))
}

fn cannot_meet(why: &str) -> Error {
    Error::Invalid(format!(
        "an image has failed, and those that are left cannot synchronise: {why}"
    ))
}

/// Those that are left of a set whose steps are made by all or by none meet; the greatest of the words that they give.
fn by_steps(image: &Image, set: &ImageSet, word: u64) -> Result<u64> {
    if set.len() == image.job().images() {
        failure::begin_to_meet(image.job(), image.rank());
    }
    for without in 1.. {
        let failed = failure::failed_in_order(image.job(), set.ranks());
        let Some(failed) = failed.get(..without) else { break };
        let left: Vec<Rank> = set.ranks().filter(|rank| !failed.contains(rank)).collect();
        if left.len() == 1 {
            return Ok(word);
        }
        let left = image.set(Members::from_list(&left)?)?;
        let levels = left.levels(image)?;
        let Some(area) = levels.area() else {
            return Err(cannot_meet("their host has no room for another collective area"));
        };
        match greatest(image, area, word) {
            Err(Error::FailedImage(_)) => {}
            outcome => return outcome,
        }
    }
    Err(cannot_meet("their failures are not known here"))
}

/// The greatest of the words that the members of a collective area give in a step.
fn greatest(image: &Image, area: &CollArea, word: u64) -> Result<u64> {
    // SAFETY: a slot has room for a word and is aligned for it; this is the slot of the coming step.
    unsafe { area.slot().cast::<u64>().write(word) };
    area.barrier(image)?;
    // SAFETY: as above, of the step that was made: all members have written theirs.
    let words = (0..area.len()).map(|member| unsafe { area.slot_of(member).cast::<u64>().read() });
    Ok(words.max().unwrap_or(word))
}
