//! What image control statements order besides loads and stores: operations on other hosts, accesses where races are looked for,
//! and lines of other images' private memory (memory in no segment, where pointer components may lead). Such a line is valid
//! within a segment of the image's execution (Fortran 2018, 11.6.2).
//!
//! Fast paths ask one word, and do nothing more while loads and stores are all. While the image keeps lines they are not, until the
//! next operation by which it may synchronise.

use crate::error::Result;
use crate::line_cache::{Content, LINE_BYTES, LineCache};
use crate::rank::Rank;
use crate::sync::{AtomicU32, Ordering, fence};
use std::ops::Range;

/// See the module.
#[derive(Debug)]
pub struct SegmentOrder {
    /// Not 0: loads and stores are all.
    only_stores: AtomicU32,
    /// What the word is without lines.
    without_lines: AtomicU32,
    /// The system copies a page in hardly more time than an element, so lines are fetched whole.
    lines: LineCache,
}

impl SegmentOrder {
    /// `only_stores`: whether loads and stores are all, without lines.
    pub fn new(only_stores: bool) -> SegmentOrder {
        let [only_stores, without_lines] = [(); 2].map(|()| AtomicU32::new(only_stores.into()));
        SegmentOrder { only_stores, without_lines, lines: LineCache::new(LINE_BYTES) }
    }

    /// Whether loads and stores are all. Any thread may call this.
    #[inline(always)]
    pub fn is_of_stores(&self) -> bool {
        // Relaxed: see `get` for the changes that a thread must not miss.
        self.only_stores.load(Ordering::Relaxed) != 0
    }

    /// From now on loads and stores are never all.
    pub fn never_of_stores(&self) {
        self.without_lines.store(0, Ordering::Relaxed);
        self.only_stores.store(0, Ordering::Relaxed);
    }

    /// Empties the lines: this image may have synchronised with another one. Any thread may call this.
    pub fn acquire(&self) {
        // Relaxed: a get that finds the new generation, which follows, stores after this; lines of a get that finds the old one are
        // empty.
        self.only_stores.store(self.without_lines.load(Ordering::Relaxed), Ordering::Relaxed);
        self.lines.begin_generation();
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
            // The cache has read the generation before. So if a thread calls `acquire` meanwhile, the word stays 0, or the bytes are
            // not kept.
            self.only_stores.store(0, Ordering::Relaxed);
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
    use loom::sync::Arc;
    use loom::thread;

    /// A thread of the image gets bytes while another one learns that a second image has changed them. Once the first thread knows
    /// that, it gets the new ones.
    #[test]
    fn loom_bytes_of_a_former_segment_are_not_served() {
        loom::model(|| {
            let order = Arc::new(SegmentOrder::new(true));
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
