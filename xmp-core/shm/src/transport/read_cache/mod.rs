//! The read cache between hosts: single elements are served from lines that were fetched whole.
//!
//! A get of an element of another host is a round trip, and loops get one element after the other. What an image reads within
//! one of its segments no other image defines meanwhile, unless the accesses are atomic (Fortran 2018, 11.6.2). So bytes that
//! were fetched in a segment may be served in it. A number, the *generation*, counts these segments and more: it changes with each
//! operation by which this image may synchronise with another one, and a line of a former generation is empty.
//!
//! Programs that wait in a loop of gets for a value of another image do not conform, but exist. They end: bytes that were served
//! are not served again; a second get of them fetches them anew and begins a generation, so that what the program reads behind them is
//! at least as new. Descriptors are served again and again: a loop over the elements of a component gets them for each one. Every
//! 256th time they are fetched anew, for loops that wait until a component is allocated. Puts of this image empty the lines that they touch. After an image has stopped or failed nothing is served,
//! so that each get finds that out.
//!
//! Chapel's `--cache-remote` does the same in lines of 1024 bytes, by default since its version 1.25.

mod lines;

use super::{AtomicRequest, FlushScope, Layout, Post, Rendezvous, Transport, Update, Wake, Width};
use crate::error::Result;
use crate::job::{Handler, Job};
use crate::rank::Rank;
use crate::wait::Background;
use lines::{LINE_BYTES, Lines, Look};
use std::cell::{Cell, RefCell};
use std::convert::Infallible;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of the longest get that is served.
const LONGEST_BYTES: usize = 512;
/// So often descriptors are served that were served before.
const LONGEST_TRUST: u32 = 256;
/// A put to more lines than this begins a generation.
const MOST_LINES: u64 = 64;

/// A transport that serves short gets of images of other hosts from lines that it has fetched.
#[derive(Debug)]
pub struct ReadCache<T> {
    inner: T,
    job: Arc<Job>,
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
enum Content {
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

impl<T: Transport> ReadCache<T> {
    /// Adds a cache to `inner`, whose images are those of `job`.
    pub fn new(inner: T, job: Arc<Job>) -> ReadCache<T> {
        let (generation, thread, lines) = (AtomicU64::new(0), Cell::new(0), RefCell::default());
        ReadCache { inner, job, generation, thread, lines, again: Cell::new(0) }
    }

    fn begin_generation(&self) {
        // Relaxed: only numbers are compared. A thread that is told of a change by another one has what orders it after this.
        self.generation.fetch_add(1, Ordering::Relaxed);
    }

    fn generation(&self) -> u64 {
        // Relaxed: as in `begin_generation`.
        self.generation.load(Ordering::Relaxed)
    }

    /// Whether a get may be served.
    fn serves(&self, target: Rank, len: usize) -> bool {
        // Relaxed: an image that has ended is reported by some get behind its end, not by all.
        (1..=LONGEST_BYTES).contains(&len)
            && self.job.page().status.epoch.load(Ordering::Relaxed) == 0
            && self.inner.host_ptr(target, 0).is_none()
    }

    /// Whether descriptors may be served once more.
    fn trusts_again(&self) -> bool {
        let again = self.again.get() + 1;
        self.again.set(again % LONGEST_TRUST);
        again < LONGEST_TRUST
    }

    /// Gets bytes, which may be in several lines.
    ///
    /// # Safety
    /// That of [`ReadCache::get_within_line`].
    unsafe fn get_by_lines(
        &self,
        target: Rank,
        offset: u64,
        dst: *mut u8,
        len: usize,
        content: Content,
    ) -> Result<()> {
        let mut done = 0;
        while done < len {
            let at = offset + done as u64;
            let part = ((LINE_BYTES - at % LINE_BYTES) as usize).min(len - done);
            // SAFETY: a part of the bytes that can be written at `dst` and lie at `offset` (contract of this method).
            unsafe { self.get_within_line(target, at, dst.add(done), part, content)? };
            done += part;
        }
        Ok(())
    }

    /// Gets bytes that lie in one line.
    ///
    /// # Safety
    /// `dst` can be written for `len` bytes; what [`Transport::get`] requires of the source.
    unsafe fn get_within_line(
        &self,
        target: Rank,
        offset: u64,
        dst: *mut u8,
        len: usize,
        content: Content,
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
        // SAFETY: `fetched` has room for the range. A line lies in the segment as a whole, which has whole pages. The bytes beside
        // those that are wanted may be accessed by other images: no program gets them unless it may read them in this segment.
        unsafe {
            let layout = Layout::Contiguous(fetched.len());
            self.inner.get(target, range.start, fetched.as_mut_ptr(), layout)?;
        }
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

// SAFETY: the pointers are those of `inner`, which lives as long.
unsafe impl<T: Transport> Transport for ReadCache<T> {
    fn host_ptr(&self, target: Rank, offset: u64) -> Option<NonNull<u8>> {
        self.inner.host_ptr(target, offset)
    }

    unsafe fn put(
        &self,
        target: Rank,
        offset: u64,
        src: *const u8,
        layout: Layout<'_>,
    ) -> Result<()> {
        let forgotten: std::result::Result<(), Infallible> =
            layout.for_each_touched(offset, |from, to| {
                if to.saturating_sub(from) / LINE_BYTES > MOST_LINES {
                    self.begin_generation();
                } else if from < to {
                    self.lines.borrow_mut().forget(target, from..to);
                }
                Ok(())
            });
        let Ok(()) = forgotten;
        // SAFETY: `inner` has the same contract (see [`Transport`]).
        unsafe { self.inner.put(target, offset, src, layout) }
    }

    unsafe fn get(
        &self,
        target: Rank,
        offset: u64,
        dst: *mut u8,
        layout: Layout<'_>,
    ) -> Result<()> {
        match layout {
            // SAFETY: the contract of this method.
            Layout::Contiguous(len) if self.serves(target, len) => unsafe {
                self.get_by_lines(target, offset, dst, len, Content::Values)
            },
            // SAFETY: `inner` has the same contract (see [`Transport`]).
            _ => unsafe { self.inner.get(target, offset, dst, layout) },
        }
    }

    unsafe fn get_descriptor(
        &self,
        target: Rank,
        offset: u64,
        dst: *mut u8,
        len: usize,
    ) -> Result<()> {
        // SAFETY: the contract of this method; `inner` has the same one.
        unsafe {
            if self.serves(target, len) {
                self.get_by_lines(target, offset, dst, len, Content::Descriptors)
            } else {
                self.inner.get_descriptor(target, offset, dst, len)
            }
        }
    }

    unsafe fn post(&self, target: Rank, post: Post<'_>) -> Result<()> {
        self.begin_generation();
        // SAFETY: `inner` has the same contract (see [`Transport`]).
        unsafe { self.inner.post(target, post) }
    }

    unsafe fn atomic(
        &self,
        target: Rank,
        offset: u64,
        width: Width,
        request: AtomicRequest,
    ) -> Result<u64> {
        self.begin_generation();
        // SAFETY: `inner` has the same contract (see [`Transport`]).
        unsafe { self.inner.atomic(target, offset, width, request) }
    }

    unsafe fn signal(
        &self,
        target: Rank,
        offset: u64,
        width: Width,
        update: Update,
        wake: Wake,
    ) -> Result<()> {
        self.begin_generation();
        // SAFETY: `inner` has the same contract (see [`Transport`]).
        unsafe { self.inner.signal(target, offset, width, update, wake) }
    }

    fn ring(&self, target: Rank) {
        self.inner.ring(target);
    }

    fn flush(&self, scope: FlushScope) -> Result<()> {
        self.begin_generation();
        self.inner.flush(scope)
    }

    fn call(
        &self,
        target: Rank,
        handler: Handler,
        payload: &[u8],
        reply: &mut Vec<u8>,
    ) -> Result<()> {
        self.begin_generation();
        self.inner.call(target, handler, payload, reply)
    }

    fn rendezvous(&self, partner: Rank) -> Option<&dyn Rendezvous> {
        self.inner.rendezvous(partner)
    }

    fn background(&self) -> Option<&dyn Background> {
        self.inner.background()
    }

    fn acquire(&self) {
        self.begin_generation();
        self.inner.acquire();
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
