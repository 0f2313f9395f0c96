//! Writes to lines that other members have in their caches.

use crate::machine::copy_past_caches;
use std::cell::Cell;
use std::sync::atomic::{Ordering, fence};
use std::time::Instant;

/// Shorter pieces are always written through the cache.
const MIN_STREAMED: usize = 2048;
/// Bytes a nanosecond below which writing through the cache is slow: streaming stores reach it on any machine, even if
/// the reader's access to memory is counted.
const SLOW: u128 = 6;
/// Writes between two timed ones, while writes go through the cache and while they stream.
const CHECK: [u32; 2] = [8, 32];

/// Chooses how one member writes to lines that others have read.
///
/// Through the cache, each line must be taken away from its readers. Between cores that share a cache that is fast, and
/// the reader finds the data in that cache. Between other cores it was measured to cost 15 times a streaming store,
/// which goes to memory without requesting the line. Which of the two holds differs between pairs of cores, and on a
/// virtual machine from one second to the next. So a write is timed now and then.
#[derive(Debug)]
pub struct Stores {
    streaming: Cell<bool>,
    until_check: Cell<u32>,
}

impl Stores {
    /// Through the cache until the first write has been timed.
    pub fn new() -> Stores {
        Stores { streaming: Cell::new(false), until_check: Cell::new(0) }
    }

    /// Copies `len` bytes; they are visible to other members after this member's next barrier.
    ///
    /// # Safety
    /// `dst` and `src` are valid for `len` bytes and do not overlap.
    #[inline]
    pub unsafe fn copy(&self, dst: *mut u8, src: *const u8, len: usize) {
        // SAFETY: `dst` and `src` are valid for `len` bytes and do not overlap (contract of this function).
        unsafe {
            if len < MIN_STREAMED {
                std::ptr::copy_nonoverlapping(src, dst, len);
            } else {
                self.copy_long(dst, src, len);
            }
        }
    }

    unsafe fn copy_long(&self, dst: *mut u8, src: *const u8, len: usize) {
        // SAFETY: `copy` passes on its contract: both are valid for `len` bytes and do not overlap. `len` is at least
        // SHORT.
        unsafe {
            match (self.is_time(), self.streaming.get()) {
                (true, false) => self.copy_timed(dst, src, len),
                (true, true) => {
                    self.copy_timed(dst, src, MIN_STREAMED);
                    copy_past_caches(
                        dst.add(MIN_STREAMED),
                        src.add(MIN_STREAMED),
                        len - MIN_STREAMED,
                    );
                }
                (false, false) => std::ptr::copy_nonoverlapping(src, dst, len),
                (false, true) => copy_past_caches(dst, src, len),
            }
        }
    }

    /// Whether this write is to be timed.
    fn is_time(&self) -> bool {
        let left = self.until_check.get();
        self.until_check.set(left.saturating_sub(1));
        left == 0
    }

    /// Copies through the cache and decides how the next writes are made. Contract as that of [`Stores::copy`].
    unsafe fn copy_timed(&self, dst: *mut u8, src: *const u8, len: usize) {
        let start = Instant::now();
        // SAFETY: both are valid for `len` bytes and do not overlap (contract of `copy`).
        unsafe { std::ptr::copy_nonoverlapping(src, dst, len) };
        // The time until the lines have arrived, not until the stores are queued.
        fence(Ordering::SeqCst);
        let streaming = start.elapsed().as_nanos() * SLOW > len as u128;
        self.streaming.set(streaming);
        self.until_check.set(CHECK[usize::from(streaming)]);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn both_ways_copy_everything() {
        let source: Vec<u8> = (0..20_000u32).map(|i| (i * 7 / 3) as u8).collect();
        for len in [0, 1, 63, 64, 65, MIN_STREAMED - 1, MIN_STREAMED, MIN_STREAMED + 1, 10_001] {
            for offset in [0, 1, 31, 64] {
                for streaming in [false, true] {
                    for until_check in [0, 1] {
                        let stores = Stores::new();
                        stores.streaming.set(streaming);
                        stores.until_check.set(until_check);
                        let mut target = vec![0; 20_000];
                        // SAFETY: in bounds of both vectors.
                        unsafe {
                            stores.copy(target[offset..].as_mut_ptr(), source.as_ptr(), len);
                        }
                        assert_eq!(target[offset..offset + len], source[..len]);
                        assert!(
                            target[..offset].iter().chain(&target[offset + len..]).all(|&b| b == 0)
                        );
                    }
                }
            }
        }
    }
}
