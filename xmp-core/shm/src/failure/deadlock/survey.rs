//! Decides whether a set of images waits, from their records alone; written over a function that reads a record, so
//! that loom can model it.

use crate::endpoint::State;
use crate::sync::{Ordering, fence};
use smallvec::SmallVec;

/// Looks of an image after which at least one has begun, and ended, after the first reading: the look in progress then
/// may have begun before.
const LOOKS: u32 = 2;

/// The result of a reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome<I> {
    /// Not known: some images have not looked again.
    Open,
    /// This image proceeds.
    Active(I),
    /// There was a time at which all of them waited, and each has looked since, and found nothing to do.
    Deadlock,
}

/// Images that all waited at one time.
#[derive(Debug)]
pub(super) struct Survey<I> {
    /// Those that have not looked since, and their states then.
    unconfirmed: SmallVec<[(I, State); 8]>,
}

impl<I: Copy> Survey<I> {
    /// Reads the records of the images, twice. `agrees`: whether an image knows of the same ends as the surveying one.
    ///
    /// # Errors
    /// An image that does not wait, or does not agree.
    pub fn begin(
        images: impl IntoIterator<Item = I>,
        state: impl Fn(I) -> State,
        agrees: impl Fn(I) -> bool,
    ) -> Result<Survey<I>, I> {
        let mut waiting = SmallVec::<[(I, State); 8]>::new();
        for image in images {
            let first = state(image);
            if first.looks == 0 || !agrees(image) {
                return Err(image);
            }
            waiting.push((image, first));
        }
        // An image whose generation is the same at the second reading has waited at this point. SeqCst fence: a look
        // that is counted after the second reading sees what every image did before it waited.
        fence(Ordering::SeqCst);
        for (image, seen) in &mut waiting {
            let second = state(*image);
            if second.generation != seen.generation {
                return Err(*image);
            }
            *seen = second;
        }
        Ok(Survey { unconfirmed: waiting })
    }

    /// Reads the records again.
    pub fn confirm(&mut self, state: impl Fn(I) -> State) -> Outcome<I> {
        let mut active = None;
        self.unconfirmed.retain(|(image, seen)| {
            let now = state(*image);
            if now.generation != seen.generation {
                active = Some(*image);
            }
            now.looks.wrapping_sub(seen.looks) < LOOKS
        });
        match active {
            Some(image) => Outcome::Active(image),
            None if self.unconfirmed.is_empty() => Outcome::Deadlock,
            None => Outcome::Open,
        }
    }
}
