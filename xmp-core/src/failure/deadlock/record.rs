//! The record of an image's own wait.

use crate::error::Error;
use crate::image::Image;
use crate::job::Job;
use crate::sync::{AtomicU64, Ordering, fence};
use std::cell::Cell;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::mem::offset_of;

/// In the segment of each image, which alone writes it. Zeroed memory is the record of an image that does not wait.
#[repr(C, align(16))]
#[derive(Debug, Default)]
pub(super) struct Record {
    state: AtomicU64,
    /// Hash of what the image knows of the ends of others ([`view`]); belongs to the generation in `state`.
    view: AtomicU64,
}

/// Bytes of the record.
pub const RECORD: u64 = size_of::<Record>() as u64;
/// Offset of the state in a record.
pub(super) const STATE: u64 = offset_of!(Record, state) as u64;
/// Offset of the view in a record.
pub(super) const VIEW: u64 = offset_of!(Record, view) as u64;

/// A wait of an image: its generation, and how often the image has evaluated its condition since it recorded the wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct State {
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
        // executes its own fence behind its load, has made visible to the look what it knew before that fence.
        fence(Ordering::SeqCst);
    }

    #[cfg(all(test, loom))]
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
    pub(super) fn generation(&self) -> Option<u32> {
        let State { generation, looks } = self.state.get();
        (looks != 0).then_some(generation)
    }

    pub(super) fn view(&self) -> u64 {
        self.view.get()
    }

    /// Whether a wait is recorded.
    #[inline(always)]
    pub fn is_recorded(&self) -> bool {
        self.state.get().looks != 0
    }

    fn set(&self, record: &Record, state: State) {
        self.state.set(state);
        record.publish(state);
    }
}

/// Records that this image waits. From the second call on, it also records that the image has evaluated its condition,
/// and checked the ends of the images that it needs, and has found nothing to do. Between two calls the image does that
/// at least once, and sends nothing, or calls [`release`].
///
/// Records nothing in an image of several threads, because another thread may end the waits of other images. Records
/// nothing while a non-blocking operation progresses in the background, because no record has what MPI has in transit
/// then.
#[cold]
pub fn look(image: &Image) {
    let blocked = image.blocked();
    let now = view(image.job());
    if blocked.view.get() != now || blocked.state.get().looks == u32::MAX {
        release(image);
    }
    if image.is_busy() || image.threads().is_shared() {
        return release(image);
    }
    let record = record(image);
    if !blocked.is_recorded() {
        // What this image has sent may end the wait of another image. To an image that has ended nothing can be sent.
        match image.transport().finish() {
            Ok(()) | Err(Error::FailedImage(_) | Error::StoppedImage(_)) => {}
            Err(_) => return,
        }
        blocked.view.set(now);
        // Relaxed: the state is stored behind it, with release order.
        record.view.store(now, Ordering::Relaxed);
    }
    let State { generation, looks } = blocked.state.get();
    blocked.set(record, State { generation, looks: looks + 1 });
}

/// Records that this image proceeds. Called before it does anything that may end the wait of another image.
#[inline(always)]
pub fn release(image: &Image) {
    if image.blocked().is_recorded() {
        go_on(image);
    }
}

#[cold]
fn go_on(image: &Image) {
    let blocked = image.blocked();
    let generation = blocked.state.get().generation.wrapping_add(1);
    blocked.set(record(image), State { generation, looks: 0 });
}

/// The record of an operation that makes several waits, or waits in a way of its own, and counts its looks itself. The
/// record stays until the operation is over, or until [`release`].
#[derive(Debug)]
pub struct Scope<'a>(&'a Image);

impl<'a> Scope<'a> {
    /// Nothing is recorded before the first [`Scope::look`].
    pub fn new(image: &'a Image) -> Scope<'a> {
        Scope(image)
    }

    /// Records the wait and the looks of this image, like [`look`].
    pub fn look(&self) {
        look(self.0);
    }
}

impl Drop for Scope<'_> {
    fn drop(&mut self) {
        release(self.0);
    }
}

fn record(image: &Image) -> &Record {
    let at = image.own_segment().wrapping_add(image.layout().blocked as usize);
    // SAFETY: the area of the record in the own segment: atomics, which live as long as the image.
    unsafe { &*at.cast::<Record>() }
}

/// What this host knows of the ends of images, and of survivor synchronisations, as a hash. Where all running images
/// have the same one, no such news is in transit, because a host is the first to know of its own images.
fn view(job: &Job) -> u64 {
    let mut hasher = DefaultHasher::new();
    for rank in job.ranks() {
        let entry = job.entry(rank);
        // Acquire: a look after this sees what this load has seen.
        (entry.state.load(Ordering::Acquire), entry.survivor_syncs.load(Ordering::Acquire))
            .hash(&mut hasher);
    }
    hasher.finish()
}
