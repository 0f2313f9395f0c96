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
//! Every 256th time they are fetched anew, for loops that wait until a component is allocated. Puts of this image empty the lines
//! that they touch. After an image has stopped or failed nothing is served, so that each get finds that out.
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

pub use lines::LINE_BYTES;

/// Bytes of the longest get that is served.
const LONGEST_BYTES: usize = 512;
/// So often descriptors are served that were served before.
pub(crate) const LONGEST_TRUST: u32 = 256;
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
    /// How often descriptors were served again.
    again: Cell<u32>,
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
    pub fn new(first_bytes: u64) -> LineCache {
        LineCache {
            generation: AtomicU64::new(0),
            thread: Cell::new(0),
            lines: RefCell::new(Lines::new(first_bytes)),
            again: Cell::new(0),
        }
    }

    /// Whether a get of `len` bytes may be served in this job.
    pub fn serves(job: &Job, len: usize) -> bool {
        // Relaxed: an image that has ended is reported by some get after its end, not by all.
        (1..=LONGEST_BYTES).contains(&len) && job.page().status.epoch.load(Ordering::Relaxed) == 0
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
        let again = self.again.get() + 1;
        self.again.set(again % LONGEST_TRUST);
        again < LONGEST_TRUST
    }

    /// Copies bytes of the memory of `target` from `offset` on to a place of this length, from lines. `fetch` is called for those
    /// that are missing: with where they begin, where they go to, and their number; they are within one line.
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
        let thread = this_thread();
        if self.thread.replace(thread) != thread {
            self.begin_generation();
        }
        let range = match self.lines.borrow_mut().look(target, wanted.clone(), self.generation()) {
            Look::Hit(bytes) => {
                // SAFETY: `dst` can be written for as many bytes (contract of this method).
                unsafe { dst.copy_from_nonoverlapping(bytes.as_ptr(), len) };
                return Ok(());
            }
            Look::Again(bytes) if content == Content::Descriptors && self.trusts_again() => {
                // SAFETY: as above.
                unsafe { dst.copy_from_nonoverlapping(bytes.as_ptr(), len) };
                return Ok(());
            }
            Look::Again(_) => {
                self.begin_generation();
                wanted.clone()
            }
            Look::Miss(range) => range,
        };
        let generation = self.generation();
        let mut line = [0; LINE_BYTES as usize];
        let fetched = &mut line[..(range.end - range.start) as usize];
        fetch(range.start, fetched.as_mut_ptr(), fetched.len())?;
        let first = (wanted.start - range.start) as usize;
        // SAFETY: `dst` can be written for as many bytes (contract of this method).
        unsafe { dst.copy_from_nonoverlapping(fetched[first..first + len].as_ptr(), len) };
        // Another thread, or work of this one's wait, may have begun a generation meanwhile.
        if self.generation() == generation {
            self.lines.borrow_mut().keep(target, range.start, fetched, generation, wanted);
        }
        Ok(())
    }
}
