//! Shared tables: the images of a host keep one copy, in the segment of one of them, and read it together.
//!
//! The owner writes the table into its non-symmetric heap before it publishes its offset; from then on no image writes
//! it. Every holder releases it by counting down a word in front of the table. The owner, which may be doing something
//! else meanwhile, finds the zero when it next allocates memory ([`super::Memory::reclaim`]). If an image fails while
//! it holds a table, the table stays until the job ends.

use super::Image;
use crate::error::Result;
use crate::heap::GRAIN;
use crate::job::Job;
use crate::rank::Rank;
use crate::sync::{AtomicU32, Ordering};
use std::ops::Deref;
use std::rc::Rc;
use std::sync::Arc;

/// How many images hold a table.
#[repr(transparent)]
#[derive(Debug)]
struct Holders(AtomicU32);

impl Holders {
    fn let_go(&self) {
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

/// This image's hold of a table.
#[derive(Debug)]
pub struct Shared {
    /// Keeps the segments mapped.
    _job: Arc<Job>,
    head: *const Head,
}

impl Shared {
    /// Puts a table into this image's non-symmetric heap for `holders` images of its host, this one included. Returns
    /// its offset, by which the others [`Shared::attach`] it.
    ///
    /// # Errors
    /// [`crate::Error::OutOfMemory`].
    pub fn publish(image: &Image, words: &[u32], holders: u32) -> Result<(Shared, u64)> {
        let size = (size_of::<Head>() + size_of_val(words)) as u64;
        let offset = image.memory().allocate_local(size, GRAIN)?;
        let head = image.own_segment().wrapping_add(offset as usize).cast::<Head>();
        // SAFETY: the block was just allocated with this size, aligned, and no other code knows of it.
        unsafe {
            let holders = Holders(AtomicU32::new(holders));
            head.write(Head { holders, len: words.len() as u32 });
            head.add(1).cast::<u32>().copy_from_nonoverlapping(words.as_ptr(), words.len());
        }
        image.memory().note_shared(offset);
        Ok((Shared { _job: image.job.clone(), head }, offset))
    }

    /// The table that the image `owner` of this host has published at `offset`.
    ///
    /// # Panics
    /// When the owner is on another host.
    ///
    /// # Safety
    /// `owner` got the offset from [`Shared::publish`] and counted this image among the holders. This image has
    /// synchronised with it since and not attached the table before.
    pub unsafe fn attach(image: &Image, owner: Rank, offset: u64) -> Shared {
        let head = image.near(owner, offset).expect("an image of this host").cast::<Head>();
        Shared { _job: image.job.clone(), head }
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

impl Deref for Shared {
    type Target = [u32];

    #[inline]
    fn deref(&self) -> &[u32] {
        // SAFETY: `publish` wrote `len` words behind the head, and no image writes while this image is a holder. The
        // region stays mapped as long as the job, which this holds.
        unsafe { std::slice::from_raw_parts(self.head.add(1).cast(), self.head().len as usize) }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.head().holders.let_go();
    }
}

/// Whether no image holds the table at this offset of the owner's segment any more.
pub(super) fn is_free(segment: *const u8, offset: u64) -> bool {
    let head = segment.wrapping_add(offset as usize).cast::<Head>();
    // SAFETY: the owner asks for a table that it has published and not freed yet.
    unsafe { &(*head).holders }.is_free()
}

/// Words that are this image's own, or that images of a host share. Clones share the words.
#[derive(Clone, Debug)]
pub enum Words {
    /// Words of this image only.
    Own(Rc<[u32]>),
    /// Words of several images of a host.
    Shared(Rc<Shared>),
}

impl Deref for Words {
    type Target = [u32];

    #[inline]
    fn deref(&self) -> &[u32] {
        match self {
            Words::Own(words) => words,
            Words::Shared(shared) => shared,
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::transport::threads;
    use std::sync::atomic::AtomicU64;

    #[test]
    fn a_table_lives_until_the_last_holder_lets_go() {
        let told = AtomicU64::new(0);
        threads::run(3, 1, |image| {
            let set = image.executing();
            let area = set.levels(image).unwrap().area().unwrap();
            let words: Vec<u32> = (0..1000).collect();
            let held = (image.rank().get() == 0).then(|| {
                let (held, offset) = Shared::publish(image, &words, 3).unwrap();
                told.store(offset, std::sync::atomic::Ordering::Release);
                held
            });
            area.barrier(image).unwrap();
            let offset = told.load(std::sync::atomic::Ordering::Acquire);
            // SAFETY: image 0 has published the offset with a hold for each image and synchronised; each attaches it
            // once.
            let attach = || unsafe { Shared::attach(image, Rank::new(0), offset) };
            let held = Words::Shared(Rc::new(held.unwrap_or_else(attach)));
            assert_eq!(&*held, &words[..]);
            let kept = (image.rank().get() == 2).then(|| held.clone());
            drop(held);
            area.barrier(image).unwrap();
            let in_use = || {
                image.memory().reclaim();
                image.memory().usage()[1].0
            };
            assert_eq!(in_use() > 0, image.rank().get() == 0);
            area.barrier(image).unwrap();
            drop(kept);
            area.barrier(image).unwrap();
            assert_eq!(in_use(), 0);
        })
        .unwrap();
    }

    #[test]
    fn a_table_that_nobody_learns_of_is_taken_back() {
        threads::run(2, 1, |image| {
            let (held, _) = Shared::publish(image, &[1, 2, 3], 2).unwrap();
            held.withdraw();
            drop(held);
            image.memory().reclaim();
            assert_eq!(image.memory().usage()[1].0, 0);
        })
        .unwrap();
    }
}

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
                        shared.0.let_go();
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
