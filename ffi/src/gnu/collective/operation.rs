//! CO_REDUCE: calling the user's operation as gfortran compiled it. (GNU-LIBCAF section 8)

use super::call::{Registers, call};
use super::layout::{Layout, layout};
use crate::gfortran_abi::{DType, basic};
use std::cell::Cell;
use std::ffi::{c_char, c_int, c_void};
use std::mem::transmute;
use xmp_core::{Error, Result};

/// The operation returns its result through a first argument, and takes character lengths last.
const BY_REFERENCE: c_int = 1;
/// The operation takes its arguments by value.
const ARGUMENTS_BY_VALUE: c_int = 4;

/// A combination of two elements: `f(acc, x)` stores it in `acc`.
pub type Combine = Box<dyn Fn(*mut u8, *const u8)>;

#[repr(C)]
#[derive(Clone, Copy)]
struct Complex<T> {
    re: T,
    im: T,
}

/// The user's operation on elements of this type.
///
/// # Errors
/// Types whose result cannot be received from here.
///
/// # Safety
/// `op` is the address of a pure function of two such elements that gfortran compiled, called as `flags`
/// say.
pub unsafe fn operation(op: *const c_void, flags: c_int, dtype: &DType) -> Result<Combine> {
    let len = dtype.elem_len;
    let by_value = flags & ARGUMENTS_BY_VALUE != 0;
    // SAFETY: `op` is a function of two such elements. A complex number and a C structure of two reals are passed
    // alike.
    unsafe {
        Ok(match (dtype.basic, len) {
            (basic::CHARACTER, _) if flags & BY_REFERENCE != 0 => character(op, len),
            (basic::INTEGER | basic::LOGICAL, 1) => typed::<u8>(op, flags),
            (basic::INTEGER | basic::LOGICAL, 2) => typed::<u16>(op, flags),
            (basic::INTEGER | basic::LOGICAL, 4) => typed::<u32>(op, flags),
            (basic::INTEGER | basic::LOGICAL, 8) => typed::<u64>(op, flags),
            (basic::INTEGER | basic::LOGICAL, 16) => typed::<u128>(op, flags),
            (basic::REAL, 4) => typed::<f32>(op, flags),
            (basic::REAL, 8) => typed::<f64>(op, flags),
            (basic::COMPLEX, 8) => typed::<Complex<f32>>(op, flags),
            (basic::COMPLEX, 16) => typed::<Complex<f64>>(op, flags),
            (basic::REAL, 16) => wide_real(op, by_value),
            (basic::COMPLEX, 32) => wide_complex(op, by_value),
            (basic::REAL | basic::COMPLEX | basic::CHARACTER, _) => return Err(unsupported(dtype)),
            // A structure of more than 16 bytes is returned through a hidden first argument.
            (_, 17..) => structure(op, len, by_value),
            (_, 1..) => small_structure(op, len, by_value, layout(op, len)?),
            _ => return Err(unsupported(dtype)),
        })
    }
}

fn unsupported(dtype: &DType) -> Error {
    Error::Invalid(format!(
        "there are no operations on elements of type {} and {} bytes",
        dtype.basic, dtype.elem_len
    ))
}

/// # Safety
/// `op` is a function of two elements that gfortran compiled. It takes and returns `T` by C's rules, as `flags` say.
unsafe fn typed<T: Copy + 'static>(op: *const c_void, flags: c_int) -> Combine {
    type ByAddress<T> = unsafe extern "C" fn(*const T, *const T) -> T;
    type ByValue<T> = unsafe extern "C" fn(T, T) -> T;
    // SAFETY: `op` takes and returns `T` by C's rules. Elements are read and written unaligned, and handed over
    // aligned.
    unsafe {
        if flags & ARGUMENTS_BY_VALUE != 0 {
            let f = transmute::<*const c_void, ByValue<T>>(op);
            return Box::new(move |acc, x| {
                let acc = acc.cast::<T>();
                acc.write_unaligned(f(acc.read_unaligned(), x.cast::<T>().read_unaligned()));
            });
        }
        let f = transmute::<*const c_void, ByAddress<T>>(op);
        Box::new(move |acc, x| {
            let (left, right) = (acc.cast::<T>().read_unaligned(), x.cast::<T>().read_unaligned());
            acc.cast::<T>().write_unaligned(f(&left, &right));
        })
    }
}

/// # Safety
/// `op` is a function of two texts of `len` characters that gfortran compiled, and returns such a text.
unsafe fn character(op: *const c_void, len: usize) -> Combine {
    type Characters =
        unsafe extern "C" fn(*mut c_char, usize, *const c_char, *const c_char, usize, usize);
    // SAFETY: `op` returns a text of `len` characters. Its result has a place of its own, because it may not be an
    // argument.
    unsafe {
        let f = transmute::<*const c_void, Characters>(op);
        Box::new(move |acc, x| {
            let mut result = vec![0u8; len];
            f(result.as_mut_ptr().cast(), len, acc.cast_const().cast(), x.cast(), len, len);
            std::ptr::copy_nonoverlapping(result.as_ptr(), acc, len);
        })
    }
}

/// # Safety
/// `op` is a function of two structures of `len` bytes that gfortran compiled, and returns one in memory.
unsafe fn structure(op: *const c_void, len: usize, by_value: bool) -> Combine {
    Box::new(move |acc, x| {
        let mut result = vec![0u128; len.div_ceil(16)];
        let mut registers = Registers::default();
        let mut stack = vec![];
        registers.integers[0] = result.as_mut_ptr().expose_provenance() as u64;
        if by_value {
            // Each of them takes whole words there.
            let words = len.div_ceil(8);
            stack.resize(2 * words, 0u64);
            for (operand, place) in [acc.cast_const(), x].into_iter().zip(stack.chunks_mut(words)) {
                // SAFETY: an operand and its place.
                unsafe { std::ptr::copy_nonoverlapping(operand, place.as_mut_ptr().cast(), len) };
            }
        } else {
            registers.integers[1..3]
                .copy_from_slice(&[acc.expose_provenance() as u64, x.expose_provenance() as u64]);
        }
        // SAFETY: `op` returns `len` bytes at its first argument, `result`, which has room for them and is aligned for
        // any type.
        unsafe {
            call(op, &mut registers, &stack);
            std::ptr::copy_nonoverlapping(result.as_ptr().cast::<u8>(), acc, len);
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
) -> Combine {
    Box::new(move |acc, x| {
        // SAFETY: elements are read and written as they lie, and handed over aligned.
        let operands = unsafe { [read(acc, len), read(x, len)] };
        let mut registers = Registers::default();
        let mut stack = vec![];
        if by_value {
            stack = layout.pass(len, operands, &mut registers);
        } else {
            registers.integers[..2].copy_from_slice(&addresses(&operands));
        }
        // SAFETY: `op` takes two elements of `len` bytes from these registers and this stack.
        unsafe { call(op, &mut registers, &stack) };
        let result = layout.result(&registers).to_ne_bytes();
        // SAFETY: the element has `len` bytes.
        unsafe { std::ptr::copy_nonoverlapping(result.as_ptr(), acc, len) };
    })
}

/// An operation on real(10) or real(16), which the descriptor does not tell apart: the one comes back on the x87 stack,
/// the other does not. As values the one goes on the stack, the other in vector registers, so both places have them.
///
/// # Safety
/// `op` is a function of two such elements that gfortran compiled.
unsafe fn wide_real(op: *const c_void, by_value: bool) -> Combine {
    Box::new(move |acc, x| {
        // SAFETY: both elements have 16 bytes.
        let operands = unsafe { [read(acc, 16), read(x, 16)] };
        let mut registers = Registers::default();
        let mut stack = vec![];
        if by_value {
            registers.vectors[..2].copy_from_slice(&operands);
            let words = |value: &u128| [*value as u64, (value >> 64) as u64];
            stack.extend(operands.iter().flat_map(words));
        } else {
            registers.integers[..2].copy_from_slice(&addresses(&operands));
        }
        // SAFETY: `op` takes two elements of 16 bytes from these registers and this stack.
        unsafe { call(op, &mut registers, &stack) };
        let result = match registers.x87_count {
            0 => registers.vector_results[0],
            _ => registers.x87_results[0],
        };
        // SAFETY: the element has 16 bytes.
        unsafe { acc.cast::<u128>().write_unaligned(result) };
    })
}

/// An operation on complex(10) or complex(16): the one comes back on the x87 stack, the other in memory, to
/// which a hidden first argument points. Until the kind is known, the addresses suit both: the second operand is the
/// third argument, too, and the first operand is a copy that may be overwritten.
///
/// # Safety
/// `op` is a function of two such elements that gfortran compiled.
unsafe fn wide_complex(op: *const c_void, by_value: bool) -> Combine {
    let in_memory = Cell::new(None);
    Box::new(move |acc, x| {
        // SAFETY: both elements have 32 bytes.
        let [a, b] =
            unsafe { [acc.cast_const(), x].map(|at| at.cast::<[u128; 2]>().read_unaligned()) };
        let words = |value: [u128; 2]| value.map(|part| [part as u64, (part >> 64) as u64]);
        loop {
            let (mut first, mut result) = (a, [0; 2]);
            let mut registers = Registers::default();
            let mut stack = vec![];
            let place = (&raw mut result).expose_provenance() as u64;
            if by_value {
                registers.integers[0] = place;
                stack.extend([a, b].into_iter().flat_map(words).flatten());
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
                result = registers.x87_results;
            } else if !by_value && in_memory.replace(Some(true)).is_none() {
                continue;
            }
            // SAFETY: the element has 32 bytes.
            unsafe { acc.cast::<[u128; 2]>().write_unaligned(result) };
            return;
        }
    })
}

/// An element of `len` bytes, at most 16.
///
/// # Safety
/// It is there.
unsafe fn read(element: *const u8, len: usize) -> u128 {
    let mut bytes = [0; 16];
    // SAFETY: the element has `len` bytes, and `bytes` has 16.
    unsafe { std::ptr::copy_nonoverlapping(element, bytes.as_mut_ptr(), len) };
    u128::from_ne_bytes(bytes)
}

fn addresses(operands: &[u128; 2]) -> [u64; 2] {
    operands.each_ref().map(|operand| std::ptr::from_ref(operand).expose_provenance() as u64)
}
