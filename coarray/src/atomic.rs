//! Atomic subroutines (Fortran 2018, 16.5) on words of 4 and 8 bytes.
//!
//! On the host of the target they are CPU atomics, so that accesses from everywhere are coherent.

use crate::Location;
use xmp_core::transport::{
    AtomicOp, AtomicRequest, FlushScope, Width, compare_swap_word, fetch_word,
};
use xmp_core::{Image, Result};

/// Executes `op` and returns the former value (zero-extended). ATOMIC_DEFINE is [`AtomicOp::Swap`],
/// ATOMIC_REF [`AtomicOp::Load`].
///
/// # Errors
/// When the target cannot be reached.
///
/// # Safety
/// `at` is an aligned word of `width` in allocated memory of its segment; conflicting accesses are atomic.
#[inline]
pub unsafe fn fetch(
    image: &Image,
    op: AtomicOp,
    at: Location,
    width: Width,
    operand: u64,
) -> Result<u64> {
    if op != AtomicOp::Load {
        complete_ordered(image, at)?;
    }
    // SAFETY: an aligned, allocated word of `width`, whose conflicting accesses are atomic.
    unsafe {
        match image.local_address(at.rank, at.offset) {
            Some(address) => Ok(fetch_word(op, address, width, operand)),
            None => {
                let request = AtomicRequest::Fetch(op, operand);
                image.transport().atomic(at.rank, at.offset, width, request)
            }
        }
    }
}

/// Stores `desired` if the word is `expected`; returns its former value (ATOMIC_CAS).
///
/// # Errors
/// When the target cannot be reached.
///
/// # Safety
/// The conditions of [`fetch`].
#[inline]
pub unsafe fn compare_swap(
    image: &Image,
    at: Location,
    width: Width,
    expected: u64,
    desired: u64,
) -> Result<u64> {
    complete_ordered(image, at)?;
    // SAFETY: the conditions of this function.
    unsafe { compare_swap_only(image, at, width, expected, desired) }
}

/// The same for a word that orders no segments by this operation: puts may be incomplete after it.
///
/// # Errors
/// When the target cannot be reached.
///
/// # Safety
/// The conditions of [`fetch`].
#[inline]
pub(crate) unsafe fn compare_swap_only(
    image: &Image,
    at: Location,
    width: Width,
    expected: u64,
    desired: u64,
) -> Result<u64> {
    // SAFETY: an aligned, allocated word of `width`, whose conflicting accesses are atomic.
    unsafe {
        match image.local_address(at.rank, at.offset) {
            Some(address) => Ok(compare_swap_word(address, width, expected, desired)),
            None => {
                let request = AtomicRequest::CompareSwap { expected, desired };
                image.transport().atomic(at.rank, at.offset, width, request)
            }
        }
    }
}

/// Replaces the word by `next` of it; returns its former value (zero-extended). `next` is called again when another image has
/// changed the word meanwhile.
///
/// # Errors
/// When the target cannot be reached.
///
/// # Safety
/// The conditions of [`fetch`].
pub unsafe fn update(
    image: &Image,
    at: Location,
    width: Width,
    next: impl Fn(u64) -> u64,
) -> Result<u64> {
    // SAFETY: the conditions of this function.
    unsafe {
        let mut old = fetch(image, AtomicOp::Load, at, width, 0)?;
        loop {
            let found = compare_swap(image, at, width, old, next(old))?;
            if found == old {
                return Ok(old);
            }
            old = found;
        }
    }
}

/// Before an atomic operation that changes a word: completes puts that it may order. After an image control statement, which
/// includes the effect of SYNC MEMORY, it may order segments (Fortran 2018, 11.6.1 and 11.6.5).
#[inline(always)]
fn complete_ordered(image: &Image, at: Location) -> Result<()> {
    if image.one_host() { Ok(()) } else { image.transport().flush(FlushScope::Ordered(at.rank)) }
}
