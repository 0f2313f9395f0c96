//! Assignments to coindexed objects, and of coindexed objects to variables.

use super::descriptor::Handle;
use super::fast_path::Direction::{Get, Put};
use super::transfer::{array, elements, scalar};
use std::ffi::c_int;
use xmp_ffi::gfortran_abi::{Descriptor, Elements};
use xmp_ffi::process::instance;
use xmp_ffi::xmp::entry::Memory;
use xmp_ffi::xmp::error::done;

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
        let (coarray, src) = (handle.coarray()?, Elements::scalar(src.start(), src_size));
        let done = elements(Put, instance(), coarray, index, &mold, &src);
        done.map_err(|error| coarray.wrong(error))
    });
}

macro_rules! scalars {
    ($kind:ident, $size:literal, $basic:ident) => {
        typed! { "coarray_put" "0" $kind
            (handle: &Handle, index: &c_int, mold: Memory, src: Memory)
            { scalar(Put, *handle, *index, mold, $size, src.start(), $size) }
        }
        typed! { "coarray_getsub" "0" $kind
            (handle: &Handle, index: &c_int, mold: Memory, dst: Memory)
            { scalar(Get, *handle, *index, mold, $size, dst.start(), $size) }
        }
    };
}
each_kind!(scalars);
typed! { "coarray_put" "0" cn
    (handle: &Handle, index: &c_int, mold: Memory, src: Memory, len: usize, src_len: usize)
    { scalar(Put, *handle, *index, mold, len, src.start(), src_len) }
}
typed! { "coarray_getsub" "0" cn
    (handle: &Handle, index: &c_int, mold: Memory, dst: Memory, len: usize, dst_len: usize)
    { scalar(Get, *handle, *index, mold, len, dst.start(), dst_len) }
}

macro_rules! arrays {
    ($rank:literal, $kind:ident, $size:literal) => {
        typed! { "coarray_put" $rank $kind
            (handle: &Handle, index: &c_int, mold: &Descriptor, src: &Descriptor)
            { array(Put, *handle, *index, mold, $size, src, $size) }
        }
        typed! { "coarray_getsub" $rank $kind
            (handle: &Handle, index: &c_int, mold: &Descriptor, dst: &Descriptor)
            { array(Get, *handle, *index, mold, $size, dst, $size) }
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
            { array(Put, *handle, *index, mold, len, src, src_len) }
        }
        typed! { "coarray_getsub" $rank cn
            (handle: &Handle, index: &c_int, mold: &Descriptor, dst: &Descriptor,
                len: usize, dst_len: usize)
            { array(Get, *handle, *index, mold, len, dst, dst_len) }
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
