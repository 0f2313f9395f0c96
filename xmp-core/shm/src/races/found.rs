//! The races that this image has found: each pair of sites is reported once, and counted.

use super::access::Kind;
use super::sites::Site;
use super::table::Entry;
use crate::rank::Rank;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Two accesses to the same memory, one of which writes, that nothing orders: by different images, or by an operation that this image has
/// begun and by this image before that is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Race {
    /// The image whose memory it is.
    pub of: Rank,
    /// The start of the memory that both access: an offset in the segment.
    pub offset: u64,
    /// The access of this image.
    pub mine: RaceAccess,
    /// The access of the other image, which was entered before.
    pub other: RaceAccess,
    /// Which of the two is by an operation that this image has begun, where the other one is not ordered after its completion.
    pub begun: Option<Begun>,
    /// The statement of this image by which something of the other one was ordered before it last.
    pub ordered_at: Site,
}

/// An access by an operation in the background.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begun {
    /// [`Race::mine`]; [`Race::other`] is by another image.
    Mine,
    /// [`Race::other`]; both are by this image.
    Other,
}

/// One of the two accesses of a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RaceAccess {
    /// The image that accesses the memory.
    pub image: Rank,
    /// The kind of access.
    pub kind: Kind,
    /// The statement.
    pub site: Site,
}

/// Pairs of accesses that this image has found and not reported yet, each with its first race and their number.
#[derive(Debug, Default)]
pub struct FoundPairs(Mutex<HashMap<(RaceAccess, RaceAccess), (Race, u64)>>);

impl FoundPairs {
    /// One more.
    pub fn add(&self, race: Race) {
        let mut pairs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pairs.entry((race.mine, race.other)).or_insert((race, 0)).1 += 1;
    }

    /// Takes them all.
    pub fn take(&self) -> Vec<(Race, u64)> {
        let mut pairs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pairs.drain().map(|(_, found)| found).collect()
    }
}

/// The pairs of accesses that this image has found, with their entries in the table of the job.
#[derive(Debug, Default)]
pub struct EnteredPairs(Mutex<HashMap<(RaceAccess, RaceAccess), Option<Entry>>>);

impl EnteredPairs {
    /// The entry of a pair, which `report` makes if it is new. It is asked again where the race was ignored: the same pair may access
    /// another variable.
    pub fn entry(
        &self,
        mine: RaceAccess,
        other: RaceAccess,
        report: impl FnOnce() -> Option<Entry>,
    ) -> Option<Entry> {
        let mut pairs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&known) = pairs.get(&(mine, other)) {
            return known;
        }
        let entry = report();
        if entry != Some(Entry::IGNORED) {
            pairs.insert((mine, other), entry);
        }
        entry
    }
}
