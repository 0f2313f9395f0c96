//! Atomic operations executed by this CPU on a mapped word.

use super::{AtomicOp, AtomicRequest, Width};
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicU32, AtomicU64};

/// Sequentially consistent throughout: Fortran promises no order at all for atomics, but programs wait on flags, and on
/// x86 the stronger order costs nothing for a read-modify-write or a load.
macro_rules! execute {
    ($word:expr, $op:expr, $operand:expr) => {{
        let (word, operand) = ($word, $operand);
        match $op {
            AtomicOp::Load => word.load(SeqCst),
            AtomicOp::Swap => word.swap(operand, SeqCst),
            AtomicOp::Add => word.fetch_add(operand, SeqCst),
            AtomicOp::And => word.fetch_and(operand, SeqCst),
            AtomicOp::Or => word.fetch_or(operand, SeqCst),
            AtomicOp::Xor => word.fetch_xor(operand, SeqCst),
        }
    }};
}

/// Executes `op` on the word at `address`; returns its former value, zero-extended.
///
/// # Safety
/// The address is mapped and aligned for `width`, and conflicting accesses to the word are atomic.
#[inline(always)]
pub unsafe fn fetch_word(op: AtomicOp, address: *mut u8, width: Width, operand: u64) -> u64 {
    // SAFETY: the address is mapped and aligned for `width` (contract of this function).
    unsafe {
        match width {
            Width::W4 => u64::from(execute!(&*address.cast::<AtomicU32>(), op, operand as u32)),
            Width::W8 => execute!(&*address.cast::<AtomicU64>(), op, operand),
        }
    }
}

/// Stores `desired` into the word at `address` if it is `expected`; returns its former value, zero-extended.
///
/// # Safety
/// The address is mapped and aligned for `width`, and conflicting accesses to the word are atomic.
#[inline(always)]
pub unsafe fn compare_swap_word(
    address: *mut u8,
    width: Width,
    expected: u64,
    desired: u64,
) -> u64 {
    // SAFETY: the address is mapped and aligned for `width` (contract of this function).
    unsafe {
        match width {
            Width::W4 => {
                let word = &*address.cast::<AtomicU32>();
                let outcome =
                    word.compare_exchange(expected as u32, desired as u32, SeqCst, SeqCst);
                u64::from(outcome.unwrap_or_else(|old| old))
            }
            Width::W8 => {
                let word = &*address.cast::<AtomicU64>();
                word.compare_exchange(expected, desired, SeqCst, SeqCst).unwrap_or_else(|old| old)
            }
        }
    }
}

/// Replaces the word at `address` by `next` of it; returns its former value, zero-extended. `next` is called again when another
/// thread has changed the word meanwhile.
///
/// # Safety
/// The address is mapped and aligned for `width`, and conflicting accesses to the word are atomic.
#[inline(always)]
pub unsafe fn update_word(address: *mut u8, width: Width, next: impl Fn(u64) -> u64) -> u64 {
    // SAFETY: the contract of this function.
    unsafe {
        let mut old = fetch_word(AtomicOp::Load, address, width, 0);
        loop {
            let found = compare_swap_word(address, width, old, next(old));
            if found == old {
                return old;
            }
            old = found;
        }
    }
}

impl AtomicRequest {
    /// Executes the operation on the word at `address`; returns its former value, zero-extended.
    ///
    /// # Safety
    /// The address is mapped and aligned for `width`, and conflicting accesses to the word are atomic.
    #[inline]
    pub unsafe fn execute(self, address: *mut u8, width: Width) -> u64 {
        // SAFETY: the address is mapped and aligned for `width` (contract of this function).
        unsafe {
            match self {
                AtomicRequest::Fetch(op, operand) => fetch_word(op, address, width, operand),
                AtomicRequest::CompareSwap { expected, desired } => {
                    compare_swap_word(address, width, expected, desired)
                }
            }
        }
    }
}
