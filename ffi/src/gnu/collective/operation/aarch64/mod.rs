//! The AAPCS64, 6.8 and 6.9.

mod call;
mod layout;

use super::pair::{Operation, in_registers, on_elements, value};
use call::{Registers, call};
use layout::{LARGEST_HOMOGENEOUS, Layout, Parts};
use std::ffi::c_void;
use xmp_core::Result;

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
        let layout = match Layout::by_length(len) {
            Some(layout) => layout,
            None => in_registers(op, len, LARGEST_HOMOGENEOUS, |all| Layout::of(all, len))?,
        };
        Ok(match layout {
            Layout::Memory => in_memory(op, len, by_value),
            Layout::Parts(parts) => in_parts(op, len, by_value, parts),
        })
    }
}

/// An operation on real(16), the only real of 16 bytes.
///
/// # Safety
/// `op` is a function of two such elements that gfortran compiled.
pub unsafe fn wide_real(op: *const c_void, by_value: bool) -> Operation {
    // SAFETY: `op` is such a function. A number is passed as a structure that consists of it.
    unsafe { in_parts(op, 16, by_value, Parts::Homogeneous { count: 1, size: 16 }) }
}

/// An operation on complex(16).
///
/// # Safety
/// `op` is a function of two such elements that gfortran compiled.
pub unsafe fn wide_complex(op: *const c_void, by_value: bool) -> Operation {
    // SAFETY: `op` is such a function. A complex number is passed as a structure of its two parts.
    unsafe { in_parts(op, 32, by_value, Parts::Homogeneous { count: 2, size: 16 }) }
}

/// # Safety
/// `op` is a function of two elements of `len` bytes, at most 64, that gfortran compiled; it returns one in these registers.
unsafe fn in_parts(op: *const c_void, len: usize, by_value: bool, parts: Parts) -> Operation {
    on_elements(len, move |acc, x| {
        let operands: [[u128; 4]; 2] = [value(acc), value(x)];
        let mut registers = Registers::default();
        if by_value {
            parts.pass(len, &operands, &mut registers);
        } else {
            registers.integers[..2].copy_from_slice(&operands.each_ref().map(address));
        }
        // SAFETY: `op` takes two elements of `len` bytes from these registers.
        unsafe { call(op, &mut registers) };
        acc.copy_from_slice(&bytemuck::bytes_of(&parts.result(&registers))[..len]);
    })
}

/// # Safety
/// `op` is a function of two structures of `len` bytes that gfortran compiled, and returns one in memory.
unsafe fn in_memory(op: *const c_void, len: usize, by_value: bool) -> Operation {
    on_elements(len, move |acc, x| {
        // Structures by value are copies, whose addresses are passed, and which belong to the function.
        let copies = by_value.then(|| [&*acc, x].map(copy));
        let operands = match &copies {
            Some(copies) => copies.each_ref().map(|copy| copy.as_ptr().cast()),
            None => [acc.as_ptr(), x.as_ptr()],
        };
        let mut result = vec![0u128; len.div_ceil(16)];
        let place = result.as_mut_ptr().expose_provenance() as u64;
        let mut registers = Registers { place, ..Registers::default() };
        registers.integers[..2].copy_from_slice(
            &operands.map(|operand: *const u8| operand.expose_provenance() as u64),
        );
        // SAFETY: `op` takes two elements from these addresses. It writes `len` bytes to the place of the result, which has room for
        // them and is aligned for any type.
        unsafe { call(op, &mut registers) };
        acc.copy_from_slice(&bytemuck::cast_slice(&result)[..len]);
    })
}

/// A copy of an element, aligned for any type.
fn copy(element: &[u8]) -> Vec<u128> {
    let mut copy = vec![0u128; element.len().div_ceil(16)];
    bytemuck::cast_slice_mut(&mut copy)[..element.len()].copy_from_slice(element);
    copy
}

fn address(operand: &[u128; 4]) -> u64 {
    operand.as_ptr().expose_provenance() as u64
}
