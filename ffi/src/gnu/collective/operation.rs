//! CO_REDUCE: calling the user's operation as gfortran compiled it. (GNU-LIBCAF section 8)

use crate::gnu::types::{DType, basic};
use std::ffi::{c_char, c_int, c_void};
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
    // SAFETY: the caller's guarantee; a complex number and a C structure of two reals are passed alike.
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
            (basic::REAL | basic::COMPLEX | basic::CHARACTER, _) => return Err(unsupported(dtype)),
            // A structure of more than 16 bytes is returned through a hidden first argument.
            (_, 17..) if flags == 0 => structure(op, len),
            _ => return Err(unsupported(dtype)),
        })
    }
}

fn unsupported(dtype: &DType) -> Error {
    Error::Invalid(format!(
        "operations on elements of type {} and {} bytes are not supported yet",
        dtype.basic, dtype.elem_len
    ))
}

/// # Safety
/// As [`operation`]; the function takes and returns `T` by C's rules.
unsafe fn typed<T: Copy + 'static>(op: *const c_void, flags: c_int) -> Combine {
    type ByAddress<T> = unsafe extern "C" fn(*const T, *const T) -> T;
    type ByValue<T> = unsafe extern "C" fn(T, T) -> T;
    // SAFETY: the caller's guarantee; elements are read and written as they lie, and handed over aligned.
    unsafe {
        if flags & ARGUMENTS_BY_VALUE != 0 {
            let f = std::mem::transmute::<*const c_void, ByValue<T>>(op);
            return Box::new(move |acc, x| {
                let acc = acc.cast::<T>();
                acc.write_unaligned(f(acc.read_unaligned(), x.cast::<T>().read_unaligned()));
            });
        }
        let f = std::mem::transmute::<*const c_void, ByAddress<T>>(op);
        Box::new(move |acc, x| {
            let (left, right) = (acc.cast::<T>().read_unaligned(), x.cast::<T>().read_unaligned());
            acc.cast::<T>().write_unaligned(f(&left, &right));
        })
    }
}

/// # Safety
/// As [`operation`]; the function returns a character string of length `len`.
unsafe fn character(op: *const c_void, len: usize) -> Combine {
    type Characters =
        unsafe extern "C" fn(*mut c_char, usize, *const c_char, *const c_char, usize, usize);
    // SAFETY: the caller's guarantee. The result has a place of its own: it may not be an argument.
    unsafe {
        let f = std::mem::transmute::<*const c_void, Characters>(op);
        Box::new(move |acc, x| {
            let mut result = vec![0u8; len];
            f(result.as_mut_ptr().cast(), len, acc.cast_const().cast(), x.cast(), len, len);
            std::ptr::copy_nonoverlapping(result.as_ptr(), acc, len);
        })
    }
}

/// # Safety
/// As [`operation`]; the function returns a structure of `len` bytes in memory.
unsafe fn structure(op: *const c_void, len: usize) -> Combine {
    type Structures = unsafe extern "C" fn(*mut u8, *const u8, *const u8) -> *mut u8;
    // SAFETY: the caller's guarantee; the place of the result is aligned for any type.
    unsafe {
        let f = std::mem::transmute::<*const c_void, Structures>(op);
        Box::new(move |acc, x| {
            let mut result = vec![0u128; len.div_ceil(16)];
            f(result.as_mut_ptr().cast(), acc, x);
            std::ptr::copy_nonoverlapping(result.as_ptr().cast::<u8>(), acc, len);
        })
    }
}
