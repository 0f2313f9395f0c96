//! Arrival epochs: each image counts its arrivals at the synchronisations of each set, so that survivors of a failure
//! find one another where no barrier of a collective area synchronises them: on several hosts, or with multi-hop
//! notification.
//!
//! A table in the segment of each image has a slot for each set whose synchronisations count: the number of arrivals,
//! and two words that the image contributes to each of the last two. Only the image writes the table. The others read
//! it when an image has failed, over the transport, so the image need not do anything for them. The table of a failed
//! image stays as it was. So once each image has arrived or failed, all readers see the same, however late.
//!
//! Two synchronisations are enough: an image arrives at one only after it has finished the one before, for which all
//! images that have not failed have arrived. An image that still looked at the one before that has proceeded by then.

use crate::endpoint::Endpoint;
use crate::error::Result;
use crate::image_group::ImageGroup;
#[cfg(not(loom))]
use crate::job;
use crate::members::Key;
use crate::rank::Rank;
use crate::sync::{AtomicU64, Ordering};
use crate::transport::{AtomicRequest, Width};
use std::mem::offset_of;

/// Sets that an image has room for: all that it ever synchronises with others.
pub const SETS: usize = 255;

/// What an image contributes to a synchronisation.
pub type Words = [u64; 2];

/// Zeroed memory is an empty table.
#[repr(C)]
#[derive(Debug)]
struct Table {
    slots: [Slot; SETS],
    /// Not 0 once there was no room for a set.
    full: AtomicU64,
}

// (loom's atomics have other sizes.)
#[cfg(not(loom))]
const _: () = assert!(size_of::<Table>() as u64 == job::ARRIVALS);

#[repr(C, align(64))]
#[derive(Debug)]
struct Slot {
    /// The key of the set; 0 first: free.
    key: [AtomicU64; 2],
    /// By the number of the synchronisation, modulo 2.
    steps: [Step; 2],
}

#[repr(C)]
#[derive(Debug)]
struct Step {
    /// Number of the synchronisation, from 1.
    number: AtomicU64,
    words: [AtomicU64; 2],
}

impl Slot {
    /// The number of the last synchronisation.
    fn count(&self) -> u64 {
        // Relaxed: only this image writes them.
        let [one, other] = self.steps.each_ref().map(|step| step.number.load(Ordering::Relaxed));
        one.max(other)
    }
}

impl Step {
    fn publish(&self, number: u64, words: Words) {
        // Relaxed: no image reads the old words any more (see the module); an image that reads the new ones acquires
        // the number first.
        for (place, word) in self.words.iter().zip(words) {
            place.store(word, Ordering::Relaxed);
        }
        // Release: the words, and everything that the image did before it arrived.
        self.number.store(number, Ordering::Release);
    }
}

/// The arrival of this image at a synchronisation of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Number of the synchronisation of this set, from 1.
    number: u64,
    words: Words,
}

impl Arrival {
    /// Number of the synchronisation of this set, from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The words that this image has contributed.
    pub fn words(&self) -> Words {
        self.words
    }
}

/// The state of another image, as far as it can be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrivalState {
    /// It has not arrived, for all that is known.
    Absent,
    /// It has arrived and contributed these words; `None` if it has proceeded since, as images do that have been
    /// notified of a stopped image.
    Came(Option<Words>),
    /// It had no room for the set.
    Unknown,
}

/// Publishes that this image arrives at the next synchronisation of a set that it is a member of, with the words that
/// it contributes. `None` if it has no room for the set.
pub fn arrive(image: &Endpoint, set: &ImageGroup, words: Words) -> Option<Arrival> {
    if set.len() == image.job().images() {
        // Only the image itself counts, in whatever order the sets name all images, and also without room: the count is
        // part of message labels.
        let count = &image.entry().arrivals;
        // Release: a server that finds the number finds what the image has written before (`server/origin/ahead.rs`).
        count.store(count.load(Ordering::Relaxed).wrapping_add(1), Ordering::Release);
    }
    let slot = slot_for(table(image), key_of(set))?;
    // Relaxed: only this image writes them.
    let number = 1 + slot.count();
    slot.steps[(number % 2) as usize].publish(number, words);
    Some(Arrival { number, words })
}

/// The number of synchronisations of a set at which this image has arrived; `None` if it has no room for another set.
pub fn count(image: &Endpoint, set: &ImageGroup) -> Option<u32> {
    let (table, key) = (table(image), key_of(set));
    // Relaxed: only this image writes them.
    let mut slots = probes(key).map(|place| &table.slots[place]);
    let slot = slots.find(|slot| match slot.key[0].load(Ordering::Relaxed) {
        0 => true,
        first => first == key[0] && slot.key[1].load(Ordering::Relaxed) == key[1],
    })?;
    Some(slot.count() as u32)
}

/// The table of this image.
fn table(image: &Endpoint) -> &Table {
    let at = image.own_segment().wrapping_add(image.layout().arrivals as usize);
    // SAFETY: the area of the table in the own segment: atomics, which live as long as the image.
    unsafe { &*at.cast::<Table>() }
}

/// This image's own slot for a key.
fn slot_for(table: &Table, key: [u64; 2]) -> Option<&Slot> {
    // Relaxed: only this image writes them.
    for slot in probes(key).map(|place| &table.slots[place]) {
        match slot.key[0].load(Ordering::Relaxed) {
            0 => {
                slot.key[1].store(key[1], Ordering::Relaxed);
                // Release: an image that sees the first half sees the second.
                slot.key[0].store(key[0], Ordering::Release);
                return Some(slot);
            }
            first if first == key[0] && slot.key[1].load(Ordering::Relaxed) == key[1] => {
                return Some(slot);
            }
            _ => {}
        }
    }
    table.full.store(1, Ordering::Release);
    None
}

/// The places of the slot of a key, in the order in which it is searched. Slots are never freed.
fn probes(key: [u64; 2]) -> impl Iterator<Item = usize> {
    (0..SETS).map(move |probe| (key[1] as usize % SETS + probe) % SETS)
}

fn key_of(set: &ImageGroup) -> [u64; 2] {
    let Key([first, second]) = set.key();
    [first.max(1), second]
}

/// Another image of a set, and where its slot is once that is known.
#[derive(Clone, Copy, Debug)]
pub struct Other {
    /// The image.
    pub rank: Rank,
    slot: Option<usize>,
}

impl Other {
    /// The image `rank`, of which nothing is known.
    pub fn new(rank: Rank) -> Other {
        Other { rank, slot: None }
    }

    /// Reads whether it has arrived at the synchronisation `arrival` of this image.
    ///
    /// # Errors
    /// When its host cannot be reached.
    pub fn look(
        &mut self,
        image: &Endpoint,
        set: &ImageGroup,
        arrival: &Arrival,
    ) -> Result<ArrivalState> {
        let slot = match self.slot {
            Some(slot) => slot,
            None => match self.find(image, key_of(set))? {
                Some(slot) => *self.slot.insert(slot),
                None if self.load(image, offset_of!(Table, full))? != 0 => {
                    return Ok(ArrivalState::Unknown);
                }
                None => return Ok(ArrivalState::Absent),
            },
        };
        let mine = arrival.number;
        let place = slot * size_of::<Slot>() + (mine % 2) as usize * size_of::<Step>();
        let step = place + offset_of!(Table, slots) + offset_of!(Slot, steps);
        let number = || self.load(image, step + offset_of!(Step, number));
        let seen = number()?;
        if seen < mine {
            return Ok(ArrivalState::Absent);
        }
        let word = |place| {
            let at = step + offset_of!(Step, words) + place * size_of::<AtomicU64>();
            self.load(image, at)
        };
        let words = [word(0)?, word(1)?];
        // Unless it proceeded before or meanwhile.
        Ok(ArrivalState::Came((number()? == mine).then_some(words)))
    }

    fn find(&self, image: &Endpoint, key: [u64; 2]) -> Result<Option<usize>> {
        for place in probes(key) {
            let at = offset_of!(Table, slots) + place * size_of::<Slot>() + offset_of!(Slot, key);
            let first = self.load(image, at)?;
            if first == 0 {
                return Ok(None);
            }
            if first == key[0] && self.load(image, at + size_of::<AtomicU64>())? == key[1] {
                return Ok(Some(place));
            }
        }
        Ok(None)
    }

    /// A word of its table.
    fn load(&self, image: &Endpoint, offset: usize) -> Result<u64> {
        let at = image.layout().arrivals + offset as u64;
        // SAFETY: an aligned word of the table, which consists of atomics.
        unsafe { image.transport().atomic(self.rank, at, Width::W8, AtomicRequest::LOAD) }
    }
}

#[cfg(all(test, not(loom)))]
mod tests;

#[cfg(all(test, loom))]
mod model {
    use super::*;
    use loom::sync::Arc;

    /// An image that sees an arrival sees its words, and what was done before it; also while the arrived image goes on
    /// to the next.
    #[test]
    fn loom_words_come_with_their_number() {
        loom::model(|| {
            let zero = || AtomicU64::new(0);
            let step = || Step { number: zero(), words: [zero(), zero()] };
            let shared = Arc::new((zero(), [step(), step()]));
            let writer = {
                let shared = shared.clone();
                loom::thread::spawn(move || {
                    let (before, steps) = &*shared;
                    for number in 1..=2 {
                        before.store(number, Ordering::Relaxed);
                        steps[(number % 2) as usize].publish(number, [10 * number, 11 * number]);
                    }
                })
            };
            let (before, steps) = &*shared;
            for number in 1..=2 {
                let step = &steps[(number % 2) as usize];
                if step.number.load(Ordering::SeqCst) == number {
                    let words = [0, 1].map(|place| step.words[place].load(Ordering::SeqCst));
                    assert_eq!(words, [10 * number, 11 * number]);
                    assert!(before.load(Ordering::Relaxed) >= number);
                }
            }
            writer.join().unwrap();
        });
    }
}
