//! Blocks that threads outside of the lock of the image have freed. The next thread inside gives them back.
//!
//! A list of offsets, the newest first: each block has the offset of the next one in its first word. Threads push by
//! compare-and-swap; the one thread inside the lock takes all at once, so no block can be pushed again meanwhile ("ABA").

use crate::sync::{AtomicU64, Ordering};

/// The list.
#[derive(Debug)]
pub struct DeferredFrees {
    /// Offset of the newest block; 0 if there is none.
    newest: AtomicU64,
}

impl DeferredFrees {
    /// An empty list.
    #[cfg(not(loom))]
    pub const fn new() -> DeferredFrees {
        DeferredFrees { newest: AtomicU64::new(0) }
    }

    /// An empty list.
    #[cfg(loom)]
    pub fn new() -> DeferredFrees {
        DeferredFrees { newest: AtomicU64::new(0) }
    }

    /// Adds the block at an offset, whose first word is `link`. No thread uses the block any more.
    pub fn push(&self, offset: u64, link: &AtomicU64) {
        let mut next = self.newest.load(Ordering::Relaxed);
        loop {
            link.store(next, Ordering::Relaxed);
            // Release: the link, and all that this thread has done with the block.
            match self.newest.compare_exchange_weak(
                next,
                offset,
                Ordering::Release,
                Ordering::Relaxed,
            ) {
                Ok(_) => return,
                Err(newest) => next = newest,
            }
        }
    }

    /// Takes all blocks out and calls `visit` with their offsets. `link` is the first word of the block at an offset.
    pub fn take<'a>(&self, link: impl Fn(u64) -> &'a AtomicU64, mut visit: impl FnMut(u64)) {
        // Most calls find nothing.
        if self.newest.load(Ordering::Relaxed) == 0 {
            return;
        }
        // Acquire: the links. Those of older blocks come by the release sequence of the list's head.
        let mut offset = self.newest.swap(0, Ordering::Acquire);
        while offset != 0 {
            let next = link(offset).load(Ordering::Relaxed);
            visit(offset);
            offset = next;
        }
    }
}

impl Default for DeferredFrees {
    fn default() -> DeferredFrees {
        DeferredFrees::new()
    }
}

#[cfg(all(test, loom))]
mod model {
    use super::*;
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;

    /// What a thread has written to a block before it frees it is seen by the thread that takes the block.
    #[test]
    fn loom_freed_blocks_are_taken_once_with_all_that_was_written_to_them() {
        loom::model(|| {
            struct Shared {
                list: DeferredFrees,
                links: [AtomicU64; 2],
                contents: [UnsafeCell<u64>; 2],
            }
            let shared = Arc::new(Shared {
                list: DeferredFrees::new(),
                links: [AtomicU64::new(0), AtomicU64::new(0)],
                contents: [UnsafeCell::new(0), UnsafeCell::new(0)],
            });
            let threads = [0, 1].map(|number: usize| {
                let shared = shared.clone();
                loom::thread::spawn(move || {
                    // SAFETY: the block is this thread's until it is pushed.
                    shared.contents[number].with_mut(|content| unsafe { *content = 7 });
                    shared.list.push(number as u64 + 1, &shared.links[number]);
                })
            });
            let mut taken = 0;
            let mut take = || {
                shared.list.take(
                    |offset| &shared.links[offset as usize - 1],
                    |offset| {
                        // SAFETY: the block was taken out of the list, so it is this thread's.
                        shared.contents[offset as usize - 1]
                            .with(|it| unsafe { assert_eq!(*it, 7) });
                        taken += offset;
                    },
                );
            };
            take();
            for thread in threads {
                thread.join().unwrap();
            }
            take();
            assert_eq!(taken, 1 + 2);
        });
    }
}
