//! Bytes of other images' memory that were fetched by lines, for gets of single elements one after the other.
//!
//! What an image reads within one of its segments no other image defines meanwhile, unless the accesses are atomic (Fortran 2018,
//! 11.6.2). So bytes that were fetched in a segment may be served in it. A number, the *generation*, counts these segments and
//! more: it changes with each operation by which this image may synchronise with another one, and a line of a former generation is
//! empty.
//!
//! Programs that wait in a loop of gets for a value of another image do not conform, but exist. They end: bytes that were served
//! are not served again; a second get of them fetches them anew and begins a generation, so that what the program reads after them
//! is at least as new. Descriptors are served again and again: a loop over the elements of a component gets them for each one.
//! Loops that wait until a component is allocated end, too: about every millisecond descriptors are fetched anew. Where that finds
//! the same, the program has learnt nothing, and the lines stay. Puts of this image empty the lines that they touch. After an image
//! has stopped or failed nothing is served, so that each get finds that out.
//!
//! Gets one after the other, upwards or downwards, fetch ever more lines at a time: twice as many as are there beside the missing
//! one, at most 64 KiB. So a sequence takes few round trips, and fetches at most twice the memory that it gets. Sequences that take turns,
//! of several images or arrays, have lines of their own. Lines beside one
//! another that were served in one segment are fetched at once when the first of them is missed in a later one: loops repeat.
//!
//! Chapel's `--cache-remote` does the same in lines of 1024 bytes, by default since its version 1.25.

mod lines;

use crate::error::Result;
use crate::job::Job;
use crate::rank::Rank;
use crate::sync::{AtomicU64, Ordering};
use lines::{Lines, Look};
use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::time::{Duration, Instant};

pub use lines::LINE_BYTES;

/// Bytes of the longest get that is served.
const LONGEST_BYTES: usize = 512;
/// So often descriptors are served again before the time is looked at.
const TRUSTED_LOOKS: u32 = 256;
/// So long after a fetch descriptors are served again. A fetch takes some ten microseconds.
const TRUST: Duration = Duration::from_millis(1);
/// A put to more lines than this begins a generation.
const MAX_LINES: u64 = 64;

/// The lines that an image has fetched, and the generation of those that it may serve.
#[derive(Debug)]
pub struct LineCache {
    /// Threads that look at values of their own host count it, too, without the lock of the image.
    generation: AtomicU64,
    /// The thread that has used the lines last: those of another one are not served, because it may have waited meanwhile.
    thread: Cell<usize>,
    lines: RefCell<Lines>,
    /// How often descriptors were served again since the time was looked at.
    again: Cell<u32>,
    /// When descriptors were last fetched.
    fetched: Cell<Instant>,
    /// [`TRUST`], but for tests.
    trust: Cell<Duration>,
}

/// What is got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Values of the program.
    Values,
    /// Descriptors.
    Descriptors,
}

/// The address of this is another one in each thread.
fn this_thread() -> usize {
    thread_local!(static MARK: u8 = const { 0 });
    MARK.with(|mark| std::ptr::from_ref(mark).addr())
}

impl LineCache {
    /// A cache without lines. `first_bytes`: what the first get within a line fetches, a power of two, at most [`LINE_BYTES`].
    /// `end`: the end of the memory of which several lines may be fetched in advance.
    pub fn new(first_bytes: u64, end: u64) -> LineCache {
        LineCache {
            generation: AtomicU64::new(0),
            thread: Cell::new(0),
            lines: RefCell::new(Lines::new(first_bytes, end)),
            again: Cell::new(0),
            fetched: Cell::new(Instant::now()),
            trust: Cell::new(TRUST),
        }
    }

    /// Changes how long descriptors are served again.
    #[cfg(all(test, not(loom)))]
    pub(crate) fn set_trust(&self, trust: Duration) {
        self.trust.set(trust);
    }

    /// Whether a get of `len` bytes may be served by lines in this job.
    pub fn serves(job: &Job, len: usize) -> bool {
        (1..=LONGEST_BYTES).contains(&len) && LineCache::serves_any(job)
    }

    /// Whether bytes that were fetched before may be served in this job.
    pub fn serves_any(job: &Job) -> bool {
        // Relaxed: an image that has ended is reported by some get after its end, not by all.
        job.page().status.epoch.load(Ordering::Relaxed) == 0
    }

    /// Empties all lines: this image may have synchronised with another one. Any thread may call this.
    pub fn begin_generation(&self) {
        // Release: what the caller has stored before is visible to a thread that finds the new generation.
        self.generation.fetch_add(1, Ordering::Release);
    }

    /// The generation of lines that are fetched from now on.
    pub fn generation(&self) -> u64 {
        // Acquire: the counterpart of `begin_generation`.
        self.generation.load(Ordering::Acquire)
    }

    /// The generation of what may be served to this thread.
    pub fn generation_of_this_thread(&self) -> u64 {
        let thread = this_thread();
        if self.thread.replace(thread) != thread {
            self.begin_generation();
        }
        self.generation()
    }

    /// Empties the lines of `target` that contain some of these bytes, which this image defines.
    pub fn forget(&self, target: Rank, bytes: Range<u64>) {
        if bytes.end.saturating_sub(bytes.start) / LINE_BYTES > MAX_LINES {
            self.begin_generation();
        } else if bytes.start < bytes.end {
            self.lines.borrow_mut().forget(target, bytes);
        }
    }

    /// Whether descriptors may be served once more.
    fn trusts_again(&self) -> bool {
        self.again.set(self.again.get() + 1);
        if self.again.get() < TRUSTED_LOOKS {
            return true;
        }
        self.again.set(0);
        self.fetched.get().elapsed() < self.trust.get()
    }

    /// Copies bytes of the memory of `target` from `offset` on to a place of this length, from lines. `fetch` is called for those
    /// that are missing: with where they begin, where they go to, and their number; they are in lines that follow one another.
    ///
    /// # Errors
    /// Those of `fetch`.
    ///
    /// # Safety
    /// The place can be written. `fetch` writes all bytes that it is asked for.
    pub unsafe fn get(
        &self,
        target: Rank,
        offset: u64,
        (dst, len): (*mut u8, usize),
        content: Content,
        fetch: impl Fn(u64, *mut u8, usize) -> Result<()>,
    ) -> Result<()> {
        let mut done = 0;
        while done < len {
            let at = offset + done as u64;
            let part = ((LINE_BYTES - at % LINE_BYTES) as usize).min(len - done);
            // SAFETY: a part of the place (contract of this method).
            unsafe { self.get_within_line(target, at, (dst.add(done), part), content, &fetch)? };
            done += part;
        }
        Ok(())
    }

    /// [`LineCache::get`] of bytes that are in one line.
    ///
    /// # Safety
    /// That of [`LineCache::get`].
    unsafe fn get_within_line(
        &self,
        target: Rank,
        offset: u64,
        (dst, len): (*mut u8, usize),
        content: Content,
        fetch: &impl Fn(u64, *mut u8, usize) -> Result<()>,
    ) -> Result<()> {
        let wanted = offset..offset + len as u64;
        let generation = self.generation_of_this_thread();
        let missed = match self.lines.borrow_mut().look(target, wanted.clone(), generation) {
            Look::Hit(bytes) => {
                // SAFETY: `dst` can be written for as many bytes (contract of this method).
                unsafe { dst.copy_from_nonoverlapping(bytes.as_ptr().cast(), len) };
                return Ok(());
            }
            Look::Again(bytes) if content == Content::Descriptors => {
                // SAFETY: as above.
                unsafe { dst.copy_from_nonoverlapping(bytes.as_ptr().cast(), len) };
                if self.trusts_again() {
                    return Ok(());
                }
                None
            }
            Look::Again(_) => {
                self.begin_generation();
                Some(wanted.clone())
            }
            Look::Miss(missed) => Some(missed),
        };
        if content == Content::Descriptors {
            self.fetched.set(Instant::now());
        }
        let Some(missed) = missed else {
            // SAFETY: `dst` can be written for `len` bytes, and has them.
            return unsafe { self.renew(offset, (dst, len), fetch) };
        };
        let generation = self.generation();
        let room = self.lines.borrow_mut().room(target, &missed, generation);
        fetch(missed.start, room.bytes, (missed.end - missed.start) as usize)?;
        // SAFETY: `dst` can be written for as many bytes (contract of this method); the room has those from the start of `missed` on.
        unsafe {
            dst.copy_from_nonoverlapping(
                room.bytes.add((wanted.start - missed.start) as usize),
                len,
            )
        };
        // Another thread, or work of this one's wait, may have begun a generation meanwhile.
        if self.generation() == generation {
            self.lines.borrow_mut().keep(&room, wanted);
        }
        Ok(())
    }

    /// Fetches descriptors anew to a place that has them as they were served before, which are within one line. Where they have
    /// changed, all lines are empty then.
    ///
    /// # Safety
    /// The place has as many bytes and can be written. `fetch` writes all bytes that it is asked for.
    #[cold]
    unsafe fn renew(
        &self,
        offset: u64,
        (dst, len): (*mut u8, usize),
        fetch: &impl Fn(u64, *mut u8, usize) -> Result<()>,
    ) -> Result<()> {
        let mut new = [0; LONGEST_BYTES];
        let new = &mut new[..len];
        fetch(offset, new.as_mut_ptr(), len)?;
        // SAFETY: the place has `len` bytes and can be written (contract of this method).
        unsafe {
            if std::slice::from_raw_parts(dst, len) != new {
                self.begin_generation();
                dst.copy_from_nonoverlapping(new.as_ptr(), len);
            }
        }
        Ok(())
    }
}
