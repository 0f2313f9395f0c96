//! Assignments to coindexed objects.

use super::arrays::Elements;
use super::descriptor::{Coarray, Handle};
use super::fast_path;
use super::transfer::put;
use crate::gfortran_abi::Descriptor;
use crate::omni::entry::Memory;
use crate::omni::error::{Outcome, done};
use crate::process::instance;
use std::ffi::c_int;

/// Puts a scalar of `size` bytes; the source has `src_size`, which differs for characters only. Puts to another
/// host are not complete when they return.
#[inline(always)]
fn scalar(handle: Handle, index: c_int, mold: Memory, size: usize, src: Memory, src_size: usize) {
    done("put", || {
        let (instance, coarray) = (instance(), handle.coarray()?);
        if size == src_size && fast_path::put_scalar(instance, coarray, index, mold, src, size) {
            return Ok(());
        }
        put_elements(
            coarray,
            index,
            &Elements::scalar(mold, size),
            &Elements::scalar(src, src_size),
        )
    });
}

/// Puts an array.
fn array(
    handle: Handle,
    index: c_int,
    mold: &Descriptor,
    size: usize,
    src: &Descriptor,
    src_size: usize,
) {
    done("put", || {
        let (instance, coarray) = (instance(), handle.coarray()?);
        if size == src_size && fast_path::put_array(instance, coarray, index, mold, src, size) {
            return Ok(());
        }
        put_elements(
            coarray,
            index,
            &Elements::array(mold, size)?,
            &Elements::array(src, src_size)?,
        )
    });
}

/// Puts a scalar to every element of an array.
fn spread(
    handle: Handle,
    index: c_int,
    mold: &Descriptor,
    size: usize,
    src: Memory,
    src_size: usize,
) {
    done("put", || {
        let mold = Elements::array(mold, size)?;
        put_elements(handle.coarray()?, index, &mold, &Elements::scalar(src, src_size))
    });
}

/// Puts any elements.
fn put_elements(coarray: &Coarray, index: c_int, mold: &Elements, src: &Elements) -> Outcome {
    put(instance(), coarray, index, mold, src).map_err(|error| coarray.wrong(error))
}

macro_rules! scalars {
    ($kind:ident, $size:literal, $basic:ident) => {
        typed! { "coarray_put" "0" $kind
            (handle: &Handle, index: &c_int, mold: Memory, src: Memory)
            { scalar(*handle, *index, mold, $size, src, $size) }
        }
    };
}
each_kind!(scalars);
typed! { "coarray_put" "0" cn
    (handle: &Handle, index: &c_int, mold: Memory, src: Memory, len: usize, src_len: usize)
    { scalar(*handle, *index, mold, len, src, src_len) }
}

macro_rules! arrays {
    ($rank:literal, $kind:ident, $size:literal) => {
        typed! { "coarray_put" $rank $kind
            (handle: &Handle, index: &c_int, mold: &Descriptor, src: &Descriptor)
            { array(*handle, *index, mold, $size, src, $size) }
        }
        typed! { "coarray_spread" $rank $kind
            (handle: &Handle, index: &c_int, mold: &Descriptor, src: Memory)
            { spread(*handle, *index, mold, $size, src, $size) }
        }
    };
    ($rank:literal) => {
        typed! { "coarray_put" $rank cn
            (handle: &Handle, index: &c_int, mold: &Descriptor, src: &Descriptor,
                len: usize, src_len: usize)
            { array(*handle, *index, mold, len, src, src_len) }
        }
        typed! { "coarray_spread" $rank cn
            (handle: &Handle, index: &c_int, mold: &Descriptor, src: Memory,
                len: usize, src_len: usize)
            { spread(*handle, *index, mold, len, src, src_len) }
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
