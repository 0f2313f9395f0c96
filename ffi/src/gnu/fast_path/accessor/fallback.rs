//! The rare continuations of the straight code of a fast path.
//!
//! A branch that is taken takes about a nanosecond on an Intel Xeon, as long as ten instructions in a row. The functions
//! here are marked as rarely called, so that the compiler of this library lays out the code of their callers without
//! taken branches up to the accessor and after it.

use crate::gfortran_abi::{Descriptor, set_ok as set_ok_inline};
use crate::gnu::accessor::arguments::{Get, MoreOfGet, MoreOfPut, Put};
use crate::gnu::types::TokenHandle;
use std::cell::Cell;
use std::ffi::{c_int, c_void};

/// The last version of a fast path.
pub trait Last {
    /// Of a get.
    const GET: Get;
    /// Of a put.
    const PUT: Put;
}

/// Jumps to the last version of a get.
#[cold]
#[inline(never)]
pub extern "C" fn get<L: Last>(
    token: TokenHandle,
    src_descriptor: *mut Descriptor,
    src_len: *const usize,
    image: c_int,
    dst_size: usize,
    dst_data: *mut *mut c_void,
    more: MoreOfGet<'_>,
) {
    L::GET(token, src_descriptor, src_len, image, dst_size, dst_data, more);
}

/// Jumps to the last version of a put.
#[cold]
#[inline(never)]
pub extern "C" fn put<L: Last>(
    token: TokenHandle,
    dst_descriptor: *mut Descriptor,
    dst_len: *const usize,
    image: c_int,
    src_size: usize,
    src_data: *const c_void,
    more: MoreOfPut<'_>,
) {
    L::PUT(token, dst_descriptor, dst_len, image, src_size, src_data, more);
}

/// Reports success to `stat=`, which few statements have.
#[inline(always)]
pub fn set_ok(stat: Option<&Cell<c_int>>) {
    if stat.is_some() {
        set(stat);
    }
}

#[cold]
#[inline(never)]
extern "C" fn set(stat: Option<&Cell<c_int>>) {
    set_ok_inline(stat);
}
