//! CO_REDUCE: calling the user's operation as gfortran compiled it. (GNU-LIBCAF section 8)

use super::call::{Registers, call};
use super::layout::{Layout, layout};
use crate::gfortran_abi::{DType, basic};
use std::cell::Cell;
use std::ffi::{c_char, c_int, c_void};
use std::mem::transmute;
use std::slice::{from_raw_parts, from_raw_parts_mut};
use xmp_collectives::Reduction;
use xmp_collectives::reduction::{UserFn, UserLoop};
use xmp_core::{Error, Result};

/// The operation returns its result through a first argument, and takes character lengths last.
const BY_REFERENCE: c_int = 1;
/// The operation takes its arguments by value.
const ARGUMENTS_BY_VALUE: c_int = 4;

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
pub unsafe fn operation(op: *const c_void, flags: c_int, dtype: &DType) -> Result<Operation> {
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
unsafe fn typed<T: Copy + 'static>(op: *const c_void, flags: c_int) -> Operation {
    type ByAddress<T> = unsafe extern "C" fn(*const T, *const T) -> T;
    type ByValue<T> = unsafe extern "C" fn(T, T) -> T;
    // SAFETY: `op` takes and returns `T` by C's rules. Elements are read and written unaligned, and handed over
    // aligned: where they are, if they are aligned there. A reduction passes `count` elements of each, and nothing else
    // accesses those of `dst` meanwhile.
    unsafe {
        if flags & ARGUMENTS_BY_VALUE != 0 {
            let f = transmute::<*const c_void, ByValue<T>>(op);
            return looped(move |dst, left: *const T, right, count| {
                each(dst, left, right, count, |left, right| {
                    f(left.read_unaligned(), right.read_unaligned())
                });
            });
        }
        let f = transmute::<*const c_void, ByAddress<T>>(op);
        looped(move |dst, left: *const T, right: *const T, count| {
            if left.is_aligned() && right.is_aligned() {
                each(dst, left, right, count, |left, right| f(left, right));
            } else {
                each(dst, left, right, count, |left, right| {
                    f(&left.read_unaligned(), &right.read_unaligned())
                });
            }
        })
    }
}

/// The operation whose loop over elements is `all`: destination, left and right operands, and their number.
fn looped<T>(all: impl Fn(*mut T, *const T, *const T, usize) + 'static) -> Operation {
    Operation::Loop(Box::new(move |dst, left, right, count| {
        all(dst.cast(), left.cast(), right.cast(), count);
    }))
}

/// Stores the combination of `count` elements at `left` and `right` at `dst`, four in each turn of the loop. The taken branches
/// (call, return, loop) bound a loop over single elements: 512 sums of two reals take 0.72 us, four in a turn 0.49 (bare program,
/// AMD EPYC with Zen 5 cores).
///
/// # Safety
/// All are valid for `count` elements and need not be aligned. Nothing else accesses those at `dst` meanwhile.
#[inline(always)]
unsafe fn each<T>(
    dst: *mut T,
    left: *const T,
    right: *const T,
    count: usize,
    combine: impl Fn(*const T, *const T) -> T,
) {
    const LANES: usize = 4;
    // SAFETY: `at` is less than `count`, for which all are valid (contract above).
    let one = |at| unsafe { dst.add(at).write_unaligned(combine(left.add(at), right.add(at))) };
    let whole = count - count % LANES;
    for at in (0..whole).step_by(LANES) {
        for lane in 0..LANES {
            one(at + lane);
        }
    }
    for at in whole..count {
        one(at);
    }
}

/// A combination of two elements of `len` bytes.
fn on_elements(len: usize, combine: impl Fn(&mut [u8], &[u8]) + 'static) -> Operation {
    Operation::Pair(Box::new(move |acc, x| {
        // SAFETY: reductions pass two elements of `len` bytes that do not overlap, and nothing else accesses them
        // meanwhile.
        let (acc, x) = unsafe { (from_raw_parts_mut(acc, len), from_raw_parts(x, len)) };
        combine(acc, x);
    }))
}

/// # Safety
/// `op` is a function of two texts of `len` characters that gfortran compiled, and returns such a text.
unsafe fn character(op: *const c_void, len: usize) -> Operation {
    type Characters =
        unsafe extern "C" fn(*mut c_char, usize, *const c_char, *const c_char, usize, usize);
    // SAFETY: `op` is a function of this type.
    let f = unsafe { transmute::<*const c_void, Characters>(op) };
    on_elements(len, move |acc, x| {
        let mut result = vec![0u8; len];
        let (left, right) = (acc.as_ptr().cast(), x.as_ptr().cast());
        // SAFETY: `op` takes two texts of `len` characters and returns one in its first argument, which may be neither.
        unsafe { f(result.as_mut_ptr().cast(), len, left, right, len, len) };
        acc.copy_from_slice(&result);
    })
}

/// # Safety
/// `op` is a function of two structures of `len` bytes that gfortran compiled, and returns one in memory.
unsafe fn structure(op: *const c_void, len: usize, by_value: bool) -> Operation {
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
unsafe fn wide_real(op: *const c_void, by_value: bool) -> Operation {
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
unsafe fn wide_complex(op: *const c_void, by_value: bool) -> Operation {
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

/// An element of at most 16 bytes, which lie first.
fn value(element: &[u8]) -> u128 {
    let mut bytes = [0; 16];
    bytes[..element.len()].copy_from_slice(element);
    u128::from_ne_bytes(bytes)
}

/// The words of a value on the stack.
fn words(value: u128) -> [u64; 2] {
    [value as u64, (value >> 64) as u64]
}

fn addresses(operands: &[u128; 2]) -> [u64; 2] {
    operands.each_ref().map(|operand| std::ptr::from_ref(operand).expose_provenance() as u64)
}
