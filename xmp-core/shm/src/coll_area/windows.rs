//! Memory for a member's staging, requested in windows of several pages.

use std::cell::Cell;

/// Length of a window: what a reader's page fault maps at once where the pages exist (Linux's `fault_around_bytes`, its
/// default). Windows begin at multiples of it.
pub const WINDOW: usize = 64 * 1024;

/// How much of a staging buffer its member has requested memory for.
///
/// Places of staging advance, so that each is a new one for the first hundreds of epochs. Page by page, its member and
/// each reader would take a fault for it. On a virtual machine a fault costs 1 to 2 us, and 8 images that sum up 4 KiB
/// take 64 of them in an epoch (measured: 74 us a sum in place of 15). When the member requests all pages of a window
/// at once, that is one system call, and one fault of each reader.
#[derive(Debug, Default)]
pub struct Windows {
    /// Bytes of the buffer that have been requested.
    done: Cell<usize>,
}

impl Windows {
    /// Called before `len` bytes at offset `at` of the buffer are written; `address` is that of the first of them.
    /// Requests the memory of the window if it was not requested yet.
    #[inline]
    pub fn reach(&self, at: usize, address: *mut u8, len: usize, buffer: usize) {
        if at + len > self.done.get() {
            self.ask(at, address, len, buffer);
        }
    }

    #[cold]
    fn ask(&self, at: usize, address: *mut u8, len: usize, buffer: usize) {
        // Up to a window's end, but not past the buffer.
        let past = (address.addr() + len).next_multiple_of(WINDOW) - address.addr();
        let end = (at + past).min(buffer);
        self.done.set(end);
        let from = address.addr() / PAGE * PAGE;
        populate(address.wrapping_sub(address.addr() - from), address.addr() + (end - at) - from);
    }
}

/// The smallest page of all processors; places begin at multiples of it or lie within one.
const PAGE: usize = 4096;

/// Gives all pages of this range memory.
fn populate(start: *mut u8, len: usize) {
    // SAFETY: the range is part of this member's staging, mapped and writable, and giving pages memory changes no byte
    // of them. If the call fails (an older kernel, no memory), page faults do it later.
    unsafe { libc::madvise(start.cast(), len, libc::MADV_POPULATE_WRITE) };
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// Pages of the range that are in memory.
    fn resident(start: *mut u8, len: usize) -> usize {
        let mut pages = vec![0u8; len.div_ceil(PAGE)];
        // SAFETY: the range is mapped, and there is a byte for each page.
        let done = unsafe { libc::mincore(start.cast(), len, pages.as_mut_ptr()) };
        assert_eq!(done, 0);
        pages.iter().filter(|&&page| page & 1 != 0).count()
    }

    #[test]
    fn windows_are_asked_for_once_and_end_with_the_buffer() {
        let region = crate::region::Region::anonymous(4 * WINDOW as u64).unwrap();
        // A page past the beginning of a window.
        let skip = region.start().addr().next_multiple_of(WINDOW) - region.start().addr() + PAGE;
        let (start, buffer) = (region.start().wrapping_add(skip), 2 * WINDOW);
        let windows = Windows::default();
        let reach = |at: usize, len| windows.reach(at, start.wrapping_add(at), len, buffer);
        reach(0, 100);
        let first = WINDOW / PAGE - 1;
        assert_eq!(resident(start, buffer), first);
        reach(2 * PAGE, PAGE);
        assert_eq!(resident(start, buffer), first);
        // The next window, and the rest of the buffer.
        reach(WINDOW - PAGE, 2 * PAGE);
        assert_eq!(resident(start, buffer), first + WINDOW / PAGE);
        reach(buffer - PAGE, PAGE);
        assert_eq!(resident(start, buffer), buffer / PAGE);
        assert_eq!(resident(start.wrapping_add(buffer), PAGE), 0);
        assert_eq!(windows.done.get(), buffer);
    }
}
