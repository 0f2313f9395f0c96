//! References to coindexed objects as the values of functions.

use super::descriptor::Handle;
use super::fast_path::Direction::Get;
use super::transfer::{array, scalar};
use std::ffi::c_int;
use std::mem::MaybeUninit;
use xmp_ffi::gfortran_abi::{Descriptor, Elements, allocate};
use xmp_ffi::xmp::entry::Memory;
use xmp_ffi::xmp::error::{Outcome, done};

/// A type of scalars that any bytes are a value of.
trait Value: Copy {}

impl Value for i16 {}
impl Value for i32 {}
impl Value for i64 {}
impl Value for f32 {}
impl Value for f64 {}

/// A complex number as functions return it.
#[repr(C)]
#[derive(Clone, Copy)]
struct Complex<T> {
    re: T,
    im: T,
}

impl<T: Value> Value for Complex<T> {}

/// Gets a scalar as the value of a function.
#[inline(always)]
fn value<T: Value>(handle: Handle, index: c_int, mold: Memory) -> T {
    let mut value = MaybeUninit::<T>::uninit();
    scalar(Get, handle, index, mold, size_of::<T>(), value.as_mut_ptr().cast(), size_of::<T>());
    // SAFETY: all its bytes have been written; any are a value of the type.
    unsafe { value.assume_init() }
}

/// Gets an array as the value of a function, which the caller has described.
fn result(result: &mut Descriptor, handle: Handle, index: c_int, mold: &Descriptor, size: usize) {
    done("get", || provide(result, size));
    array(Get, handle, index, mold, size, result, size);
}

/// Gives the result of a function memory, where the caller leaves that to the function; the caller frees it then.
pub fn provide(result: &mut Descriptor, size: usize) -> Outcome {
    if !result.base.is_null() {
        return Ok(());
    }
    let bytes = Elements::array(result, size)?.count()?.saturating_mul(size);
    result.base = allocate(bytes, "process's memory for the result")?;
    Ok(())
}

macro_rules! values {
    ($($kind:ident $type:ty),*) => {
        $(typed! { "coarray_get" "0" $kind
            (handle: &Handle, index: &c_int, mold: Memory) -> $type
            { value(*handle, *index, mold) }
        })*
    };
}
values!(
    i2 i16, i4 i32, i8 i64, l2 i16, l4 i32, l8 i64, r4 f32, r8 f64, z8 Complex<f32>, z16 Complex<f64>
);
typed! { "coarray_get" "0" cn
    (dst: Memory, dst_len: usize, handle: &Handle, index: &c_int, mold: Memory, len: usize)
    { scalar(Get, *handle, *index, mold, len, dst.start(), dst_len) }
}

macro_rules! arrays {
    ($rank:literal, $kind:ident, $size:literal) => {
        typed! { "coarray_get" $rank $kind
            (dst: &mut Descriptor, handle: &Handle, index: &c_int, mold: &Descriptor)
            { result(dst, *handle, *index, mold, $size) }
        }
    };
    ($rank:literal) => {
        typed! { "coarray_get" $rank cn
            (dst: &mut Descriptor, _dst_len: usize, handle: &Handle, index: &c_int,
                mold: &Descriptor, len: usize)
            { result(dst, *handle, *index, mold, len) }
        }
    };
}
macro_rules! all_arrays {
    ($kind:ident, $size:literal, $basic:ident) => {
        each_rank!(arrays, $kind, $size);
    };
}
each_kind!(all_arrays);
each_rank!(arrays);
