//! The record of an image's own wait.

use crate::error::{Error, Result};
use crate::job::Job;
#[cfg(not(loom))]
use crate::job::RECORD;
use crate::sync::{AtomicU64, Ordering, fence};
use std::cell::Cell;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::mem::offset_of;

/// In the segment of each image, which alone writes it. Zeroed memory is the record of an image that does not wait.
#[repr(C, align(16))]
#[derive(Debug, Default)]
pub struct Record {
    state: AtomicU64,
    /// Hash of what the image knows of the ends of others ([`view`]); belongs to the generation in `state`.
    view: AtomicU64,
}

// Not under loom, whose atomics have other sizes.
#[cfg(not(loom))]
const _: () = assert!(size_of::<Record>() as u64 == RECORD);
/// Offset of the state in a record.
pub const STATE: u64 = offset_of!(Record, state) as u64;
/// Offset of the view in a record.
pub const VIEW: u64 = offset_of!(Record, view) as u64;

/// A wait of an image: its generation, and how often the image has evaluated its condition since it recorded the wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// Changes whenever the image proceeds.
    pub generation: u32,
    /// 0 while the image does not wait.
    pub looks: u32,
}

impl State {
    /// From the word in a record.
    pub fn from_word(word: u64) -> State {
        State { generation: (word >> 32) as u32, looks: word as u32 }
    }

    fn to_word(self) -> u64 {
        u64::from(self.generation) << 32 | u64::from(self.looks)
    }
}

impl Record {
    /// Writes the state. The image evaluates its condition after that, and before it counts this look.
    pub fn publish(&self, state: State) {
        // Release: what the image did before it waited.
        self.state.store(state.to_word(), Ordering::Release);
        // SeqCst fence: orders the store before the loads of the look. An image that has not seen this store, and
        // executes its own fence after its load, has made visible to the look what it knew before that fence.
        fence(Ordering::SeqCst);
    }

    #[cfg(all(test, loom))]
    /// The state in the record.
    pub fn state(&self) -> State {
        State::from_word(self.state.load(Ordering::Acquire))
    }
}

/// The image's own copy of its record.
#[derive(Debug, Default)]
pub struct Blocked {
    state: Cell<State>,
    view: Cell<u64>,
}

impl Blocked {
    /// The generation of the recorded wait, if there is one.
    pub fn generation(&self) -> Option<u32> {
        let State { generation, looks } = self.state.get();
        (looks != 0).then_some(generation)
    }

    /// What the image knew of the ends of others when it recorded its wait, as a hash.
    pub fn view(&self) -> u64 {
        self.view.get()
    }

    /// Whether a wait is recorded.
    #[inline(always)]
    pub fn is_recorded(&self) -> bool {
        self.state.get().looks != 0
    }

    /// Records in `record`, that of this image, that it waits and, from the second call on, that it has evaluated its
    /// condition. `finish` completes what this image has sent.
    #[cold]
    pub fn look(&self, record: &Record, job: &Job, finish: impl FnOnce() -> Result<()>) {
        let now = view(job);
        if self.view.get() != now || self.state.get().looks == u32::MAX {
            self.release(record);
        }
        if !self.is_recorded() {
            // What this image has sent may end the wait of another image. To an image that has ended nothing can be sent.
            match finish() {
                Ok(()) | Err(Error::FailedImage(_) | Error::StoppedImage(_)) => {}
                Err(_) => return,
            }
            self.view.set(now);
            // Relaxed: the state is stored after it, with release order.
            record.view.store(now, Ordering::Relaxed);
        }
        let State { generation, looks } = self.state.get();
        self.set(record, State { generation, looks: looks + 1 });
    }

    /// Records in `record`, that of this image, that it proceeds, if a wait is recorded.
    pub fn release(&self, record: &Record) {
        if self.is_recorded() {
            let generation = self.state.get().generation.wrapping_add(1);
            self.set(record, State { generation, looks: 0 });
        }
    }

    fn set(&self, record: &Record, state: State) {
        self.state.set(state);
        record.publish(state);
    }
}

/// What this host knows of the ends of images, and of survivor synchronisations, as a hash. Where all running images
/// have the same one, no such news is in transit, because a host is the first to know of its own images.
pub fn view(job: &Job) -> u64 {
    let mut hasher = DefaultHasher::new();
    for rank in job.ranks() {
        let entry = job.entry(rank);
        // Acquire: a look after this sees what this load has seen.
        (entry.state.load(Ordering::Acquire), entry.survivor_syncs.load(Ordering::Acquire))
            .hash(&mut hasher);
    }
    hasher.finish()
}
