//! Tables that the images of a host keep once, in the segment of one of them, and read together.
//!
//! The owner writes the table into its non-symmetric heap before it tells the others where it is; from then on nobody
//! writes. Every holder lets go of it by counting down a word in front of the table, and the owner, which may be doing
//! something else meanwhile, finds the zero when it next has need of memory ([`super::Memory::reclaim`]). The table of an
//! image that has failed while it held it stays until the job ends.

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
        // Release: what this holder has read, it has read before the owner sees that nobody holds the table.
        self.0.fetch_sub(1, Ordering::Release);
    }

    fn is_free(&self) -> bool {
        // Acquire: the counterpart. All decrements are of one release sequence.
        self.0.load(Ordering::Acquire) == 0
    }
}

/// What is in front of the table.
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
    /// Puts a table into this image's non-symmetric heap for `holders` images of its host, this one included. The others
    /// [`Shared::attach`] it by the offset that is returned with it.
    ///
    /// # Errors
    /// [`crate::Error::OutOfMemory`].
    pub fn publish(image: &Image, words: &[u32], holders: u32) -> Result<(Shared, u64)> {
        let size = (size_of::<Head>() + size_of_val(words)) as u64;
        let offset = image.memory().allocate_local(size, GRAIN)?;
        let head = image.own_segment().wrapping_add(offset as usize).cast::<Head>();
        // SAFETY: the block was just allocated with this size, aligned, and nobody else knows of it.
        unsafe {
            let holders = Holders(AtomicU32::new(holders));
            head.write(Head { holders, len: words.len() as u32 });
            head.add(1).cast::<u32>().copy_from_nonoverlapping(words.as_ptr(), words.len());
        }
        image.memory().note_shared(offset);
        Ok((Shared { _job: image.job.clone(), head }, offset))
    }

    /// The table that an image of this host has published at this offset, as told by it.
    ///
    /// # Panics
    /// When the owner is on another host.
    ///
    /// # Safety
    /// `owner` got the offset from [`Shared::publish`], counted this image among the holders, and this image has
    /// synchronised with it since and not attached the table before.
    pub unsafe fn attach(image: &Image, owner: Rank, offset: u64) -> Shared {
        let head = image.near(owner, offset).expect("an image of this host").cast::<Head>();
        Shared { _job: image.job.clone(), head }
    }

    /// Lets go for all holders but this one, the owner, because they have not attached the table and will not.
    pub fn withdraw(&self) {
        // Relaxed: nobody else knows of the table.
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
        // SAFETY: `publish` wrote `len` words behind the head, and nobody writes while this image is a holder; the
        // region stays mapped as long as the job, which this holds.
        unsafe { std::slice::from_raw_parts(self.head.add(1).cast(), self.head().len as usize) }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.head().holders.let_go();
    }
}

/// Whether nobody holds the table at this offset of the owner's segment any more.
pub(super) fn is_free(segment: *const u8, offset: u64) -> bool {
    let head = segment.wrapping_add(offset as usize).cast::<Head>();
    // SAFETY: the owner asks for what it has published and not freed yet.
    unsafe { &(*head).holders }.is_free()
}

/// Words that are this image's own, or that images of a host share. Clones are the same words.
#[derive(Clone, Debug)]
pub enum Words {
    /// Of this image only.
    Own(Rc<[u32]>),
    /// Of several images of a host.
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
            // SAFETY: as just told; once an image.
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

    /// The owner writes where the table was as soon as it sees that it is free: loom reports a holder that still reads.
    #[test]
    fn loom_the_owner_reuses_a_table_only_when_nobody_reads_it() {
        loom::model(|| {
            let shared = loom::sync::Arc::new((Holders(AtomicU32::new(2)), UnsafeCell::new(7u32)));
            let holders: Vec<_> = (0..2)
                .map(|_| {
                    let shared = shared.clone();
                    loom::thread::spawn(move || {
                        // SAFETY: loom checks that nobody writes now.
                        assert_eq!(shared.1.with(|word| unsafe { *word }), 7);
                        shared.0.let_go();
                    })
                })
                .collect();
            if shared.0.is_free() {
                // SAFETY: loom checks that nobody reads now.
                shared.1.with_mut(|word| unsafe { *word = 8 });
            }
            holders.into_iter().for_each(|holder| holder.join().unwrap());
            assert!(shared.0.is_free());
        });
    }
}
