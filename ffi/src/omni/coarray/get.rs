//! References to coindexed objects: as the value of a function, or into a variable.

use super::arrays::{Elements, together};
use super::descriptor::{Coarray, Handle};
use super::transfer::{get, near};
use crate::gfortran_abi::Descriptor;
use crate::omni::error::{Outcome, Wrong, done};
use crate::process::instance;
use std::ffi::c_int;
use std::mem::MaybeUninit;
use xmp_coarray::plan::copy_block;

/// A complex number as functions return it.
#[repr(C)]
#[derive(Clone, Copy)]
struct Complex<T> {
    re: T,
    im: T,
}

/// Gets a scalar of `size` bytes.
///
/// # Safety
/// The descriptor is one of this front end; `mold` and `dst` point to scalars.
#[inline(always)]
unsafe fn scalar(
    handle: Handle,
    index: c_int,
    (mold, size): (*const u8, usize),
    dst: (*mut u8, usize),
) {
    done("get", || {
        let instance = instance();
        // SAFETY: the caller's guarantee.
        unsafe {
            let coarray = Coarray::of(handle)?;
            if size == dst.1
                && let Some(from) = near(instance, coarray, index, mold, size)
            {
                copy_block(dst.0, from, size);
                return Ok(());
            }
            let (mold, dst) = (Elements::scalar(mold, size), Elements::scalar(dst.0, dst.1));
            get(instance, coarray, index, &mold, &dst).map_err(|error| coarray.wrong(error))
        }
    });
}

/// Gets a scalar as the value of a function.
///
/// # Safety
/// As [`scalar`]; any bytes are a value of the type.
#[inline(always)]
unsafe fn value<T: Copy>(handle: Handle, index: c_int, mold: *const u8) -> T {
    let mut value = MaybeUninit::<T>::uninit();
    // SAFETY: the caller's guarantee; the value is defined then.
    unsafe {
        scalar(handle, index, (mold, size_of::<T>()), (value.as_mut_ptr().cast(), size_of::<T>()));
        value.assume_init()
    }
}

/// Gets an array into a variable.
///
/// # Safety
/// The descriptor is one of this front end, the others gfortran's.
unsafe fn array(
    handle: Handle,
    index: c_int,
    (mold, size): (*const Descriptor, usize),
    (dst, dst_size): (*const Descriptor, usize),
) {
    done("get", || {
        // SAFETY: the caller's guarantee.
        unsafe {
            let instance = instance();
            let coarray = Coarray::of(handle)?;
            if size == dst_size
                && let Some(len) = together(&*mold, &*dst, size)
                && let Some(from) = near(instance, coarray, index, (*mold).base.cast(), len)
            {
                copy_block((*dst).base.cast(), from, len);
                return Ok(());
            }
            let (mold, dst) = (Elements::array(mold, size)?, Elements::array(dst, dst_size)?);
            get(instance, coarray, index, &mold, &dst).map_err(|error| coarray.wrong(error))
        }
    });
}

/// Gets an array as the value of a function, which the caller has described.
///
/// # Safety
/// As [`array`]; `result` is the descriptor of a result.
unsafe fn result(
    result: *mut Descriptor,
    handle: Handle,
    index: c_int,
    mold: *const Descriptor,
    size: usize,
) {
    // SAFETY: the caller's guarantee.
    done("get", || unsafe { provide(result, size) });
    // SAFETY: the caller's guarantee; the result has memory now.
    unsafe { array(handle, index, (mold, size), (result, size)) };
}

/// Gives the result of a function memory, where the caller leaves that to the function; it frees it then.
///
/// # Safety
/// As [`result`].
pub unsafe fn provide(result: *mut Descriptor, size: usize) -> Outcome {
    // SAFETY: the caller's guarantee.
    unsafe {
        if !(*result).base.is_null() {
            return Ok(());
        }
        let bytes = Elements::array(result, size)?.count()?.saturating_mul(size).max(1);
        let base = libc::malloc(bytes);
        if base.is_null() {
            return Err(Wrong::because(format!("no memory for a result of {bytes} bytes")));
        }
        (*result).base = base;
    }
    Ok(())
}

macro_rules! values {
    ($($kind:ident $type:ty),*) => {
        $(typed! { "coarray_get" "0" $kind
            (handle: *const Handle, index: *const c_int, mold: *const u8) -> $type
            { value(*handle, *index, mold) }
        })*
    };
}
values!(
    i2 i16, i4 i32, i8 i64, l2 i16, l4 i32, l8 i64, r4 f32, r8 f64, z8 Complex<f32>, z16 Complex<f64>
);
typed! { "coarray_get" "0" cn
    (dst: *mut u8, dst_len: usize, handle: *const Handle, index: *const c_int, mold: *const u8, len: usize)
    { scalar(*handle, *index, (mold, len), (dst, dst_len)) }
}

macro_rules! scalars {
    ($kind:ident, $size:literal, $basic:ident) => {
        typed! { "coarray_getsub" "0" $kind
            (handle: *const Handle, index: *const c_int, mold: *const u8, dst: *mut u8)
            { scalar(*handle, *index, (mold, $size), (dst, $size)) }
        }
    };
}
each_kind!(scalars);
typed! { "coarray_getsub" "0" cn
    (handle: *const Handle, index: *const c_int, mold: *const u8, dst: *mut u8, len: usize, dst_len: usize)
    { scalar(*handle, *index, (mold, len), (dst, dst_len)) }
}

macro_rules! arrays {
    ($rank:literal, $kind:ident, $size:literal) => {
        typed! { "coarray_get" $rank $kind
            (dst: *mut Descriptor, handle: *const Handle, index: *const c_int, mold: *const Descriptor)
            { result(dst, *handle, *index, mold, $size) }
        }
        typed! { "coarray_getsub" $rank $kind
            (handle: *const Handle, index: *const c_int, mold: *const Descriptor, dst: *const Descriptor)
            { array(*handle, *index, (mold, $size), (dst, $size)) }
        }
    };
    ($rank:literal) => {
        typed! { "coarray_get" $rank cn
            (dst: *mut Descriptor, _dst_len: usize, handle: *const Handle, index: *const c_int,
                mold: *const Descriptor, len: usize)
            { result(dst, *handle, *index, mold, len) }
        }
        typed! { "coarray_getsub" $rank cn
            (handle: *const Handle, index: *const c_int, mold: *const Descriptor, dst: *const Descriptor,
                len: usize, dst_len: usize)
            { array(*handle, *index, (mold, len), (dst, dst_len)) }
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
