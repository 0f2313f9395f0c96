//! The shadows of all segments, as one process sees them.

use super::access::{BLOCK, GRANULE};
use super::layout::{CALLERS, HAS_POSTS, ShadowLayout};
use super::owner::Block;
use super::program::ProgramPlace;
use super::sites::statement_in_words;
use super::slots::Slots;
use super::table::{Rows, Table};
use crate::job::Job;
use crate::rank::Rank;
use crate::sync::{AtomicU32, AtomicU64, Ordering};
use std::ops::{Deref, Range};
use xmp_source::{Modules, Statement};

/// Access to the shadows of the images of this host.
#[derive(Debug)]
pub struct Shadows<J> {
    pub(super) job: J,
    pub(super) layout: ShadowLayout,
}

impl<J: Deref<Target = Job>> Shadows<J> {
    /// The shadows of a job with this layout.
    pub fn new(job: J, layout: ShadowLayout) -> Shadows<J> {
        Shadows { job, layout }
    }

    /// The number of images of the job.
    pub(super) fn images(&self) -> u64 {
        self.job.images() as u64
    }

    /// Bytes of a segment that have a shadow.
    pub fn end(&self) -> u64 {
        self.layout.end
    }

    /// `N` words at an offset of a segment.
    fn words<const N: usize>(&self, of: Rank, offset: u64) -> &[AtomicU64; N] {
        let segment = self.job.segment(of).expect("an image of this machine");
        // SAFETY: the layout gives offsets of aligned words in the segment, which is mapped as long as the job; all
        // processes access the shadow by atomics only.
        unsafe { &*segment.add(offset as usize).cast::<[AtomicU64; N]>() }
    }

    pub(super) fn word(&self, of: Rank, offset: u64) -> &AtomicU64 {
        let [word] = self.words::<1>(of, offset);
        word
    }

    /// So many words at an offset of a segment.
    pub(super) fn clock_at(&self, of: Rank, offset: u64) -> impl Iterator<Item = &AtomicU64> {
        (0..self.job.images() as u64).map(move |image| self.word(of, offset + image * 8))
    }

    /// The slots of the granules of these bytes.
    pub fn slots(&self, of: Rank, bytes: Range<u64>) -> &[Slots] {
        let (first, end) = (bytes.start / GRANULE, bytes.end.div_ceil(GRANULE));
        // SAFETY: the layout has the slots of all granules before its end one after the other.
        unsafe { self.list(of, self.layout.slots(first), end - first) }
    }

    /// The blocks of granules of these bytes.
    pub fn blocks(&self, of: Rank, bytes: Range<u64>) -> &[Block] {
        let first = bytes.start / (BLOCK * GRANULE);
        let end = bytes.end.div_ceil(BLOCK * GRANULE);
        // SAFETY: the layout has all blocks one after the other.
        unsafe { self.list(of, self.layout.block(first), end - first) }
    }

    /// The races that the images of the job have found: they are in the segment of the first image.
    pub fn table(&self) -> Table<'_> {
        let segment = self.job.segment(Rank::new(0)).expect("an image of this machine");
        // SAFETY: the layout has the table there, which consists of atomics; otherwise as in `words`.
        Table(unsafe { &*segment.add(self.layout.table() as usize).cast::<Rows>() })
    }

    /// So many objects at an offset of a segment.
    ///
    /// # Safety
    /// The layout has them there. They consist of atomics.
    unsafe fn list<T>(&self, of: Rank, offset: u64, count: u64) -> &[T] {
        let segment = self.job.segment(of).expect("an image of this machine");
        // SAFETY: as in `words`, and as the caller says.
        unsafe {
            std::slice::from_raw_parts(segment.add(offset as usize).cast::<T>(), count as usize)
        }
    }

    /// Records the return addresses of a site of `of`, this image, once: before the first access with this number is entered.
    pub fn record_site(&self, of: Rank, site: u16, callers: &[usize]) {
        let record = self.words::<CALLERS>(of, self.layout.site(site));
        for (word, &at) in record.iter().zip(callers) {
            // Relaxed: the access that has the number is entered with release order.
            word.store(at as u64, Ordering::Relaxed);
        }
    }

    /// Records where the program is in the process of `of`, this image: others know its statements after its end, too.
    pub fn record_program(&self, of: Rank, place: &ProgramPlace) {
        let [word, ..] = self.words::<CALLERS>(of, self.layout.site(UNKNOWN));
        // Relaxed: as in `record_site`.
        word.store(place.bias as u64, Ordering::Relaxed);
    }

    /// The return addresses of a site of an image whose process has ended, as they are in this process.
    fn site_of_ended(&self, of: Rank, record: &[usize]) -> Vec<usize> {
        let [word, ..] = self.words::<CALLERS>(of, self.layout.site(UNKNOWN));
        let (bias, here) = (word.load(Ordering::Relaxed) as usize, ProgramPlace::of_this_process());
        record.iter().filter_map(|&address| here.here(bias, address)).collect()
    }

    /// The return addresses of the site of an access that this image has seen; none of one that is not remembered.
    pub fn site(&self, of: Rank, site: u16) -> Vec<usize> {
        let record = self.words::<CALLERS>(of, self.layout.site(site));
        // Relaxed: the access was read with acquire order.
        let addresses = record.iter().map(|word| word.load(Ordering::Relaxed) as usize);
        addresses.take_while(|&at| at != 0).collect()
    }

    /// Sends a clock from `from`, this image, for its joint synchronisation with `to` that has this count.
    pub fn send(&self, from: Rank, to: Rank, count: u64, clock: impl Iterator<Item = u64>) {
        let message = self.layout.message(u64::from(to.get()), count);
        for (word, value) in self.clock_at(from, message + 8).zip(clock) {
            word.store(value, Ordering::Relaxed);
        }
        // Release: the clock, for an image that sees the count.
        self.word(from, message).store(count, Ordering::Release);
    }

    /// Calls `see` with the clock that `from` has sent for its joint synchronisation with `to`, this image, that has
    /// this count. `from` does not change it before `to` has reached the next one. Where an image has left a
    /// synchronisation because of a failure, the counts may differ: then `see` gets all clocks that `from` has sent.
    pub fn receive(&self, from: Rank, to: Rank, count: u64, mut see: impl FnMut(usize, u64)) {
        let to = u64::from(to.get());
        let message = |count| self.layout.message(to, count);
        // Acquire: the clock. What orders the two images has ordered the message as well, if the count is the right one.
        let is_there = self.word(from, message(count)).load(Ordering::Acquire) == count;
        let counts = if is_there { count..count + 1 } else { count..count + 2 };
        for count in counts {
            let clock = self.clock_at(from, message(count) + 8).enumerate();
            clock.for_each(|(image, word)| see(image, word.load(Ordering::Relaxed)));
        }
    }

    /// The place, in the memory of the receiver, of a clock that `from`, an image of another host, sends. The receiver
    /// has no message for `from` there.
    pub fn message_between_hosts(&self, from: Rank, count: u64) -> u64 {
        self.layout.message(u64::from(from.get()), count)
    }

    /// The same as [`Shadows::receive`] of an image of another host.
    pub fn receive_between_hosts(
        &self,
        from: Rank,
        to: Rank,
        count: u64,
        mut see: impl FnMut(usize, u64),
    ) {
        let message = |count| self.message_between_hosts(from, count);
        // Acquire: as in `receive`. The message was complete before `from` has notified anyone.
        let is_there = self.word(to, message(count)).load(Ordering::Acquire) == count;
        let counts = if is_there { count..count + 1 } else { count..count + 2 };
        for count in counts {
            let clock = self.clock_at(to, message(count) + 8).enumerate();
            clock.for_each(|(image, word)| see(image, word.load(Ordering::Relaxed)));
        }
    }

    /// The number of the clock of the word at an offset of a segment, with [`HAS_POSTS`] if there is room for posts
    /// after it.
    pub(super) fn number_of_clock(&self, of: Rank, offset: u64) -> &AtomicU32 {
        let number = self.layout.clock_number(offset / GRANULE);
        let segment = self.job.segment(of).expect("an image of this machine");
        // SAFETY: as in `words`; two numbers of 4 bytes a word.
        unsafe { &*segment.add(number as usize).cast::<AtomicU32>() }
    }

    /// Takes a clock, and `after` clocks after it, for a word that has none, if there are some left; the number of the
    /// first one.
    pub(super) fn take_clocks(&self, of: Rank, after: u64) -> Option<u64> {
        let used = self.word(of, self.layout.clocks_in_use());
        // Relaxed: only numbers are taken.
        let first = used.fetch_add(1 + after, Ordering::Relaxed) + 1;
        (first + after < self.layout.most_clocks).then_some(first)
    }

    /// The clock of the word at an offset of a segment; made if `make`.
    fn clock_of(&self, of: Rank, offset: u64, make: bool) -> Option<u64> {
        let number = self.number_of_clock(of, offset);
        let found = match (number.load(Ordering::Acquire), make) {
            (0, false) => return None,
            (0, true) => {
                // The last clock serves all words for which there is none left: it orders more than it should, so that races
                // are missed, and none is invented.
                let new = self.take_clocks(of, 0).unwrap_or(self.layout.most_clocks);
                set_number(number, new as u32)
            }
            (found, _) => found,
        };
        Some(self.layout.clock(u64::from(found & !HAS_POSTS)))
    }

    /// Merges a clock into the clock of a word which other images wait for or read.
    pub fn add_to(&self, of: Rank, offset: u64, clock: impl Iterator<Item = u64>) {
        let Some(at) = self.clock_of(of, offset, true) else { return };
        for (word, value) in self.clock_at(of, at).zip(clock) {
            // Relaxed: the word itself is changed after this, with release order, and read before the clock with
            // acquire order.
            word.fetch_max(value, Ordering::Relaxed);
        }
    }

    /// Calls `see` with the clock of a word.
    pub fn see(&self, of: Rank, offset: u64, mut see: impl FnMut(usize, u64)) {
        let Some(at) = self.clock_of(of, offset, false) else { return };
        // Relaxed: see `add_to`.
        let clock = self.clock_at(of, at).enumerate();
        clock.for_each(|(image, word)| see(image, word.load(Ordering::Relaxed)));
    }
}

/// The site that is not remembered, whose record is free for something else.
const UNKNOWN: u16 = 0;

/// Gives a word its first clock, unless another image is faster; the number that counts.
pub(super) fn set_number(number: &AtomicU32, new: u32) -> u32 {
    // AcqRel, as the loads: nothing depends on the order, because clocks are zeros at first and only grow.
    let entered = number.compare_exchange(0, new, Ordering::AcqRel, Ordering::Acquire);
    entered.map_or_else(|other| other, |_| new)
}

/// The statement of a site of an image of this host, if it is known.
pub fn statement_of<J: Deref<Target = Job>>(
    shadows: &Shadows<J>,
    of: Rank,
    site: u16,
) -> Option<Statement> {
    if site == UNKNOWN {
        return None;
    }
    let mut record = shadows.site(of, site);
    if let Some(statement) = statement_in_words(&record) {
        return Some(statement);
    }
    let modules = match shadows.job.entry(of).pid.load(Ordering::Relaxed) {
        // Images that are threads.
        0 => Modules::of_this_process(),
        pid if pid == std::process::id() => Modules::of_this_process(),
        pid => match Modules::of_process(pid) {
            Ok(modules) if !modules.is_empty() => Ok(modules),
            _ => {
                record = shadows.site_of_ended(of, &record);
                Modules::of_this_process()
            }
        },
    };
    let (statement, _) = Statement::of_thread(&modules.ok()?, &record);
    statement
}
