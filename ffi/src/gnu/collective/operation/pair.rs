//! An operation of the user, and the bytes of its operands.

use crate::gnu::debug::{self, Scalars};
use crate::process::instance;
use std::ffi::c_void;
use std::slice::{from_raw_parts, from_raw_parts_mut};
use xmp_collectives::Reduction;
use xmp_collectives::reduction::{UserFn, UserLoop};
use xmp_core::counted::counted;
use xmp_core::{Error, Result};

/// The user's operation.
pub enum Operation {
    /// On two elements: `f(acc, x)` stores the combination in `acc`.
    Pair(Box<UserFn<'static>>),
    /// On as many elements as there are.
    Loop(Box<UserLoop<'static>>),
}

impl Operation {
    /// The reduction of elements of `len` bytes.
    pub fn reduction(&self, len: usize) -> Reduction<'_> {
        match self {
            Operation::Pair(combine) => Reduction::user(len, combine),
            Operation::Loop(combine) => Reduction::user_loop(len, combine),
        }
    }
}

/// A combination of two elements of `len` bytes.
pub fn on_elements(len: usize, combine: impl Fn(&mut [u8], &[u8]) + 'static) -> Operation {
    Operation::Pair(Box::new(move |acc, x| {
        // SAFETY: reductions pass two elements of `len` bytes that do not overlap, and nothing else accesses them
        // meanwhile.
        let (acc, x) = unsafe { (from_raw_parts_mut(acc, len), from_raw_parts(x, len)) };
        combine(acc, x);
    }))
}

/// The scalars of the structure of `len` bytes that `op` returns, as the debugging information of the program says. Longer
/// structures than `needed` bytes are returned in memory, whatever they consist of.
///
/// # Errors
/// When the program does not say.
///
/// # Safety
/// `op` is the address of a function.
pub unsafe fn in_registers<T>(
    op: *const c_void,
    len: usize,
    needed: usize,
    layout: impl FnOnce(&Scalars) -> Option<T>,
) -> Result<T> {
    // SAFETY: `op` is the address of a function.
    let declared = unsafe { debug::returned_by(instance(), op) };
    declared.and_then(|scalars| layout(&scalars)).ok_or_else(|| {
        Error::Invalid(format!(
            "how the operation returns a derived type of {} is not known: compile the file that has it with -g, \
             or give the type more than {needed} bytes",
            counted(len, "byte")
        ))
    })
}

/// An element of at most `16 * N` bytes, which are first; aligned for any type.
pub fn value<const N: usize>(element: &[u8]) -> [u128; N] {
    let mut value = [0; N];
    for (place, part) in value.iter_mut().zip(element.chunks(16)) {
        let mut bytes = [0; 16];
        bytes[..part.len()].copy_from_slice(part);
        *place = u128::from_ne_bytes(bytes);
    }
    value
}
