//! Memory for work blocks, which outlasts an operation: fresh memory costs a page fault every 4 KiB.

use std::cell::Cell;

/// Most bytes that an image keeps between operations.
const KEPT: usize = 8 << 20;

thread_local! {
    /// The memory of the last operation of this image.
    static SPARE: Cell<Vec<u128>> = const { Cell::new(Vec::new()) };
}

/// Calls `body` with `len` bytes of any content, aligned for any element.
pub fn with<R>(len: usize, body: impl FnOnce(&mut [u8]) -> R) -> R {
    if len == 0 {
        return body(&mut []);
    }
    // An operation within `body`, which a user's reduction may execute, finds nothing here and allocates its own.
    let mut memory = SPARE.take();
    let units = len.div_ceil(size_of::<u128>());
    if memory.len() < units {
        memory = vec![0; units];
    }
    // SAFETY: `units` numbers are initialised and have `len` bytes at least.
    let bytes = unsafe { std::slice::from_raw_parts_mut(memory.as_mut_ptr().cast(), len) };
    let result = body(bytes);
    if memory.len() * size_of::<u128>() <= KEPT {
        SPARE.set(memory);
    }
    result
}

#[cfg(test)]
mod tests {
    #[test]
    fn memory_is_aligned_and_used_again() {
        let first = super::with(100, |bytes| bytes.as_ptr().addr());
        let second = super::with(10, |bytes| {
            let start = bytes.as_ptr().addr();
            assert_ne!(super::with(10, |inner| inner.as_ptr().addr()), start);
            start
        });
        assert_eq!((first % 16, second % 16), (0, 0));
        super::with(0, |bytes| assert!(bytes.is_empty()));
    }
}
