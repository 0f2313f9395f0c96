//! The System V ABI of x86-64, 3.2.3.

mod call;
mod layout;

use super::pair::{self, Operation, in_registers, on_elements};
use call::{Registers, call};
use layout::Layout;
use std::cell::Cell;
use std::ffi::c_void;
use xmp_core::Result;

/// Structures of at most this many bytes are returned in registers, others through a hidden first argument.
const SMALL: usize = 16;

/// An operation on derived types.
///
/// # Errors
/// When nothing tells how such a structure is returned.
///
/// # Safety
/// `op` is a function of two structures of `len` bytes that gfortran compiled, and returns one.
pub unsafe fn structure(op: *const c_void, len: usize, by_value: bool) -> Result<Operation> {
    // SAFETY: `op` is such a function.
    unsafe {
        if len > SMALL {
            return Ok(large_structure(op, len, by_value));
        }
        let layout = in_registers(op, len, SMALL, |scalars| Layout::of(scalars, len))?;
        Ok(small_structure(op, len, by_value, layout))
    }
}

/// # Safety
/// `op` is a function of two structures of `len` bytes that gfortran compiled, and returns one in memory.
unsafe fn large_structure(op: *const c_void, len: usize, by_value: bool) -> Operation {
    on_elements(len, move |acc, x| {
        let mut result = vec![0u128; len.div_ceil(16)];
        let mut registers = Registers::default();
        let mut stack = vec![];
        registers.integers[0] = result.as_mut_ptr().expose_provenance() as u64;
        if by_value {
            // Each of them takes whole words there.
            let operands = [&*acc, x].into_iter();
            stack.extend(
                operands.flat_map(|operand| operand.chunks(8)).map(|word| value(word) as u64),
            );
        } else {
            registers.integers[1] = acc.as_ptr().expose_provenance() as u64;
            registers.integers[2] = x.as_ptr().expose_provenance() as u64;
        }
        // SAFETY: `op` takes two elements from these registers and this stack. It returns `len` bytes at its first
        // argument, `result`, which has room for them and is aligned for any type.
        unsafe { call(op, &mut registers, &stack) };
        for (place, part) in acc.chunks_mut(16).zip(result) {
            place.copy_from_slice(&part.to_ne_bytes()[..place.len()]);
        }
    })
}

/// # Safety
/// `op` is a function of two structures of `len` bytes, at most 16, that gfortran compiled; it returns one as
/// `layout` says.
unsafe fn small_structure(
    op: *const c_void,
    len: usize,
    by_value: bool,
    layout: Layout,
) -> Operation {
    on_elements(len, move |acc, x| {
        let operands = [value(acc), value(x)];
        let mut registers = Registers::default();
        let mut stack = vec![];
        if by_value {
            stack = layout.pass(len, operands, &mut registers);
        } else {
            registers.integers[..2].copy_from_slice(&addresses(&operands));
        }
        // SAFETY: `op` takes two elements of `len` bytes from these registers and this stack.
        unsafe { call(op, &mut registers, &stack) };
        acc.copy_from_slice(&layout.result(&registers).to_ne_bytes()[..len]);
    })
}

/// An operation on real(10) or real(16), which the descriptor does not tell apart: the one comes back on the x87 stack,
/// the other does not. As values the one goes on the stack, the other in vector registers, so both places have them.
///
/// # Safety
/// `op` is a function of two such elements that gfortran compiled.
pub unsafe fn wide_real(op: *const c_void, by_value: bool) -> Operation {
    on_elements(16, move |acc, x| {
        let operands = [value(acc), value(x)];
        let mut registers = Registers::default();
        let mut stack = vec![];
        if by_value {
            registers.vectors[..2].copy_from_slice(&operands);
            stack.extend(operands.into_iter().flat_map(words));
        } else {
            registers.integers[..2].copy_from_slice(&addresses(&operands));
        }
        // SAFETY: `op` takes two elements of 16 bytes from these registers and this stack.
        unsafe { call(op, &mut registers, &stack) };
        let result = match registers.x87_count {
            0 => registers.vector_results[0],
            _ => registers.x87_results[0],
        };
        acc.copy_from_slice(&result.to_ne_bytes());
    })
}

/// An operation on complex(10) or complex(16): the one comes back on the x87 stack, the other in memory, to
/// which a hidden first argument points. Until the kind is known, the addresses suit both: the second operand is the
/// third argument, too, and the first operand is a copy that may be overwritten.
///
/// # Safety
/// `op` is a function of two such elements that gfortran compiled.
pub unsafe fn wide_complex(op: *const c_void, by_value: bool) -> Operation {
    let in_memory = Cell::new(None);
    on_elements(32, move |acc, x| {
        let parts = |element: &[u8]| [value(&element[..16]), value(&element[16..])];
        let (a, b) = (parts(acc), parts(x));
        let result = loop {
            let (mut first, mut result) = (a, [0; 2]);
            let mut registers = Registers::default();
            let mut stack = vec![];
            let place = (&raw mut result).expose_provenance() as u64;
            if by_value {
                registers.integers[0] = place;
                stack.extend([a, b].into_iter().flatten().flat_map(words));
            } else {
                let (first, second) = (
                    (&raw mut first).expose_provenance() as u64,
                    (&raw const b).expose_provenance() as u64,
                );
                registers.integers[..3].copy_from_slice(&match in_memory.get() {
                    Some(true) => [place, first, second],
                    _ => [first, second, second],
                });
            }
            // SAFETY: `op` takes two elements of 32 bytes from there. They, and the place of the result, are aligned
            // for any type.
            unsafe { call(op, &mut registers, &stack) };
            if registers.x87_count > 0 {
                break registers.x87_results;
            }
            if by_value || in_memory.replace(Some(true)).is_some() {
                break result;
            }
        };
        acc[..16].copy_from_slice(&result[0].to_ne_bytes());
        acc[16..].copy_from_slice(&result[1].to_ne_bytes());
    })
}

/// An element of at most 16 bytes, which are first.
fn value(element: &[u8]) -> u128 {
    let [value] = pair::value(element);
    value
}

/// The words of a value on the stack.
fn words(value: u128) -> [u64; 2] {
    [value as u64, (value >> 64) as u64]
}

fn addresses(operands: &[u128; 2]) -> [u64; 2] {
    operands.each_ref().map(|operand| std::ptr::from_ref(operand).expose_provenance() as u64)
}
