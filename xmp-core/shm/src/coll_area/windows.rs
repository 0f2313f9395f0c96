//! Memory for a member's staging, requested in windows of several pages.

use std::cell::Cell;
use std::ops::Range;

/// Length of a window: what a reader's page fault maps at once where the pages exist (Linux's `fault_around_bytes`, its
/// default). Windows begin at multiples of it.
pub const WINDOW: usize = 64 * 1024;

/// Windows of a buffer that is requested at once.
const FEW_WINDOWS: usize = 2;

/// The windows of a buffer that its member has requested memory for.
///
/// Places of staging advance, so that each is a new one at first. Page by page, its member and
/// each reader would take a fault for it. On a virtual machine a fault costs 1 to 2 us, and 8 images that sum up 4 KiB
/// take 64 of them in an epoch (measured: 74 us a sum instead of 15). When the member requests all pages of a window
/// at once, that is one system call, and one fault of each reader.
#[derive(Debug, Default)]
pub struct Windows {
    /// A bit for each window that was requested: buffers have no more than [`MAX_WINDOWS`].
    requested: Cell<u64>,
}

/// Windows that a buffer may have.
pub const MAX_WINDOWS: usize = u64::BITS as usize;

impl Windows {
    /// Called before `len` bytes at offset `at` of the buffer are written, which has `buffer` bytes and begins at `start`, with a
    /// window. Requests the memory of the windows that were not requested yet.
    #[inline]
    pub fn reach(&self, at: usize, start: *mut u8, len: usize, buffer: usize) {
        debug_assert!(start.addr().is_multiple_of(WINDOW) && buffer <= MAX_WINDOWS * WINDOW);
        let (first, last) = (at / WINDOW, (at + len - 1) / WINDOW);
        let requested = self.requested.get();
        // Places that are longer than a window begin with one.
        if requested >> first & requested >> last & 1 == 0 {
            self.request(first..last + 1, start, buffer);
        }
    }

    #[cold]
    fn request(&self, windows: Range<usize>, start: *mut u8, buffer: usize) {
        let is_small = buffer <= FEW_WINDOWS * WINDOW;
        let windows = if is_small { 0..buffer.div_ceil(WINDOW) } else { windows };
        for window in windows {
            let bit = 1 << window;
            if self.requested.get() & bit == 0 {
                self.requested.set(self.requested.get() | bit);
                let at = window * WINDOW;
                populate(start.wrapping_add(at), WINDOW.min(buffer - at));
            }
        }
    }
}

/// Gives all pages of this range memory.
fn populate(start: *mut u8, len: usize) {
    // SAFETY: the range is part of this member's staging, mapped and writable, and giving pages memory changes no byte
    // of them. If the call fails (an older kernel, no memory), page faults do it later.
    unsafe { libc::madvise(start.cast(), len, libc::MADV_POPULATE_WRITE) };
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::region::page_size;

    /// The part of a range that is in memory, in bytes.
    fn resident(start: *mut u8, len: usize) -> usize {
        let mut pages = vec![0u8; len.div_ceil(page_size())];
        // SAFETY: the range is mapped, and there is a byte for each page.
        let done = unsafe { libc::mincore(start.cast(), len, pages.as_mut_ptr()) };
        assert_eq!(done, 0);
        pages.iter().filter(|&&page| page & 1 != 0).count() * page_size()
    }

    /// Memory that begins with a window, as the buffers of an area do.
    fn buffer(region: &crate::region::Region) -> *mut u8 {
        let start = region.start();
        start.wrapping_add(start.addr().next_multiple_of(WINDOW) - start.addr())
    }

    #[test]
    fn windows_are_requested_once_in_any_order_and_end_with_the_buffer() {
        let region = crate::region::Region::anonymous(6 * WINDOW as u64).unwrap();
        let (start, len) = (buffer(&region), 4 * WINDOW - page_size());
        let windows = Windows::default();
        let reach = |at: usize, bytes| {
            windows.reach(at, start, bytes, len);
            resident(start, 5 * WINDOW)
        };
        assert_eq!(reach(2 * WINDOW + 4096, 100), WINDOW);
        assert_eq!(reach(3 * WINDOW - 100, 100), WINDOW);
        assert_eq!(reach(0, 2 * WINDOW), 3 * WINDOW);
        assert_eq!(reach(4096, WINDOW), 3 * WINDOW);
        assert_eq!(reach(len - 1, 1), len);
    }

    #[test]
    fn short_buffers_are_requested_at_once() {
        let region = crate::region::Region::anonymous(4 * WINDOW as u64).unwrap();
        let (start, len) = (buffer(&region), FEW_WINDOWS * WINDOW);
        Windows::default().reach(4096, start, 100, len);
        assert_eq!(resident(start, len + page_size()), len);
    }
}
