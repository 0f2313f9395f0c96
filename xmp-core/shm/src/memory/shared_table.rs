//! Shared tables: the images of a host keep one copy, in the segment of one of them, and read it together.
//!
//! The owner writes the table into its non-symmetric heap before it publishes its offset; from then on no image writes
//! it. Every holder releases it by counting down a word in front of the table. The owner, which may execute something
//! else meanwhile, finds the zero when it next allocates memory ([`super::Memory::reclaim`]). If an image fails while
//! it holds a table, the table stays until the job ends.

use crate::job::Job;
use crate::members::Table;
use crate::sync::{AtomicU32, Ordering};
use std::ops::Deref;
use std::sync::Arc;

/// The number of images that hold a table.
#[repr(transparent)]
#[derive(Debug)]
struct Holders(AtomicU32);

impl Holders {
    fn release(&self) {
        // Release: this holder has read the table before the owner sees that no image holds it.
        self.0.fetch_sub(1, Ordering::Release);
    }

    fn is_free(&self) -> bool {
        // Acquire: pairs with the decrements, which are of one release sequence.
        self.0.load(Ordering::Acquire) == 0
    }
}

/// The words in front of the table.
#[repr(C)]
#[derive(Debug)]
struct Head {
    holders: Holders,
    /// Words of the table.
    len: u32,
}

/// A reference of this image to a table, which it holds.
#[derive(Debug)]
pub struct TableReference {
    /// Keeps the segments mapped.
    _job: Arc<Job>,
    head: *const Head,
}

impl TableReference {
    /// Writes a table with its head to `head`, for `holders` holders.
    ///
    /// # Safety
    /// [`TableReference::bytes`] bytes at `head` are aligned to 8, unused, and known to no other image.
    pub(super) unsafe fn write(
        job: &Arc<Job>,
        head: *mut u8,
        words: &[u32],
        holders: u32,
    ) -> TableReference {
        let head = head.cast::<Head>();
        // SAFETY: the bytes are unused, aligned and enough (contract of this function).
        unsafe {
            let holders = Holders(AtomicU32::new(holders));
            head.write(Head { holders, len: words.len() as u32 });
            head.add(1).cast::<u32>().copy_from_nonoverlapping(words.as_ptr(), words.len());
        }
        TableReference { _job: job.clone(), head }
    }

    /// The table that is at `head`.
    ///
    /// # Safety
    /// [`TableReference::write`] wrote it, counted this holder, and this image has synchronised with that since.
    pub(super) unsafe fn at(job: &Arc<Job>, head: *const u8) -> TableReference {
        TableReference { _job: job.clone(), head: head.cast() }
    }

    /// Bytes of a table of `words` words, with its head.
    pub(super) const fn bytes(words: usize) -> u64 {
        (size_of::<Head>() + words * size_of::<u32>()) as u64
    }

    /// Releases the table for all holders but this one, the owner, because they have not attached it and will not.
    pub fn withdraw(&self) {
        // Relaxed: no other image knows of the table.
        self.head().holders.0.store(1, Ordering::Relaxed);
    }

    fn head(&self) -> &Head {
        // SAFETY: `publish` wrote it; it stays while this image is counted among the holders.
        unsafe { &*self.head }
    }
}

impl Deref for TableReference {
    type Target = [u32];

    #[inline]
    fn deref(&self) -> &[u32] {
        // SAFETY: `publish` wrote `len` words after the head, and no image writes while this image is a holder. The
        // region stays mapped as long as the job, which this holds.
        unsafe { std::slice::from_raw_parts(self.head.add(1).cast(), self.head().len as usize) }
    }
}

impl Drop for TableReference {
    fn drop(&mut self) {
        self.head().holders.release();
    }
}

/// Whether no image holds the table at this offset of the owner's segment any more.
pub(super) fn is_free(segment: *const u8, offset: u64) -> bool {
    let head = segment.wrapping_add(offset as usize).cast::<Head>();
    // SAFETY: the owner asks for a table that it has published and not freed yet.
    unsafe { &(*head).holders }.is_free()
}

// SAFETY: `write` wrote the words in a segment, where they stay, unchanged, while this image is a holder.
unsafe impl Table for TableReference {}

#[cfg(all(test, not(loom)))]
mod tests;

#[cfg(all(test, loom))]
mod model {
    use super::*;
    use loom::cell::UnsafeCell;

    /// The owner overwrites the table as soon as it sees that it is free: loom reports a holder that still reads.
    #[test]
    fn loom_the_owner_reuses_a_table_only_without_readers() {
        loom::model(|| {
            let shared = loom::sync::Arc::new((Holders(AtomicU32::new(2)), UnsafeCell::new(7u32)));
            let holders: Vec<_> = (0..2)
                .map(|_| {
                    let shared = shared.clone();
                    loom::thread::spawn(move || {
                        // SAFETY: loom reports a write of the table while it is read.
                        assert_eq!(shared.1.with(|word| unsafe { *word }), 7);
                        shared.0.release();
                    })
                })
                .collect();
            if shared.0.is_free() {
                // SAFETY: loom reports a read of the table while it is written.
                shared.1.with_mut(|word| unsafe { *word = 8 });
            }
            holders.into_iter().for_each(|holder| holder.join().unwrap());
            assert!(shared.0.is_free());
        });
    }
}
