//! The memory that coarrays take, by the statements that allocate them.

use crate::event::{Event, Events};
use crate::operation::Operation;
use crate::places::Place;
use std::collections::HashMap;

/// What one statement allocates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allocation {
    /// The statement.
    pub place: Place,
    /// Allocations of all images.
    pub count: u64,
    /// Most bytes that it held at a time on one image.
    pub peak: u64,
    /// The first image that held this many.
    pub image: u32,
}

/// A coarray.
#[derive(Clone, Copy)]
struct Coarray {
    place: Place,
    bytes: u64,
    /// Teams that had been changed to.
    depth: usize,
}

/// Coarrays of one image at one time.
#[derive(Default)]
struct Live {
    /// The coarrays, by the number that the image knows each by.
    coarrays: HashMap<u64, Coarray>,
    /// For each statement the bytes now.
    held: HashMap<Place, u64>,
    /// Bytes of all coarrays.
    total: u64,
    /// Teams that have been changed to.
    depth: usize,
}

impl Live {
    fn free(&mut self, object: u64) {
        let Some(coarray) = self.coarrays.remove(&object) else { return };
        self.total = self.total.saturating_sub(coarray.bytes);
        if let Some(held) = self.held.get_mut(&coarray.place) {
            *held = held.saturating_sub(coarray.bytes);
        }
    }

    /// Adds a coarray, and returns what its statement holds now.
    fn allocate(&mut self, object: u64, place: Place, bytes: u64) -> u64 {
        self.free(object);
        self.coarrays.insert(object, Coarray { place, bytes, depth: self.depth });
        self.total = self.total.saturating_add(bytes);
        let held = self.held.entry(place).or_default();
        *held = held.saturating_add(bytes);
        *held
    }

    /// Leaves a team: what was allocated in it is freed.
    fn leave(&mut self) {
        let within = |coarray: &Coarray| coarray.depth >= self.depth;
        let coarrays = self.coarrays.iter().filter(|(_, coarray)| within(coarray));
        let objects: Vec<u64> = coarrays.map(|(&object, _)| object).collect();
        objects.into_iter().for_each(|object| self.free(object));
        self.depth = self.depth.saturating_sub(1);
    }
}

/// Follows the coarrays of all images. After each event `seen` gets the bytes that its image had before and has now, and
/// for an allocation what its statement holds.
fn follow(events: &Events, mut seen: impl FnMut(&Event, [u64; 2], Option<u64>)) {
    for image in events.events.chunk_by(|one, other| one.image == other.image) {
        let mut live = Live::default();
        for event in image {
            let before = live.total;
            let mut held = None;
            match event.operation {
                Operation::Allocate | Operation::AllocateAll if event.bytes > 0 => {
                    held = Some(live.allocate(event.objects[0], event.place, event.bytes));
                }
                Operation::Deallocate | Operation::DeallocateAll => {
                    event.objects.iter().for_each(|&object| live.free(object));
                }
                Operation::ChangeTeam => live.depth += 1,
                Operation::EndTeam => live.leave(),
                _ => {}
            }
            seen(event, [before, live.total], held);
        }
    }
}

/// The allocations of a job, the largest first.
pub fn allocations(events: &Events) -> Vec<Allocation> {
    let mut found: HashMap<Place, Allocation> = HashMap::new();
    follow(events, |event, _, held| {
        let Some(held) = held else { return };
        let allocation = found.entry(event.place).or_default();
        allocation.place = event.place;
        allocation.count += 1;
        if held > allocation.peak {
            (allocation.peak, allocation.image) = (held, event.image);
        }
    });
    let mut all: Vec<Allocation> = found.into_values().collect();
    all.sort_by_key(|allocation| (std::cmp::Reverse(allocation.peak), allocation.place));
    all
}

/// A change of the bytes of an image's coarrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryChange {
    /// The image.
    pub image: u32,
    /// When, in ns as [`Event::begin`].
    pub time: i64,
    /// By how many bytes.
    pub difference: i64,
}

/// The changes of the bytes of coarrays, by image and time.
pub fn held(events: &Events) -> Vec<MemoryChange> {
    let mut changes = Vec::new();
    follow(events, |event, [before, now], _| {
        if before != now {
            let difference = now.wrapping_sub(before) as i64;
            changes.push(MemoryChange { image: event.image, time: event.end, difference });
        }
    });
    changes
}
