//! Synchronisation of the survivors of a set after a failure.
//!
//! Survivors may know of different failures, and an image may have completed the failing synchronisation before another
//! one learns of the failure. So each image publishes the number of synchronisations of the set at which it has arrived,
//! and the words that it gives to the last ones ([`xmp_core::failure::arrivals`]). The survivors are synchronised when
//! each image of the set has arrived at this synchronisation or has failed. An image that has completed it has arrived,
//! so no image waits for one that knows of no failure. All survivors find the same words, because an image publishes them
//! before it can proceed or fail.
//!
//! On a collective area whose barriers complete on all images or on none, a synchronisation fails on all survivors or on
//! none. There images count only failing synchronisations, so a barrier on one host has no additional cost.

use crate::check::{self, Call};
use crate::ordering;
use std::cell::RefCell;
use std::time::Duration;
use xmp_core::failure::arrivals::{self, Arrival, ArrivalState, Other, Words};
use xmp_core::failure::deadlock;
use xmp_core::image_set::{ImageSet, Levels};
use xmp_core::job::page::ImageState;
use xmp_core::transport::FlushScope;
use xmp_core::wait::Polling;
use xmp_core::{Error, Image, Result, failure};

/// Time between two reads of the tables of the other images, which do not notify this one.
const NAP: Duration = Duration::from_micros(50);

/// The arrival of this image at a synchronisation.
#[derive(Clone, Copy, Debug)]
pub struct SurvivorSync {
    words: Words,
    arrival: ArrivalRule,
}

/// The images of a set at a synchronisation of its survivors.
#[derive(Clone, Debug)]
pub struct Arrivals {
    /// The words of each image that has arrived, by position: the same on all survivors, also of images that have failed since.
    pub words: Vec<Option<Words>>,
    /// Whether all images have arrived, also those that have failed since.
    all: bool,
}

impl Arrivals {
    /// The greatest of the first words.
    pub fn greatest(&self) -> u64 {
        self.words.iter().flatten().map(|words| words[0]).max().unwrap_or(0)
    }
}

/// Which arrivals an image counts.
#[derive(Clone, Copy, Debug)]
enum ArrivalRule {
    /// Each arrival; `None` if the image has no room for the set.
    Always(Option<Arrival>),
    /// Arrivals at synchronisations that fail, which they do on all images of the set or on none.
    WhenItFails,
}

impl SurvivorSync {
    /// A synchronisation by a barrier that completes on all images of the set or on none.
    pub(crate) const ATOMIC: SurvivorSync =
        SurvivorSync { words: [0; 2], arrival: ArrivalRule::WhenItFails };

    /// Arrives at a synchronisation of the set with these words, after the images have compared their calls if the
    /// settings ask for that. Each image calls this for each synchronisation, also without failures, and also for a
    /// statement that does not synchronise the survivors.
    ///
    /// # Errors
    /// When images call different operations; they have not arrived then. When the job is ending.
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
        ordering::announce(image, set);
        // A forced algorithm may use messages, which reach some images only.
        let is_atomic = set.len() == 1
            || set.split(image).single_host()
                && image.settings().collectives.is_empty()
                && set.levels(image)?.has_atomic_barrier();
        let arrival = if is_atomic {
            ArrivalRule::WhenItFails
        } else {
            let arrival = arrivals::arrive(image, set, words);
            if let Some(log) = set.levels(image).ok().and_then(Levels::calls) {
                log.begin_phase(image, arrival.as_ref().map(Arrival::number));
            }
            ArrivalRule::Always(arrival)
        };
        Ok(SurvivorSync { words, arrival })
    }

    /// The words that this image gives.
    pub fn words(&self) -> Words {
        self.words
    }

    /// Whether the survivors have to be synchronised, because the synchronisation of the set has ended with this error.
    /// Where each arrival is counted, also when an image has stopped: it may have arrived before any image noticed a
    /// failure, and have terminated since.
    pub fn needs_survivors(&self, error: &Error) -> bool {
        match error {
            Error::FailedImage(_) => true,
            Error::StoppedImage(_) => matches!(self.arrival, ArrivalRule::Always(_)),
            _ => false,
        }
    }

    /// Synchronises the survivors of a synchronisation that has ended with this error. Returns which images have arrived, and the outcome
    /// of the synchronisation.
    ///
    /// # Errors
    /// When one of them has stopped; when the job is ending. [`Error::Invalid`], at once, when this or another image had no room for the
    /// set.
    pub fn meet(
        self,
        image: &Image,
        set: &ImageSet,
        error: Error,
    ) -> Result<(Arrivals, Result<()>)> {
        let arrivals = self.gather(image, set)?;
        ordering::have_met(image, set);
        let outcome = outcome(image, set, &arrivals, error);
        Ok((arrivals, outcome))
    }

    /// Waits until all images of the set that have not failed have arrived. Returns which images have.
    ///
    /// # Errors
    /// When one of them has stopped; when the job is ending. [`Error::Invalid`], at once, when this or another image had
    /// no room for the set.
    fn gather(self, image: &Image, set: &ImageSet) -> Result<Arrivals> {
        let arrival = match self.arrival {
            ArrivalRule::Always(arrival) => arrival,
            ArrivalRule::WhenItFails => arrivals::arrive(image, set, self.words),
        };
        let arrival = arrival.ok_or_else(no_room_to_count)?;
        let job = image.job();
        // If an image has stopped, either it has arrived, and so have all others, or this ends at once.
        let has_stopped = matches!(failure::check(job, set.ranks()), Err(Error::StoppedImage(_)));
        if set.len() == job.images() && !has_stopped {
            // Images that see this one wait here expect nothing more from it.
            image.transport().flush(FlushScope::Everything)?;
            failure::wait_for_all(job, image.rank());
        }
        let mut given = Arrivals { words: vec![None; set.len()], all: true };
        // The images that have not arrived as far as this image knows.
        let others = RefCell::new(Vec::new());
        for (position, rank) in set.ranks().enumerate() {
            if rank == image.rank() {
                given.words[position] = Some(arrival.words());
            } else {
                others.borrow_mut().push((position, Other::new(rank)));
            }
        }
        let look = |given: &mut Arrivals| {
            let mut absent = Vec::new();
            for (position, mut other) in others.take() {
                // The state is read first: the table of an image that has ended does not change any more.
                let state = job.state(other.rank);
                match other.look(image, set, &arrival)? {
                    // Whether it has ended since does not concern this synchronisation.
                    ArrivalState::Came(words) => given.words[position] = words,
                    ArrivalState::Absent => match state {
                        ImageState::Failed => given.all = false,
                        ImageState::Stopped => return Err(Error::StoppedImage(other.rank)),
                        ImageState::Running => absent.push((position, other)),
                    },
                    ArrivalState::Unknown => return Ok(Some(false)),
                }
            }
            let all = absent.is_empty();
            others.replace(absent);
            Ok(all.then_some(true))
        };
        let recorded = deadlock::Scope::new(image);
        let page = job.page();
        let polling = Polling {
            status: &page.status,
            budget: page.waiting,
            cores: image.shared_cores(),
            nap: NAP,
        };
        let known = polling.until(
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

/// The outcome of the synchronisation that has ended with this error, when the survivors are synchronised. All of them find the same:
/// success if all images of the set had arrived, since an image that knows of no failure may have completed it then; otherwise the failure
/// that made the meeting of the survivors necessary.
///
/// # Errors
/// That failure.
fn outcome(image: &Image, set: &ImageSet, arrivals: &Arrivals, error: Error) -> Result<()> {
    if arrivals.all {
        return Ok(());
    }
    let failed = failure::failed_in_order(image.job(), set.ranks());
    Err(match (&error, failed.first()) {
        (Error::StoppedImage(_), Some(&failed)) => Error::FailedImage(failed),
        _ => error,
    })
}

/// The error of an image that cannot synchronise with the other survivors.
fn no_room_to_count() -> Error {
    let sets = arrivals::SETS;
    Error::Invalid(format!(
        "an image has failed, and those that are left cannot synchronise: an image has no room to count its \
         synchronisations of more than {sets} sets"
    ))
}
