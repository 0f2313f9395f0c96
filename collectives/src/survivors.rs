//! Synchronisation of the survivors of a set after a failure.
//!
//! Survivors need not know of the same failures, and an image may have completed the failing synchronisation, and gone
//! on, before another one learns of the failure. So each image publishes how many synchronisations of the set it has
//! come to, and what it gives to the last ones ([`xmp_core::failure::arrivals`]). The survivors are synchronised when
//! each image of the set has come to this synchronisation or has failed. An image that completed it has come to it, so
//! no image waits for one that knows of no failure. What the images give was there before they could go on or fail, so
//! all survivors find the same.
//!
//! Where all share a collective area whose barriers complete on all images or on none, a synchronisation fails on all
//! survivors or on none of them. There only those that fail are counted, so that a barrier on one host costs nothing
//! more.

use crate::check::{self, Call};
use std::cell::RefCell;
use std::time::Duration;
use xmp_core::failure::arrivals::{self, Arrival, Other, Seen, Words};
use xmp_core::failure::deadlock;
use xmp_core::image_set::ImageSet;
use xmp_core::job::page::ImageState;
use xmp_core::transport::FlushScope;
use xmp_core::{Error, Image, Result, failure, wait};

/// Time between two looks at the tables of the other images, which do not know that this image looks.
const NAP: Duration = Duration::from_micros(50);

/// A synchronisation that an image comes to.
#[derive(Clone, Copy, Debug)]
pub struct SurvivorSync {
    words: Words,
    arrival: Counted,
}

/// When an image counts that it has come to a synchronisation.
#[derive(Clone, Copy, Debug)]
enum Counted {
    /// When it comes; `None` if it has no room for the set.
    Always(Option<Arrival>),
    /// Only when the synchronisation fails: it fails on all images of the set or on none.
    WhenItFails,
}

impl SurvivorSync {
    /// A synchronisation by a barrier that completes on all images of the set or on none.
    pub(crate) const ATOMIC: SurvivorSync =
        SurvivorSync { words: [0; 2], arrival: Counted::WhenItFails };

    /// This image comes to a synchronisation of the set and gives these words, after the images have compared what they
    /// `call` if the settings ask for that. Each image calls it for each synchronisation, also when nothing has failed,
    /// and also for a statement that does not synchronise the survivors.
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
        match check::agree(image, set, call) {
            // After the end of a member the calls cannot be compared. The synchronisation itself reports that end.
            Ok(()) | Err(Error::StoppedImage(_) | Error::FailedImage(_)) => {}
            Err(error) => return Err(error),
        }
        // A forced algorithm may use messages, which reach some images only.
        let is_atomic = set.len() == 1
            || set.split(image).single_host()
                && image.settings().collectives.is_empty()
                && set.levels(image)?.has_atomic_barrier();
        let arrival = if is_atomic {
            Counted::WhenItFails
        } else {
            Counted::Always(arrivals::arrive(image, set, words))
        };
        Ok(SurvivorSync { words, arrival })
    }

    /// The words that this image gives.
    pub fn words(&self) -> Words {
        self.words
    }

    /// Whether the survivors are to be synchronised, because the attempt to synchronise the set has ended with this
    /// error. Where each synchronisation is counted, also when an image has stopped: it may have come to this one
    /// before any image noticed a failure, and gone on to its end.
    pub fn calls_for_meeting(&self, error: &Error) -> bool {
        match error {
            Error::FailedImage(_) => true,
            Error::StoppedImage(_) => matches!(self.arrival, Counted::Always(_)),
            _ => false,
        }
    }

    /// The error to report once the survivors are synchronised: the failure that made it necessary.
    pub fn failure(&self, image: &Image, set: &ImageSet, error: Error) -> Error {
        let failed = failure::failed_in_order(image.job(), set.ranks());
        match (&error, failed.first()) {
            (Error::StoppedImage(_), Some(&failed)) => Error::FailedImage(failed),
            _ => error,
        }
    }

    /// Returns when all images of the set that have not failed have come to this synchronisation; the greatest of the
    /// first words that they give.
    ///
    /// # Errors
    /// When one of them has stopped; when the job is ending. [`Error::Invalid`], at once, when there was no room for
    /// the set, here or on another image.
    pub fn meet(self, image: &Image, set: &ImageSet) -> Result<u64> {
        let given = self.gather(image, set)?;
        Ok(given.into_iter().flatten().map(|words| words[0]).max().unwrap_or(0))
    }

    /// As [`SurvivorSync::meet`]; what each image of the set that has come gives, by position. All survivors find the
    /// same, also of images that have failed since they came.
    ///
    /// # Errors
    /// Those of [`SurvivorSync::meet`].
    pub fn gather(self, image: &Image, set: &ImageSet) -> Result<Vec<Option<Words>>> {
        let arrival = match self.arrival {
            Counted::Always(arrival) => arrival,
            Counted::WhenItFails => arrivals::arrive(image, set, self.words),
        };
        let arrival = arrival.ok_or_else(no_room_to_count)?;
        let job = image.job();
        // Where an image has stopped, either it has come, and so have all others, or this ends at once.
        let has_stopped = matches!(failure::check(job, set.ranks()), Err(Error::StoppedImage(_)));
        if set.len() == job.images() && !has_stopped {
            // An image that sees this one wait here takes it that nothing more comes from it.
            image.transport().flush(FlushScope::Everything)?;
            failure::wait_for_all(job, image.rank());
        }
        let mut given = vec![None; set.len()];
        // The images that have not been seen to come.
        let others = RefCell::new(Vec::new());
        for (position, rank) in set.ranks().enumerate() {
            if rank == image.rank() {
                given[position] = Some(arrival.words());
            } else {
                others.borrow_mut().push((position, Other::new(rank)));
            }
        }
        let look = |given: &mut Vec<Option<Words>>| {
            let mut absent = Vec::new();
            for (position, mut other) in others.take() {
                // In this order: the table of an image that has ended does not change any more.
                let state = job.state(other.rank);
                match other.look(image, set, &arrival)? {
                    // It may have gone on to its end, which does not concern this synchronisation.
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
            // `look` finds the ends of the others.
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

/// The error of an image that cannot be synchronised with the other survivors.
fn no_room_to_count() -> Error {
    let sets = arrivals::SETS;
    Error::Invalid(format!(
        "an image has failed, and those that are left cannot synchronise: an image has no room to count its \
         synchronisations of more than {sets} sets"
    ))
}
