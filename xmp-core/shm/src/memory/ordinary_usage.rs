//! The part of a segment that ordinary memory takes.

use crate::region::PAGE;
use crate::sync::{AtomicU64, Ordering};
use std::cell::Cell;
use std::ops::Range;

/// Memory becomes a part of core dumps by pieces of this size: each piece costs a system call.
const DUMPED_BYTES: u64 = 16 << 20;

/// The ordinary memory of one image.
#[derive(Debug)]
pub(super) struct OrdinaryUsage {
    /// The offsets of the heap.
    heap: Range<u64>,
    /// Bytes in use.
    bytes: Cell<u64>,
    /// Offset in the segment from which on the heap is a part of core dumps.
    dumped: Cell<u64>,
    /// That offset, or the start of the heap, for any thread: all ordinary memory is above it.
    shared_start: AtomicU64,
    /// Bytes in use, for any thread.
    shared_bytes: AtomicU64,
}

impl OrdinaryUsage {
    /// None, in this heap.
    pub fn new(heap: Range<u64>) -> OrdinaryUsage {
        let end = heap.end.next_multiple_of(DUMPED_BYTES);
        OrdinaryUsage {
            heap,
            bytes: Cell::new(0),
            dumped: Cell::new(end),
            shared_start: AtomicU64::new(end),
            shared_bytes: AtomicU64::new(0),
        }
    }

    /// The offsets of the heap.
    pub fn heap(&self) -> &Range<u64> {
        &self.heap
    }

    /// Bytes in use.
    pub fn bytes(&self) -> u64 {
        self.bytes.get()
    }

    /// So many bytes more are in use.
    pub fn count(&self, bytes: i64) {
        self.bytes.set(self.bytes.get().wrapping_add_signed(bytes));
        self.shared_bytes.store(self.bytes.get(), Ordering::Relaxed);
    }

    /// There is ordinary memory from this offset on. Returns the pages that become a part of core dumps by that.
    pub fn extend_to(&self, offset: u64) -> Option<Range<u64>> {
        let end = self.dumped.get();
        if offset >= end {
            return None;
        }
        let start =
            (offset / DUMPED_BYTES * DUMPED_BYTES).max(self.heap.start.next_multiple_of(PAGE));
        self.dumped.set(start);
        self.shared_start.store(start, Ordering::Relaxed);
        Some(start..end.min(self.heap.end))
    }

    /// The offsets among which all ordinary memory is, if there is any. Any thread may ask.
    pub fn range(&self) -> Option<Range<u64>> {
        // Relaxed: for a thread that forks, which sees its own blocks, and those of others that it has synchronised with.
        let start = self.shared_start.load(Ordering::Relaxed);
        let bytes = self.shared_bytes.load(Ordering::Relaxed);
        (bytes > 0).then_some(start..self.heap.end)
    }
}
