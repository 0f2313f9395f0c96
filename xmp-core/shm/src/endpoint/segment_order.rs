//! The things that image control statements order besides loads and stores: operations on other hosts, accesses where races are looked for,
//! and lines of other images' private memory (memory in no segment, where pointer components may lead). Such a line is valid
//! within a segment of the image's execution (Fortran 2018, 11.6.2).
//!
//! Fast paths ask the [`Duties`] of the image, and do nothing more while there are none. While the image keeps lines it has one, until
//! the next operation by which it may synchronise.

use crate::error::Result;
use crate::job::Duties;
use crate::line_cache::{Content, LINE_BYTES, LineCache};
use crate::rank::Rank;
use crate::sync::{Ordering, fence};
use std::ops::Range;
use std::ptr;
use std::sync::atomic::AtomicPtr;

/// See the module.
#[derive(Debug)]
pub struct SegmentOrder {
    /// Of this image, or of none in a process that the image has forked.
    duties: AtomicPtr<Duties>,
    /// The system copies a page in hardly more time than an element, so lines are fetched whole.
    lines: LineCache,
}

impl SegmentOrder {
    /// Of the image with these duties.
    ///
    /// # Safety
    /// They live as long as what is returned.
    pub unsafe fn new(duties: &Duties) -> SegmentOrder {
        let duties = AtomicPtr::new(ptr::from_ref(duties).cast_mut());
        // What is beside a line need not be there.
        SegmentOrder { duties, lines: LineCache::new(LINE_BYTES, 0) }
    }

    #[inline(always)]
    fn duties(&self) -> &Duties {
        // SAFETY: the contract of `new`, and what replaces them is never freed. Relaxed: a process that has one thread replaces them.
        unsafe { &*self.duties.load(std::sync::atomic::Ordering::Relaxed) }
    }

    /// Whether loads and stores are all. Any thread may call this.
    #[inline(always)]
    pub fn is_of_stores(&self) -> bool {
        self.duties().are_none()
    }

    /// From now on loads and stores are never all in this process, which the image has forked.
    pub fn never_of_stores(&self) {
        let none = Box::leak(Box::new(Duties::of_no_image()));
        self.duties.store(none, std::sync::atomic::Ordering::Relaxed);
    }

    /// Empties the lines: this image may have synchronised with another one. Any thread may call this.
    pub fn acquire(&self) {
        // A get that finds the new generation, which follows, changes the word after this; lines of a get that finds the old one are
        // empty.
        self.duties().remove_lines();
        self.lines.begin_generation();
    }

    /// Whether the launcher wants to read the image's output before other images continue.
    #[inline(always)]
    pub fn is_output_wanted(&self) -> bool {
        self.duties().is_output_wanted()
    }

    /// Returns when the launcher has read what the image has printed, if it wants to.
    #[inline]
    pub fn give_output(&self) {
        self.duties().give_output();
    }

    /// Empties the lines of an image that contain some of these bytes, which this image defines.
    pub fn forget(&self, target: Rank, bytes: Range<u64>) {
        self.lines.forget(target, bytes);
    }

    /// Copies bytes of the private memory of `target` by lines ([`LineCache::get`]).
    ///
    /// # Errors
    /// Those of `fetch`.
    ///
    /// # Safety
    /// The place can be written. `fetch` writes all bytes that it is asked for.
    pub unsafe fn get(
        &self,
        target: Rank,
        address: u64,
        place: (*mut u8, usize),
        content: Content,
        fetch: impl Fn(u64, *mut u8, usize) -> Result<()>,
    ) -> Result<()> {
        let fetch = |from, into, len| {
            // The cache has read the generation before. So if a thread calls `acquire` meanwhile, the duty stays, or the bytes are not
            // kept.
            self.duties().add_lines();
            // Before the bytes are read: a thread that finds later that another image has changed them finds the word, too, and empties
            // the lines.
            fence(Ordering::SeqCst);
            fetch(from, into, len)
        };
        // SAFETY: the contract of this method.
        unsafe { self.lines.get(target, address, place, content, fetch) }
    }
}

#[cfg(all(test, loom))]
mod model {
    use super::*;
    use crate::sync::AtomicU32;
    use loom::sync::Arc;
    use loom::thread;

    /// A thread of the image gets bytes while another one learns that a second image has changed them. Once the first thread knows
    /// that, it gets the new ones.
    #[test]
    fn loom_bytes_of_a_former_segment_are_not_served() {
        loom::model(|| {
            let duties = Box::leak(Box::new(Duties::default()));
            // SAFETY: never freed.
            let order = Arc::new(unsafe { SegmentOrder::new(duties) });
            let words: [Arc<AtomicU32>; 3] = std::array::from_fn(|_| Arc::new(AtomicU32::new(0)));
            let [value, posted, told] = words.clone();
            let other_image = thread::spawn(move || {
                value.store(1, Ordering::Relaxed);
                posted.store(1, Ordering::Release);
            });
            let [_, posted, _] = words.clone();
            let waits = order.clone();
            let other_thread = thread::spawn(move || {
                if posted.load(Ordering::Acquire) == 1 {
                    // Loom's model of memory needs it. Processors whose stores become visible to all others at once (x86-64, Armv8) do
                    // not: there the fence of the other thread and the acquire load above suffice.
                    fence(Ordering::SeqCst);
                    if !waits.is_of_stores() {
                        waits.acquire();
                    }
                    told.store(1, Ordering::Release);
                }
            });
            let [value, _, told] = words;
            let get = |at| {
                let mut byte = 0;
                let fetch = |_, into: *mut u8, len| {
                    let now = value.load(Ordering::Relaxed) as u8;
                    // SAFETY: room for `len` bytes.
                    unsafe { into.write_bytes(now, len) };
                    Ok(())
                };
                // SAFETY: the place is a byte.
                unsafe { order.get(Rank::new(1), at, (&raw mut byte, 1), Content::Values, fetch) }
                    .unwrap();
                byte
            };
            get(0);
            let is_told = told.load(Ordering::Acquire) == 1;
            let byte = get(8);
            assert!(!is_told || byte == 1);
            other_image.join().unwrap();
            other_thread.join().unwrap();
        });
    }
}
