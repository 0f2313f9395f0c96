//! Assignments to coindexed objects.

use super::arrays::{Elements, together};
use super::descriptor::{Coarray, Handle};
use super::transfer::{near, put};
use crate::gfortran_abi::Descriptor;
use crate::omni::error::done;
use crate::process::instance;
use std::ffi::c_int;
use xmp_coarray::plan::copy_block;

/// Puts a scalar of `size` bytes, `src_size` at the source if they are characters.
///
/// # Safety
/// The descriptor is one of this front end; `mold` and `src` point to scalars.
#[inline(always)]
unsafe fn scalar(
    handle: Handle,
    index: c_int,
    mold: *const u8,
    size: usize,
    src: (*const u8, usize),
) {
    done("put", || {
        let instance = instance();
        // SAFETY: the caller's guarantee.
        unsafe {
            let coarray = Coarray::of(handle)?;
            // What is next to nothing to do on one host; elsewhere puts are not complete when they return.
            if size == src.1
                && let Some(to) = near(instance, coarray, index, mold, size)
            {
                copy_block(to, src.0, size);
                return Ok(());
            }
            let (mold, src) = (Elements::scalar(mold, size), Elements::scalar(src.0, src.1));
            put(instance, coarray, index, &mold, &src).map_err(|error| coarray.wrong(error))
        }
    });
}

/// Puts an array.
///
/// # Safety
/// The descriptor is one of this front end, the others gfortran's.
unsafe fn array(
    handle: Handle,
    index: c_int,
    (mold, size): (*const Descriptor, usize),
    (src, src_size): (*const Descriptor, usize),
) {
    done("put", || {
        // SAFETY: the caller's guarantee.
        unsafe {
            let instance = instance();
            let coarray = Coarray::of(handle)?;
            if size == src_size
                && let Some(len) = together(&*mold, &*src, size)
                && let Some(to) = near(instance, coarray, index, (*mold).base.cast(), len)
            {
                copy_block(to, (*src).base.cast(), len);
                return Ok(());
            }
            let (mold, src) = (Elements::array(mold, size)?, Elements::array(src, src_size)?);
            put(instance, coarray, index, &mold, &src).map_err(|error| coarray.wrong(error))
        }
    });
}

/// Puts a scalar to every element of an array.
///
/// # Safety
/// As [`array`].
unsafe fn spread(
    handle: Handle,
    index: c_int,
    (mold, size): (*const Descriptor, usize),
    (src, src_size): (*const u8, usize),
) {
    done("put", || {
        // SAFETY: the caller's guarantee.
        unsafe {
            let coarray = Coarray::of(handle)?;
            let (mold, src) = (Elements::array(mold, size)?, Elements::scalar(src, src_size));
            put(instance(), coarray, index, &mold, &src).map_err(|error| coarray.wrong(error))
        }
    });
}

macro_rules! scalars {
    ($kind:ident, $size:literal, $basic:ident) => {
        typed! { "coarray_put" "0" $kind
            (handle: *const Handle, index: *const c_int, mold: *const u8, src: *const u8)
            { scalar(*handle, *index, mold, $size, (src, $size)) }
        }
    };
}
each_kind!(scalars);
typed! { "coarray_put" "0" cn
    (handle: *const Handle, index: *const c_int, mold: *const u8, src: *const u8, len: usize, src_len: usize)
    { scalar(*handle, *index, mold, len, (src, src_len)) }
}

macro_rules! arrays {
    ($rank:literal, $kind:ident, $size:literal) => {
        typed! { "coarray_put" $rank $kind
            (handle: *const Handle, index: *const c_int, mold: *const Descriptor, src: *const Descriptor)
            { array(*handle, *index, (mold, $size), (src, $size)) }
        }
        typed! { "coarray_spread" $rank $kind
            (handle: *const Handle, index: *const c_int, mold: *const Descriptor, src: *const u8)
            { spread(*handle, *index, (mold, $size), (src, $size)) }
        }
    };
    ($rank:literal) => {
        typed! { "coarray_put" $rank cn
            (handle: *const Handle, index: *const c_int, mold: *const Descriptor, src: *const Descriptor,
                len: usize, src_len: usize)
            { array(*handle, *index, (mold, len), (src, src_len)) }
        }
        typed! { "coarray_spread" $rank cn
            (handle: *const Handle, index: *const c_int, mold: *const Descriptor, src: *const u8,
                len: usize, src_len: usize)
            { spread(*handle, *index, (mold, len), (src, src_len)) }
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
