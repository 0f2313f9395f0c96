//! Memory for work blocks, which outlasts an operation: fresh memory would cost a page fault every 4 KiB.

use std::cell::Cell;

/// Bytes that an image keeps between operations at most.
const KEPT: usize = 8 << 20;

thread_local! {
    /// What the last operation of this image left.
    static SPARE: Cell<Vec<u128>> = const { Cell::new(Vec::new()) };
}

/// Calls `body` with memory of at least `bytes` bytes with any content, aligned for any element.
pub fn with<R>(bytes: usize, body: impl FnOnce(*mut u8) -> R) -> R {
    if bytes == 0 {
        return body(std::ptr::NonNull::<u128>::dangling().as_ptr().cast());
    }
    // An operation within `body` (of a user's reduction) finds nothing here, and so has memory of its own.
    let mut memory = SPARE.take();
    let units = bytes.div_ceil(16);
    if memory.len() < units {
        memory = vec![0; units];
    }
    let result = body(memory.as_mut_ptr().cast());
    if memory.len() * 16 <= KEPT {
        SPARE.set(memory);
    }
    result
}

#[cfg(test)]
mod tests {
    #[test]
    fn memory_is_aligned_and_used_again() {
        let first = super::with(100, |start| start.addr());
        let second = super::with(10, |start| {
            assert_ne!(super::with(10, |inner| inner.addr()), start.addr());
            start.addr()
        });
        assert_eq!((first % 16, second % 16), (0, 0));
        super::with(0, |_| ());
    }
}
