//! The memory that coarrays take, by the statements that allocate them.

use crate::event::Events;
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
    /// The first image that held so many.
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
    /// Teams that have been changed to.
    depth: usize,
}

impl Live {
    fn free(&mut self, object: u64) {
        if let Some(coarray) = self.coarrays.remove(&object)
            && let Some(held) = self.held.get_mut(&coarray.place)
        {
            *held = held.saturating_sub(coarray.bytes);
        }
    }

    /// Adds a coarray, and returns what its statement holds now.
    fn allocate(&mut self, object: u64, place: Place, bytes: u64) -> u64 {
        self.free(object);
        self.coarrays.insert(object, Coarray { place, bytes, depth: self.depth });
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

/// The allocations of a job, the largest first.
pub fn allocations(events: &Events) -> Vec<Allocation> {
    let mut found: HashMap<Place, Allocation> = HashMap::new();
    for image in events.events.chunk_by(|one, other| one.image == other.image) {
        let mut live = Live::default();
        for event in image {
            match event.operation {
                Operation::Allocate | Operation::AllocateAll if event.bytes > 0 => {
                    let held = live.allocate(event.objects[0], event.place, event.bytes);
                    let allocation = found.entry(event.place).or_default();
                    allocation.place = event.place;
                    allocation.count += 1;
                    if held > allocation.peak {
                        (allocation.peak, allocation.image) = (held, event.image);
                    }
                }
                Operation::Deallocate | Operation::DeallocateAll => {
                    event.objects.iter().for_each(|&object| live.free(object));
                }
                Operation::ChangeTeam => live.depth += 1,
                Operation::EndTeam => live.leave(),
                _ => {}
            }
        }
    }
    let mut all: Vec<Allocation> = found.into_values().collect();
    all.sort_by_key(|allocation| (std::cmp::Reverse(allocation.peak), allocation.place));
    all
}
