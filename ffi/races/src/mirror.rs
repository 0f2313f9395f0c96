//! Memory of this process at a distance of the memory that images share, which is the same for all addresses: copies of variables.

use crate::filter::shared;
use std::ops::Range;
use std::ptr;

/// Addresses for copies of all memory that images share. A copy takes memory when it is stored.
pub struct Mirror {
    start: usize,
    shared: Range<usize>,
    /// The last pages that copies may be in.
    pages: Range<usize>,
}

impl Mirror {
    /// One without copies; `None` if the system has no addresses.
    pub fn new() -> Option<Mirror> {
        let shared = shared();
        // SAFETY: new addresses, which nothing may access yet.
        let start = unsafe {
            libc::mmap(
                ptr::null_mut(),
                shared.len(),
                libc::PROT_NONE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        (start != libc::MAP_FAILED).then(|| Mirror {
            start: start.expose_provenance(),
            shared,
            pages: 0..0,
        })
    }

    /// The address of the copy of what is at an address of memory that images share.
    pub fn of(&self, address: usize) -> usize {
        self.start + (address - self.shared.start)
    }

    /// Stores the copy of bytes that begin at this address of memory that images share.
    pub fn store(&mut self, address: usize, bytes: &[u8]) {
        const PAGE: usize = 4096;
        let start = self.of(address);
        let end = (start + bytes.len()).next_multiple_of(PAGE);
        let pages = start / PAGE * PAGE..end;
        if !(self.pages.start <= pages.start && pages.end <= self.pages.end) {
            let protection = libc::PROT_READ | libc::PROT_WRITE;
            let first = ptr::with_exposed_provenance_mut(pages.start);
            // SAFETY: pages of the mapping, which is of this object alone.
            let permitted = unsafe { libc::mprotect(first, pages.len(), protection) };
            assert_eq!(permitted, 0, "no memory for copies of the variables of a namelist");
            self.pages = pages;
        }
        let copy = ptr::with_exposed_provenance_mut::<u8>(start);
        // SAFETY: pages of the mapping that may be written.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), copy, bytes.len()) };
    }
}

impl Drop for Mirror {
    fn drop(&mut self) {
        // SAFETY: the mapping of this object, which nothing uses any more.
        unsafe { libc::munmap(ptr::with_exposed_provenance_mut(self.start), self.shared.len()) };
    }
}
