//! Refusal table: each image publishes the calls of sets that it does not execute, and why.
//!
//! An image that cannot execute a call of a set (a bad argument, no memory) publishes that in a table of its segment. An
//! image that gives the call up because of that publishes the same. An image that waits long for a partner reads the table
//! of the partner, over the transport. So a refusal reaches all images that depend on it, on all hosts, and costs nothing
//! where there is none.
//!
//! An entry is a seqlock: its key has a version, which the reader compares before and after it reads the rest. The calls of a
//! set have numbers. Of the exchanges of a set, which an image executes one after the other, only the last refusal is kept: an
//! image that has published call n sends nothing more of the calls up to n. Operations in the background overlap, so each has
//! an entry of its own, until the table is full: then a later refusal replaces it.

use crate::endpoint::Endpoint;
use crate::error::{Error, ErrorKind, Result};
use crate::hash;
use crate::members::Key;
use crate::rank::Rank;
use crate::sync::{AtomicU64, Ordering, fence};
use crate::transport::{AtomicRequest, FlushScope, Width};
use std::cell::Cell;
use std::mem::offset_of;
use std::time::{Duration, Instant};

/// Bytes of a reason.
const REASON: usize = 248;
/// Entries of a table.
const ENTRIES: usize = 16;
/// The bits of a key that count how often its entry was written.
const VERSION: u64 = 0xff;
// (loom's atomics have other sizes.)
#[cfg(not(loom))]
const _: () = assert!((ENTRIES * size_of::<Entry>()) as u64 == crate::job::REFUSALS);

/// One entry. Zeroed memory is an empty one.
#[repr(C)]
struct Entry {
    /// The calls, as [`CallId::key`], and the version; 0 while the entry is written.
    key: AtomicU64,
    /// Number of the call, and the image that refused it.
    call: AtomicU64,
    reason: [AtomicU64; REASON / size_of::<u64>()],
}

/// The calls that are numbered together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Series {
    /// Exchanges of the global view, which return when they are complete.
    Exchange,
    /// Operations in the background.
    Background,
}

/// A call of a set: the same on all images that execute it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallId {
    set: u64,
    series: Series,
    number: u32,
}

impl CallId {
    /// Call `number` of the series of a set with this key.
    pub fn new(key: Key, series: Series, number: u32) -> CallId {
        let [first, second] = key.0;
        let set = first ^ second.rotate_left(32) ^ (series as u64) << 63;
        CallId { set, series, number }
    }

    /// Number of the call in its series.
    pub fn number(self) -> u32 {
        self.number
    }

    /// A hash of the call, of which all bits depend on its number.
    pub(super) fn hash(self) -> u64 {
        hash::mixed_with(self.set, self.number.into())
    }

    fn key(self) -> u64 {
        self.set & !VERSION
    }

    /// Offset of its entry in a table.
    fn entry(self) -> u64 {
        // The middle bits: the lowest ones are not part of the key.
        let first = self.set >> 32;
        let entry = match self.series {
            Series::Exchange => first,
            Series::Background => first.wrapping_add(self.number.into()),
        };
        entry % ENTRIES as u64 * size_of::<Entry>() as u64
    }
}

/// The reason of an image that cannot execute a call, as it is sent to the others. The first byte tells whether the image
/// lacks memory, the second one how many bytes of text follow. A longer text is cut.
#[derive(Clone, Copy, Debug)]
pub struct Reason([u8; REASON]);

impl Reason {
    /// No reason.
    pub const NONE: Reason = Reason([0; REASON]);

    /// The reason that this error gives.
    pub fn of(error: &Error) -> Reason {
        let text = match error {
            Error::Refused { why, .. } => why.clone(),
            error => error.to_string(),
        };
        let fits = |len: &usize| text.is_char_boundary(*len);
        let len = (0..=REASON - 2).rev().find(fits).expect("an empty text fits");
        let mut bytes = [0; REASON];
        bytes[..2].copy_from_slice(&[u8::from(is_memory(error)), len as u8]);
        bytes[2..2 + len].copy_from_slice(&text.as_bytes()[..len]);
        Reason(bytes)
    }

    /// The reason at this address.
    ///
    /// # Safety
    /// The bytes of a reason are there, and no image writes them.
    pub unsafe fn at(address: *const u8) -> Reason {
        // SAFETY: the contract of this function.
        Reason(unsafe { address.cast::<[u8; REASON]>().read() })
    }

    /// The bytes that are sent.
    pub fn as_bytes(&self) -> &[u8; REASON] {
        &self.0
    }

    /// The same, to be received.
    pub fn as_bytes_mut(&mut self) -> &mut [u8; REASON] {
        &mut self.0
    }

    /// The error of other images, when `image` has this reason.
    pub fn error(&self, image: Rank) -> Error {
        Error::Refused { image, lacks_memory: self.0[0] != 0, why: self.text() }
    }

    /// The text alone.
    pub fn text(&self) -> String {
        let len = usize::from(self.0[1]).min(REASON - 2);
        String::from_utf8_lossy(&self.0[2..2 + len]).into_owned()
    }
}

/// Whether an error says that there is no memory. All others are about an argument.
pub fn is_memory(error: &Error) -> bool {
    error.kind() == ErrorKind::Memory
}

/// Publishes that this image does not execute a call, because of `error`: one of its own, or that of another image that
/// has refused the call. When others see the entry, everything that this image has sent before has arrived.
///
/// # Errors
/// When what it has sent cannot be completed; the refusal is published all the same.
#[cold]
pub fn publish(image: &Endpoint, call: CallId, error: &Error) -> Result<()> {
    let by = match *error {
        Error::Refused { image, .. } => image,
        _ => image.rank(),
    };
    let finished = image.transport().flush(FlushScope::Everything);
    let at = image.own_segment().wrapping_add((image.layout().refusals + call.entry()) as usize);
    // SAFETY: an aligned entry of the own table: atomics, which live as long as the image.
    let entry = unsafe { &*at.cast::<Entry>() };
    // Relaxed: only this image writes the entry.
    let version = entry.key.load(Ordering::Relaxed).wrapping_add(1) & VERSION;
    entry.key.store(version, Ordering::Relaxed);
    // Release: an image that sees a word of what follows sees that the entry is being written.
    fence(Ordering::Release);
    let word = u64::from(call.number) << 32 | u64::from(by.get());
    entry.call.store(word, Ordering::Relaxed);
    let reason = Reason::of(error);
    for (place, bytes) in entry.reason.iter().zip(reason.0.chunks_exact(size_of::<u64>())) {
        let word = u64::from_ne_bytes(bytes.try_into().expect("8 bytes"));
        place.store(word, Ordering::Relaxed);
    }
    // Release: the entry, and everything that this image did before.
    entry.key.store(call.key() | version, Ordering::Release);
    finished
}

/// The error of this call, if `other` has published that it does not execute it. For an exchange the refusal of a later one counts,
/// too.
///
/// # Errors
/// When its host cannot be reached.
pub fn of(image: &Endpoint, other: Rank, call: CallId) -> Result<Option<Error>> {
    loop {
        let key = load(image, other, call, offset_of!(Entry, key))?;
        if key & !VERSION != call.key() {
            return Ok(None);
        }
        let word = load(image, other, call, offset_of!(Entry, call))?;
        let ahead = ((word >> 32) as u32).wrapping_sub(call.number);
        let is_refused = match call.series {
            Series::Exchange => ahead < u32::MAX / 2,
            Series::Background => ahead == 0,
        };
        let mut reason = Reason::NONE;
        let words = reason.0.chunks_exact_mut(size_of::<u64>()).enumerate();
        for (at, bytes) in words.filter(|_| is_refused) {
            let at = offset_of!(Entry, reason) + at * size_of::<u64>();
            bytes.copy_from_slice(&load(image, other, call, at)?.to_ne_bytes());
        }
        if load(image, other, call, offset_of!(Entry, key))? == key {
            return Ok(is_refused.then(|| reason.error(Rank::new(word as u32))));
        }
    }
}

/// The schedule by which a wait for partners reads their tables: rarely, and more and more rarely the longer the wait lasts.
#[derive(Debug)]
pub struct Look {
    evaluated: Cell<u32>,
    due: Cell<Option<Instant>>,
    pause: Cell<Duration>,
}

impl Default for Look {
    fn default() -> Self {
        let pause = Cell::new(Duration::from_millis(1));
        Look { evaluated: Cell::new(0), due: Cell::new(None), pause }
    }
}

impl Look {
    /// The longest pause between two looks, which is also the longest sleep of such a wait.
    pub const LONGEST: Duration = Duration::from_millis(8);
    /// Evaluations of a condition that share a look at the clock, which takes about as long as one of them.
    const SHARE: u32 = 16;

    /// [`Look::is_time`], for a caller that does not know whether its wait has slept: called each time the wait evaluates its
    /// condition.
    #[inline]
    pub fn is_due(&self) -> bool {
        let evaluated = self.evaluated.get().wrapping_add(1);
        self.evaluated.set(evaluated);
        evaluated.is_multiple_of(Look::SHARE) && self.is_time()
    }

    /// Whether it is time to read the tables, by the clock.
    #[cold]
    pub fn is_time(&self) -> bool {
        if self.due.get().is_none() {
            self.due.set(Some(Instant::now() + self.pause.get()));
        }
        self.is_over()
    }

    /// Whether the pause is over.
    fn is_over(&self) -> bool {
        self.due.get().is_some_and(|due| Instant::now() >= due)
    }

    /// Whether it is time to read the tables; the next time is later.
    pub fn take(&self) -> bool {
        let is_over = self.is_over();
        if is_over {
            self.due.set(None);
            self.pause.set((2 * self.pause.get()).min(Look::LONGEST));
        }
        is_over
    }
}

fn load(image: &Endpoint, other: Rank, call: CallId, at: usize) -> Result<u64> {
    let at = image.layout().refusals + call.entry() + at as u64;
    // SAFETY: an aligned word of the table, which consists of atomics.
    unsafe { image.transport().atomic(other, at, Width::W8, AtomicRequest::LOAD) }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::settings::Settings;
    use crate::thread_images;

    #[test]
    fn a_reason_names_the_image_and_its_error() {
        let memory =
            Error::OutOfMemory { heap: "heap", requested: 9, available: 5, remedy: String::new() };
        let refused = Reason::of(&memory).error(Rank::new(2));
        let expected = "image 3: out of memory: 9 bytes requested of the heap, 5 bytes are left";
        assert_eq!(refused.to_string(), expected);
        assert!(is_memory(&refused));
        // Passed on as it is.
        assert_eq!(Reason::of(&refused).error(Rank::new(2)), refused);
        let long = Error::Invalid("\u{e4}".repeat(REASON));
        let refused = Reason::of(&long).error(Rank::new(0));
        assert_eq!(refused.to_string(), format!("image 1: {}", "\u{e4}".repeat((REASON - 2) / 2)));
        assert!(!is_memory(&refused));
    }

    #[test]
    fn the_last_refusal_of_each_series_can_be_read() {
        let outcomes = thread_images::run_with(Settings::default(), 2, 2, |image| {
            let key = image.executing().key();
            let call = |series, number| CallId::new(key, series, number);
            let mine = Error::Invalid("it is mine".into());
            publish(image, call(Series::Exchange, 6), &mine).unwrap();
            let theirs = Reason::of(&mine).error(Rank::new(7));
            publish(image, call(Series::Background, u32::MAX), &theirs).unwrap();
            // Both have published before the other one reads: waits for the last entry.
            let other = Rank::new(1 - image.rank().get());
            let read = |series, number| of(image, other, call(series, number)).unwrap();
            let last = loop {
                if let Some(error) = read(Series::Background, u32::MAX) {
                    break error;
                }
                std::thread::yield_now();
            };
            assert_eq!(last, theirs);
            assert_eq!(read(Series::Background, u32::MAX - 16), None);
            assert_eq!(read(Series::Background, 0), None);
            let refused = Reason::of(&mine).error(other);
            assert_eq!(read(Series::Exchange, 5), Some(refused.clone()));
            assert_eq!(read(Series::Exchange, 6), Some(refused));
            assert_eq!(read(Series::Exchange, 7), None);
            // Behind the largest number is 0.
            assert_eq!(read(Series::Exchange, u32::MAX), Some(Reason::of(&mine).error(other)));
        });
        outcomes.unwrap();
    }
}
